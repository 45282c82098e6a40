import type { ProfileId } from '../../../contracts/profiles.ts';
import type { RouterClient } from '../../../model-runtime/client.ts';
import { FloorsStore } from '../../evals/floors-store.ts';
import { evalPlaces } from '../../evals/places.ts';
import { dataDirectoryClient } from '../../models/data-directory-client.ts';
import { dataLayout, type DataLayout } from '../data-layout.ts';
import { dataDirectoryPath, openDataDirectory } from '../data-directory.ts';
import { nativeLogTo } from '../native-log.ts';
import { createSystemClock } from '../system-clock.ts';
import type { TerminalContext } from './context.ts';
import { writeReport } from './evals/report-file.ts';
import { clearLine, styleOf } from './style.ts';

/** Options that every command gets from the program. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly debugNative?: boolean;
}

/** Opens the data directory that the options and the environment name. */
export function openLayout(context: TerminalContext, options: GlobalOptions): DataLayout {
  return dataLayout(openDataDirectory(dataDirectoryPath(options.dataDir)), context.env);
}

/** The runtime over a layout, with nothing selected. The caller closes it. */
export function openRuntime(
  context: TerminalContext,
  layout: DataLayout,
  options: GlobalOptions,
): RouterClient {
  const calibrations = new FloorsStore(evalPlaces(layout.evals).calibrations, writeReport);
  return dataDirectoryClient({
    ...layout,
    calibratedPrecision: (key) => calibrations.precision(key),
    launcher: context.launcher,
    clock: createSystemClock(),
    ...(options.debugNative === true && { onLog: nativeLogTo(context.stderr) }),
  });
}

/**
 * Selects and loads a router, telling on stderr what takes time, then does `work` and closes the runtime.
 */
export async function withRouter<T>(
  context: TerminalContext,
  options: GlobalOptions & {
    readonly router: string;
    readonly profile: ProfileId;
    readonly base?: string;
  },
  work: (router: RouterClient, layout: DataLayout) => Promise<T>,
): Promise<T> {
  const layout = openLayout(context, options);
  const runtime = openRuntime(context, layout, options);
  const interrupted = (): void => void runtime.close();
  context.signal.addEventListener('abort', interrupted);
  try {
    const baseFolders = options.base === undefined ? [] : [options.base];
    await runtime.select(options.router, options.profile, { baseFolders });
    const progress = reportProgress(context, runtime);
    try {
      await runtime.load();
    } finally {
      await progress.stop();
    }
    return await work(runtime, layout);
  } finally {
    context.signal.removeEventListener('abort', interrupted);
    await runtime.close();
  }
}

/** Says on a terminal's stderr what is being built or loaded; says nothing where a line cannot be redrawn. */
export function reportProgress(
  context: TerminalContext,
  runtime: Pick<RouterClient, 'watch'>,
): { stop: () => Promise<void> } {
  if (!styleOf(context.stderr, context.env).canRedraw) return { stop: () => Promise.resolve() };
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { phase } of runtime.watch(watching.signal)) {
      if (phase.state === 'building') {
        const percent = Math.round(phase.fraction * 100);
        context.stderr.write(`${clearLine}building the router ${percent} %`);
      } else if (phase.state === 'loading') context.stderr.write(`${clearLine}loading the router`);
    }
  })();
  return {
    stop: async () => {
      watching.abort();
      await watched;
      context.stderr.write(clearLine);
    },
  };
}
