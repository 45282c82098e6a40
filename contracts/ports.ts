import type { KeyScheme, SecretKind, VaultItem } from './keys.ts';

/** Entries of the two child processes. */
export type ProcessEntry = 'route' | 'build';

/** One child process. `onExit` listeners run exactly once, also when the start itself failed. */
export interface ChildHandle {
  readonly pid: number | undefined;
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  onExit(listener: (exit: { code: number | null; signal: string | null }) => void): void;
  /** Lines the child wrote to stderr: native logs. */
  onLog(listener: (line: string) => void): void;
  /** SIGKILL, or what the platform has. */
  kill(): void;
}

/** Starts child processes: `utilityProcess` in Electron, `child_process.fork` elsewhere. */
export interface ProcessLauncher {
  launch(entry: ProcessEntry, args: readonly string[]): ChildHandle;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Time allowed to reach the server, where the host can tell it from waiting for the answer. */
  readonly connectTimeoutMs?: number;
}

/**
 * Sends one HTTP request. Redirects are never followed: the response of status 3xx is returned, so that a
 * key cannot travel to another host. Rejects with the platform's network error; `signal.aborted` tells an
 * abort. Streams the body as it arrives, decompressed.
 */
export type HttpClient = (url: string, request: HttpRequest) => Promise<Response>;

/** Secrets at rest. Implemented by hosts; services never see how. */
export interface KeyVault {
  /** Schemes that can store here, best first, with a sentence on how each protects. */
  schemes(): Promise<readonly { scheme: KeyScheme; explanation: string }[]>;
  list(): Promise<readonly VaultItem[]>;
  /** Stores a secret for one origin and returns its item. */
  put(secret: string, origin: string, scheme: KeyScheme, kind?: SecretKind): Promise<VaultItem>;
  /**
   * Opens a secret for a request to `origin`. Refuses another origin than the one it was stored for.
   * A scheme that this host cannot open is refused with the name of the program that stored it.
   */
  open(id: string, origin: string): Promise<string>;
  remove(id: string): Promise<void>;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

export interface RandomSource {
  /** Uniform in [0, 1). */
  next(): number;
  /** A fresh id: time-ordered UUID (version 7). */
  id(): string;
}
