import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildHandle, ProcessEntry, ProcessLauncher } from '../../contracts/ports.ts';

/**
 * glibc otherwise keeps what a load or a long run has freed: a tenth of a gigabyte after a load, half of one
 * after 2,000 tokens. Other C libraries ignore it.
 */
const allocatorEnvironment = { MALLOC_TRIM_THRESHOLD_: '131072' };

export interface ForkLauncherOptions {
  /** Environment of the children. */
  readonly env: NodeJS.ProcessEnv;
  /** Files of the entries; those of this checkout or build when left out. */
  readonly entries?: Partial<Readonly<Record<ProcessEntry, string>>>;
}

/**
 * Starts child processes with `child_process.fork`: the launcher of the terminal, the browser host and the
 * tests. Messages are structured clones; stdout is dropped, stderr is read line by line.
 */
export function createForkLauncher(options: ForkLauncherOptions): ProcessLauncher {
  return {
    launch(entry, args) {
      const path = options.entries?.[entry] ?? entryPath(entry);
      const child = fork(path, [...args], {
        env: { ...allocatorEnvironment, ...options.env },
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        // Inspector and loader flags of the parent are not for its children.
        execArgv: [],
      });
      return handleOf(child);
    },
  };
}

function handleOf(child: ChildProcess): ChildHandle {
  const exitListeners: ((exit: { code: number | null; signal: string | null }) => void)[] = [];
  let hasEnded = false;
  const end = (code: number | null, signal: string | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    for (const listener of exitListeners) listener({ code, signal });
  };
  child.on('exit', end);
  // A process that could not be started has no exit; one that could gets its own.
  child.on('error', () => {
    if (child.pid === undefined) end(null, null);
  });
  return {
    pid: child.pid,
    send: (message) => {
      // The channel closes when the child dies; that it died is told by its exit.
      if (child.connected) child.send(message as object, () => undefined);
    },
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => exitListeners.push(listener),
    onLog: (listener) => {
      if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', listener);
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

/** The entry beside this file's room, in source (.ts) or built (.js). */
function entryPath(entry: ProcessEntry): string {
  const extension = extname(fileURLToPath(import.meta.url));
  return fileURLToPath(
    new URL(`../../model-runtime/${entry}-process${extension}`, import.meta.url),
  );
}
