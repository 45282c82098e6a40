import { constants } from 'node:os';
import type { App, Details, ForkOptions, UtilityProcess } from 'electron';
import type {
  ChildHandle,
  Clock,
  ProcessEntry,
  ProcessLauncher,
} from '../../../contracts/ports.ts';

export interface UtilityLauncherParts {
  readonly app: Pick<App, 'on' | 'off'>;
  /** `utilityProcess.fork`. */
  readonly fork: (path: string, args: string[], options: ForkOptions) => UtilityProcess;
  readonly clock: Clock;
  /** Bundled entry of each process. */
  readonly entries: Readonly<Record<ProcessEntry, string>>;
}

type Exit = { code: number | null; signal: string | null };

/** How long after an exit the reason may still come. */
const reasonWaitMs = 250;

/**
 * Starts child processes as Electron utility processes.
 *
 * An exit code alone does not say whether a process ended or was ended: Electron tells the reason by
 * `child-process-gone`, in no promised order. A process that died while loading a model (its allocator refuses
 * very large blocks by a trap) must be told from one that failed, so both are put together here.
 */
export function createUtilityLauncher(parts: UtilityLauncherParts): ProcessLauncher {
  let launched = 0;
  return {
    launch(entry, args) {
      launched += 1;
      return launchOne(parts, entry, args, `trinity-${entry}-${launched}`);
    },
  };
}

function launchOne(
  parts: UtilityLauncherParts,
  entry: ProcessEntry,
  args: readonly string[],
  serviceName: string,
): ChildHandle {
  const exit = createExit(parts, serviceName);
  const logs: ((line: string) => void)[] = [];
  let child: UtilityProcess | null = null;
  try {
    const forked = parts.fork(parts.entries[entry], [...args], {
      serviceName,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = forked;
    forked.on('exit', exit.onCode);
    forked.stderr?.on(
      'data',
      splitLines((line) => logs.forEach((listener) => listener(line))),
    );
  } catch (error) {
    // The caller learns of it the way it learns of every other end.
    const line = error instanceof Error ? error.message : String(error);
    queueMicrotask(() => logs.forEach((listener) => listener(line)));
    exit.report({ code: null, signal: null });
  }
  return {
    get pid() {
      return child?.pid;
    },
    send: (message) => child?.postMessage(message),
    onMessage: (listener) => void child?.on('message', listener),
    onExit: exit.subscribe,
    onLog: (listener) => void logs.push(listener),
    kill() {
      const pid = child?.pid;
      // Electron's own kill asks politely; a process inside a native call does not hear that.
      if (pid === undefined || !killNow(pid)) child?.kill();
    },
  };
}

/** Puts exit code and reason together and tells it once, to late listeners too. */
function createExit(parts: UtilityLauncherParts, serviceName: string) {
  const listeners: ((exit: Exit) => void)[] = [];
  let told: Exit | null = null;
  let code: number | null = null;
  const report = (exit: Exit): void => {
    if (told !== null) return;
    told = exit;
    parts.app.off('child-process-gone', onGone);
    queueMicrotask(() => listeners.forEach((listener) => listener(exit)));
  };
  const onGone = (_event: unknown, details: Details): void => {
    if (details.serviceName !== serviceName) return;
    report(exitOf(details));
  };
  parts.app.on('child-process-gone', onGone);
  return {
    report,
    onCode(exitCode: number) {
      code = exitCode;
      if (exitCode === 0) report({ code: 0, signal: null });
      else parts.clock.after(reasonWaitMs, () => report({ code, signal: null }));
    },
    subscribe(listener: (exit: Exit) => void) {
      if (told === null) listeners.push(listener);
      else {
        const exit = told;
        queueMicrotask(() => listener(exit));
      }
    },
  };
}

function exitOf(details: Details): Exit {
  switch (details.reason) {
    case 'clean-exit':
    case 'abnormal-exit':
      return { code: details.exitCode, signal: null };
    case 'launch-failed':
    case 'integrity-failure':
      return { code: null, signal: null };
    case 'killed':
      return { code: null, signal: signalName(details.exitCode) ?? 'SIGKILL' };
    default:
      return { code: null, signal: signalName(details.exitCode) ?? details.reason };
  }
}

/** On POSIX the exit code of a killed process is its wait status: the signal in the low seven bits. */
function signalName(status: number): string | null {
  if (process.platform === 'win32') return null;
  const found = Object.entries(constants.signals).find(([, value]) => value === (status & 0x7f));
  return found?.[0] ?? null;
}

function killNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, or not ours to kill: the caller falls back to Electron.
    return false;
  }
}

function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split(/\r?\n/);
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  };
}
