import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildEvent } from '../../../contracts/build.ts';
import type { ChildHandle, ProcessLauncher } from '../../../contracts/ports.ts';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import { runBuild } from '../../../model-runtime/artifact/build-client.ts';
import { lockDirectory } from '../../../model-runtime/artifact/directory-lock.ts';
import { createForkLauncher } from '../../../main/hosts/fork-launcher.ts';
import { contents, openWorkbench, toolsFor, type Workbench } from './workbench.ts';

const state: { bench: Workbench; reference: Map<string, Buffer> } = {} as never;
const launcher = createForkLauncher({ env: process.env });
const clock = {
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const isProgress = (event: BuildEvent) => event.type === 'progress';

beforeAll(async () => {
  state.bench = await openWorkbench();
  await buildRouter(state.bench.request(), toolsFor());
  state.reference = await contents(state.bench.request().out);
  await rm(state.bench.request().out, { recursive: true });
});
afterAll(() => state.bench.remove());

describe('the build process', () => {
  it('builds the same bytes, tells how far it is, and ends', async () => {
    const { bench, reference } = state;
    const events: BuildEvent[] = [];
    const handles: ChildHandle[] = [];
    const watched: ProcessLauncher = {
      launch: (entry, args) => {
        const handle = launcher.launch(entry, args);
        handles.push(handle);
        return handle;
      },
    };
    const ended = Promise.withResolvers<void>();
    const manifest = await runBuild(bench.request({ workers: 2 }), {
      launcher: watched,
      clock,
      onEvent: (event) => events.push(event),
    });
    handles[0]!.onExit(() => ended.resolve());
    expect(manifest?.status).toBe('complete');
    expect(await contents(bench.request().out)).toEqual(reference);
    expect(events.some(isProgress)).toBe(true);
    expect(events.at(-1)?.type).toBe('finished');
    await ended.promise;
    await rm(bench.request().out, { recursive: true });
  });

  it('hands on what its native code logs, and keeps the last lines for the error of its end', async () => {
    const { bench } = state;
    const shell: ProcessLauncher = {
      launch: () => {
        const child = spawn('sh', ['-c', 'echo first >&2; echo second >&2; exit 7']);
        const lines = createInterface({ input: child.stderr });
        return {
          pid: child.pid,
          send: () => undefined,
          onMessage: () => undefined,
          onExit: (listener) => child.on('close', (code, signal) => listener({ code, signal })),
          onLog: (listener) => lines.on('line', listener),
          kill: () => child.kill('SIGKILL'),
        };
      },
    };
    const logged: string[] = [];
    const built = runBuild(bench.request(), {
      launcher: shell,
      clock,
      onLog: (line) => logged.push(line),
    });
    await expect(built).rejects.toMatchObject({
      code: 'process_died',
      message: expect.stringContaining('exit code 7'),
      cause: { message: 'first\nsecond' },
    });
    expect(logged).toEqual(['first', 'second']);
  });

  it('stops when asked and goes on later to the same bytes', async () => {
    const { bench, reference } = state;
    const stop = new AbortController();
    const onEvent = ({ type }: BuildEvent) => {
      if (type === 'tensor_finished') stop.abort();
    };
    await expect(
      runBuild(bench.request({ workers: 1 }), { launcher, clock, onEvent, signal: stop.signal }),
    ).rejects.toThrowError(expect.objectContaining({ code: 'cancelled', retryable: true }));
    await runBuild(bench.request({ workers: 2 }), { launcher, clock });
    expect(await contents(bench.request().out)).toEqual(reference);
  });

  it('is refused by name while another process builds the same directory', async () => {
    const { bench } = state;
    const out = `${bench.folder}/held`;
    const lock = lockDirectory(out);
    await expect(runBuild(bench.request({ out }), { launcher, clock })).rejects.toThrowError(
      expect.objectContaining({
        code: 'build_in_progress',
        message: expect.stringContaining(out),
      }),
    );
    lock.release();
  });

  it('hands on the error of the room that refused', async () => {
    const { bench } = state;
    await expect(
      runBuild(bench.request({ onlyTensor: 'x' }), { launcher, clock }),
    ).rejects.toThrowError(expect.objectContaining({ code: 'unknown_tensor' }));
  });

  it('that dies is told with how it died', async () => {
    const { bench } = state;
    const killing: ProcessLauncher = {
      launch: (entry, args) => {
        const handle = launcher.launch(entry, args);
        handle.onMessage(() => handle.kill());
        return handle;
      },
    };
    await expect(runBuild(bench.request(), { launcher: killing, clock })).rejects.toThrowError(
      expect.objectContaining({
        code: 'process_died',
        message: expect.stringContaining('SIGKILL'),
      }),
    );
  });
});
