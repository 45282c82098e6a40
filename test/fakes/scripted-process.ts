import type { ChildHandle, ProcessEntry, ProcessLauncher } from '../../contracts/ports.ts';
import type { ToProcess } from '../../model-runtime/process/protocol.ts';

/** One scripted child, as its script sees it. */
export interface ScriptedChild {
  readonly entry: ProcessEntry;
  /** Position among the children started, from 0. */
  readonly index: number;
  say(message: unknown): void;
  log(line: string): void;
  die(exit?: { code: number | null; signal: string | null }): void;
}

/** What a child does: when it starts, and at each message. */
export interface ProcessScript {
  onStart?(child: ScriptedChild): void;
  onMessage(message: ToProcess, child: ScriptedChild): void;
}

/**
 * A launcher of children that live in this process and follow a script. Messages arrive later, never
 * within the call that sent them, as they do between processes.
 */
export class ScriptedLauncher implements ProcessLauncher {
  readonly #script: ProcessScript;
  started = 0;
  alive = 0;
  /** The most children that were alive at the same time. */
  mostAlive = 0;

  constructor(script: ProcessScript) {
    this.#script = script;
  }

  launch(entry: ProcessEntry): ChildHandle {
    const script = this.#script;
    const messageListeners: ((message: unknown) => void)[] = [];
    const exitListeners: ((exit: { code: number | null; signal: string | null }) => void)[] = [];
    const logListeners: ((line: string) => void)[] = [];
    let isAlive = true;
    const child: ScriptedChild = {
      entry,
      index: this.started,
      say: (message) => {
        if (!isAlive) return;
        setImmediate(() => messageListeners.forEach((listener) => listener(message)));
      },
      log: (line) => logListeners.forEach((listener) => listener(line)),
      die: (exit = { code: null, signal: 'SIGKILL' }) => {
        if (!isAlive) return;
        isAlive = false;
        setImmediate(() => {
          this.alive -= 1;
          exitListeners.forEach((listener) => listener(exit));
        });
      },
    };
    this.started += 1;
    this.alive += 1;
    this.mostAlive = Math.max(this.mostAlive, this.alive);
    setImmediate(() => {
      if (script.onStart !== undefined) script.onStart(child);
      else child.say({ type: 'ready' });
    });
    return {
      pid: 1000 + child.index,
      send: (message) => {
        setImmediate(() => {
          if (isAlive) script.onMessage(structuredClone(message) as ToProcess, child);
        });
      },
      onMessage: (listener) => messageListeners.push(listener),
      onExit: (listener) => exitListeners.push(listener),
      onLog: (listener) => logListeners.push(listener),
      kill: () => child.die(),
    };
  }
}
