import { PassThrough } from 'node:stream';
import type { TerminalContext } from '../../../../../main/hosts/terminal/context.ts';
import { createForkLauncher } from '../../../../../main/hosts/fork-launcher.ts';
import { runTerminal } from '../../../../../main/hosts/terminal/program.ts';
import type { TrinityRun } from '../run-trinity.ts';

export interface InProcessOptions {
  readonly dataDirectory: string;
  readonly cwd: string;
  /** What stdin holds; nothing by default. */
  readonly input?: string;
  /** Aborts the command's signal, as Ctrl-C does, once this has been printed. */
  readonly interruptAt?: RegExp;
  /** Stands for a person's keyboard; takes the place of `input`. */
  readonly keyboard?: Keyboard;
  /** Makes stderr a terminal of this TERM; without it, it is a pipe. */
  readonly stderrTerm?: string;
}

/** A stdin and stdout that are a terminal's, with someone who types when something has been printed. */
export class Keyboard extends PassThrough {
  readonly isTTY = true;
  readonly #strokes: (readonly [RegExp, string])[];
  #seen = 0;

  /** @param strokes keys to press, each once its text has been printed after the keys before it */
  constructor(strokes: readonly (readonly [RegExp, string])[]) {
    super();
    this.#strokes = [...strokes];
  }

  setRawMode(): this {
    return this;
  }

  printed(text: string): void {
    const [next] = this.#strokes;
    if (next === undefined || !next[0].test(text.slice(this.#seen))) return;
    this.#seen = text.length;
    this.#strokes.shift();
    setImmediate(() => this.write(next[1]));
  }
}

/** Runs the terminal program in this process: the same program without the start of another Node. */
export async function trinityHere(
  args: readonly string[],
  options: InProcessOptions,
): Promise<TrinityRun> {
  const interrupt = new AbortController();
  let stdout = '';
  let stderr = '';
  const stdin = options.keyboard ?? new PassThrough().end(options.input ?? '');
  const context: TerminalContext = {
    stdin,
    stdout: {
      columns: 80,
      ...(options.keyboard && { isTTY: true }),
      write: (text) => {
        stdout += text;
        options.keyboard?.printed(stdout);
        if (options.interruptAt?.test(stdout) === true) interrupt.abort();
      },
    },
    stderr: {
      ...(options.stderrTerm !== undefined && { isTTY: true, columns: 80 }),
      write: (text) => void (stderr += text),
    },
    env: {
      TRINITY_HOME: options.dataDirectory,
      TERM: options.stderrTerm ?? 'xterm',
      NO_COLOR: '1',
    },
    cwd: options.cwd,
    signal: interrupt.signal,
    launcher: createForkLauncher({ env: process.env }),
  };
  const all = ['--data-dir', options.dataDirectory, ...args];
  const code = await runTerminal(all, context, '0.0.0');
  return { code, stdout, stderr };
}
