import type { BuildEvent, BuildRequest } from '../../contracts/build.ts';
import { TypedError } from '../../contracts/failure.ts';
import type { RouterManifest } from '../../contracts/manifest.ts';
import type { ChildHandle, Clock, ProcessLauncher } from '../../contracts/ports.ts';
import { BuildError } from './build-error.ts';
import { fromBuildSchema } from './build-protocol.ts';

/** How long a cancelled build may take to stop by itself before its process is ended. */
const cancelMs = 5_000;

export interface BuildOptions {
  readonly launcher: ProcessLauncher;
  readonly clock: Pick<Clock, 'after'>;
  readonly onEvent?: (event: BuildEvent) => void;
  /** Lines that native code in the process logs. */
  readonly onLog?: (line: string) => void;
  /** Stops the build; what is finished is kept, and the same request goes on with it. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a build in a process of its own.
 *
 * @returns the manifest; null after a dry run
 * @throws TypedError with the code of the room that refused; BuildError `cancelled`, or `process_died` when the
 *   process ended by itself: what was finished is kept then, too
 */
export function runBuild(
  request: BuildRequest,
  { launcher, clock, onEvent, onLog, signal }: BuildOptions,
): Promise<RouterManifest | null> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(stopped());
      return;
    }
    const child = launcher.launch('build', []);
    const log: string[] = [];
    let forget: () => void = () => undefined;
    const onAbort = () => {
      child.send({ type: 'cancel' });
      forget = clock.after(cancelMs, () => child.kill());
    };
    const settle = (act: () => void) => {
      forget();
      signal?.removeEventListener('abort', onAbort);
      child.kill();
      act();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    child.onLog((line) => {
      onLog?.(line);
      log.push(line);
      if (log.length > 20) log.shift();
    });
    child.onExit((exit) =>
      settle(() => reject(signal?.aborted === true ? stopped() : died(exit, log))),
    );
    child.onMessage((raw) => receive(raw, { request, child, onEvent, resolve, reject, settle }));
  });
}

interface Receiver {
  readonly request: BuildRequest;
  readonly child: ChildHandle;
  readonly onEvent: ((event: BuildEvent) => void) | undefined;
  readonly resolve: (manifest: RouterManifest | null) => void;
  readonly reject: (error: Error) => void;
  readonly settle: (act: () => void) => void;
}

function receive(raw: unknown, receiver: Receiver): void {
  const { request, child, onEvent, resolve, reject, settle } = receiver;
  const message = fromBuildSchema.safeParse(raw);
  if (!message.success) {
    const text = 'The build process sent something that is not understood.';
    settle(() => reject(new BuildError('process_died', text, { cause: message.error })));
    return;
  }
  const { data } = message;
  switch (data.type) {
    case 'ready':
      child.send({ type: 'build', request });
      return;
    case 'event':
      onEvent?.(data.event);
      return;
    case 'done':
      settle(() => resolve(data.manifest));
      return;
    case 'failed': {
      const { code, message: text, retryable } = data.failure;
      settle(() => reject(new TypedError(code, text, { retryable })));
      return;
    }
  }
}

function stopped(): BuildError {
  const text = 'The build was stopped. Start it again to go on.';
  return new BuildError('cancelled', text, { retryable: true });
}

function died(
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
  log: readonly string[],
): BuildError {
  const how = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
  const cause = log.length === 0 ? undefined : new Error(log.join('\n'));
  return new BuildError(
    'process_died',
    `The build process ended by ${how}. What was finished is kept: start the build again to go on.`,
    { retryable: true, cause },
  );
}
