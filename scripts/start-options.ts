import { parseArgs } from 'node:util';

export interface StartOptions {
  readonly host: 'electron' | 'browser' | 'either';
  readonly port: number | undefined;
  readonly open: boolean;
  readonly dataDirectory: string | undefined;
  readonly allowOrigins: readonly string[];
  readonly debugNative: boolean;
  readonly help: boolean;
}

export const usage = `npm start [-- OPTIONS]

Opens Trinity Desktop: in Electron where its runtime is present or can be fetched, else in your browser.

  --browser             in the browser
  --electron            in Electron, or not at all
  --port N              port of the browser host (default 7433, or any free one)
  --no-open             print the address and open nothing
  --data-dir DIR        data directory (default: the system's convention, or TRINITY_HOME)
  --allow-origin URL    where a tunnel to the browser host answers, such as http://localhost:9000
  --debug-native        show the native runtime's own log lines
  --help
`;

/**
 * Reads the arguments of `npm start`.
 *
 * @returns the options, or what is wrong with them in a sentence
 */
export function readStartOptions(args: readonly string[]): StartOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        browser: { type: 'boolean', default: false },
        electron: { type: 'boolean', default: false },
        port: { type: 'string' },
        'no-open': { type: 'boolean', default: false },
        'data-dir': { type: 'string' },
        'allow-origin': { type: 'string', multiple: true, default: [] },
        'debug-native': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.browser && values.electron) return '--browser and --electron exclude each other.';
    const port = values.port === undefined ? undefined : Number(values.port || NaN);
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      return `--port ${values.port} is no port: give a number from 0 to 65535.`;
    }
    return {
      host: values.browser ? 'browser' : values.electron ? 'electron' : 'either',
      port,
      open: !values['no-open'],
      dataDirectory: values['data-dir'],
      allowOrigins: values['allow-origin'],
      debugNative: values['debug-native'],
      help: values.help,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
