/**
 * Entry of the build process: makes one router directory, then waits to be ended. Started by the program
 * under `child_process.fork` or Electron's `utilityProcess`, never imported. Its worker threads start from
 * this file, too, so that a bundled program needs no other.
 */
import { isMainThread } from 'node:worker_threads';
import { toFailure } from '../contracts/failure.ts';
import { toBuildSchema, type FromBuild } from './artifact/build-protocol.ts';
import { runBuildRequest } from './artifact/run-request.ts';
import { parentChannel } from './process/parent-channel.ts';

if (isMainThread) serveBuild();

function serveBuild(): void {
  const channel = parentChannel();
  const post = (message: FromBuild) => channel.post(message);
  const stop = new AbortController();
  // Whoever asked is gone; the build can be gone on with.
  channel.onClose(() => process.exit(0));
  channel.onMessage((raw) => {
    const message = toBuildSchema.safeParse(raw);
    if (!message.success) {
      post({ type: 'failed', failure: toFailure(message.error) });
      return;
    }
    if (message.data.type === 'cancel') {
      stop.abort();
      return;
    }
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    runBuildRequest(
      message.data.request,
      { clock, signal: stop.signal, emit: (event) => post({ type: 'event', event }) },
      new URL(import.meta.url),
    ).then(
      (manifest) => post({ type: 'done', manifest }),
      (error: unknown) => post({ type: 'failed', failure: toFailure(error) }),
    );
  });
  post({ type: 'ready' });
}
