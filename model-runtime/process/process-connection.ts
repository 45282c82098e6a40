import type { ChildHandle, Clock, ProcessEntry, ProcessLauncher } from '../../contracts/ports.ts';
import { isRuntimeErrorCode, RuntimeError } from '../runtime-error.ts';
import { fromProcessSchema, type FromProcess } from './protocol.ts';

/** How long a child may take to say `ready`. */
const readyMs = 60_000;
/** Lines of native log kept to explain a death. */
const logTail = 20;

export interface ConnectionOptions {
  readonly launcher: ProcessLauncher;
  readonly clock: Clock;
  readonly entry: ProcessEntry;
  /** Native logs, line by line. */
  readonly onLog?: ((line: string) => void) | undefined;
}

export interface CallOptions {
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** A child that sends nothing for this long while it owes an answer hangs and is killed. */
  readonly silenceMs: number;
}

interface Pending {
  readonly id: number;
  readonly settle: (result: unknown) => void;
  readonly fail: (error: RuntimeError) => void;
  readonly onLife: () => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/**
 * One child process from start to death. It is asked one thing at a time, and every call ends in exactly
 * one answer or one `RuntimeError`: what the child said, `process_died`, `process_hung`, `protocol`.
 */
export class ProcessConnection {
  readonly #clock: Clock;
  readonly #handle: ChildHandle;
  readonly #log: string[] = [];
  /** Resolves when the child is gone, with what ended it. */
  readonly gone: Promise<RuntimeError>;
  #death: RuntimeError | null = null;
  #pending: Pending | null = null;
  #nextId = 0;

  constructor(options: ConnectionOptions) {
    this.#clock = options.clock;
    this.#handle = launch(options);
    this.#handle.onLog((line) => {
      this.#log.push(line);
      if (this.#log.length > logTail) this.#log.shift();
      options.onLog?.(line);
    });
    this.#handle.onMessage((raw) => this.#receive(raw));
    this.gone = new Promise((resolve) => {
      this.#handle.onExit((exit) => {
        const death = this.#death ?? this.#deathBy(exit);
        this.#fail(death);
        resolve(death);
      });
    });
  }

  get isAlive(): boolean {
    return this.#death === null;
  }

  /** Waits for the end of a child that is dying; returns at once for one that lives. */
  async goneIfDead(): Promise<void> {
    if (this.#death !== null) await this.gone;
  }

  /** Resolves when the child has said that it listens. */
  async ready(): Promise<void> {
    await this.#await(-1, { silenceMs: readyMs });
  }

  /** Sends a request, made with the id it gets, and gives the child's answer. */
  async call(message: (id: number) => unknown, options: CallOptions): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = this.#await(id, options);
    if (this.#death === null) this.#handle.send(message(id));
    return answer;
  }

  /** Asks the child to give up what it is doing; the call then fails with `cancelled`. */
  cancel(): void {
    if (this.#pending === null || this.#death !== null) return;
    this.#handle.send({ type: 'cancel', id: this.#pending.id });
  }

  /** Kills the child, failing an open call with `reason`, and waits until it is gone. */
  async kill(reason: RuntimeError): Promise<void> {
    this.#fail(reason);
    this.#handle.kill();
    await this.gone;
  }

  #await(id: number, { silenceMs, onProgress }: CallOptions): Promise<unknown> {
    if (this.#death !== null) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      let cancelTimer = (): void => undefined;
      const onLife = (): void => {
        cancelTimer();
        cancelTimer = this.#clock.after(silenceMs, () => void this.kill(hung(silenceMs)));
      };
      this.#pending = {
        id,
        onProgress,
        onLife,
        settle: (result) => {
          cancelTimer();
          resolve(result);
        },
        fail: (error) => {
          cancelTimer();
          reject(error);
        },
      };
      onLife();
    });
  }

  #receive(raw: unknown): void {
    const parsed = fromProcessSchema.safeParse(raw);
    if (!parsed.success) {
      const sentence = 'The router process sent something that is not understood.';
      void this.kill(new RuntimeError('protocol', sentence, { cause: parsed.error }));
      return;
    }
    const message = parsed.data;
    const pending = this.#pending;
    if (pending === null || pending.id !== (message.type === 'ready' ? -1 : message.id)) return;
    if (message.type === 'progress') {
      pending.onLife();
      pending.onProgress?.(message.done, message.total);
      return;
    }
    this.#pending = null;
    if (message.type === 'failed') pending.fail(failureOf(message));
    else pending.settle(message.type === 'done' ? message.result : undefined);
  }

  #fail(error: RuntimeError): void {
    this.#death ??= error;
    const pending = this.#pending;
    this.#pending = null;
    pending?.fail(this.#death);
  }

  #deathBy({ code, signal }: { code: number | null; signal: string | null }): RuntimeError {
    const how = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
    const cause = this.#log.length === 0 ? undefined : new Error(this.#log.join('\n'));
    // SIGKILL from outside is most often the system's answer to a lack of memory, 134 V8's own.
    const isMemory = signal === 'SIGKILL' || code === 134 || signal === 'SIGABRT';
    const guess = isMemory ? ' Most often this machine was short of memory.' : '';
    const sentence = `The router process ended by ${how}.${guess}`;
    return new RuntimeError('process_died', sentence, { retryable: true, cause });
  }
}

function launch({ launcher, entry }: ConnectionOptions): ChildHandle {
  try {
    return launcher.launch(entry, []);
  } catch (error) {
    const sentence = 'The router process could not be started.';
    throw new RuntimeError('process_unstartable', sentence, { cause: error });
  }
}

function hung(silenceMs: number): RuntimeError {
  const sentence = `The router process gave no sign of life for ${Math.round(silenceMs / 1000)} s and was ended.`;
  return new RuntimeError('process_hung', sentence, { retryable: true });
}

function failureOf({ failure }: Extract<FromProcess, { type: 'failed' }>): RuntimeError {
  const code = isRuntimeErrorCode(failure.code) ? failure.code : 'internal';
  return new RuntimeError(code, failure.message, { retryable: failure.retryable });
}
