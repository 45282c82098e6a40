import type { ProcessLauncher } from '../../../contracts/ports.ts';

/** Where a command writes, what its terminal can show, and what it may start. */
export interface TerminalContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C; commands that stop by themselves listen to it. */
  readonly signal: AbortSignal;
  readonly launcher: ProcessLauncher;
}

/** The part of a stream that a command needs. `columns` is absent when it is no terminal. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A mistake in how a command was called: exit code 2 and the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends a command with exit code 1 after it has already said why. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Does a command's work; what it throws because of a Ctrl-C is told as that. */
export async function unlessCancelled(
  { signal }: Pick<TerminalContext, 'signal'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (signal.aborted && !(error instanceof CommandFailed)) throw new CommandFailed('cancelled');
    throw error;
  }
}
