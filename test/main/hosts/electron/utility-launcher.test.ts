import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { App, UtilityProcess } from 'electron';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProcessLauncher } from '../../../../contracts/ports.ts';
import { createUtilityLauncher } from '../../../../main/hosts/electron/utility-launcher.ts';
import { FakeUtilityProcess } from '../../../fakes/electron.ts';

let app: EventEmitter;
let children: FakeUtilityProcess[];
let timers: (() => void)[];
let launcher: ProcessLauncher;

beforeEach(() => {
  app = new EventEmitter();
  children = [];
  timers = [];
  launcher = createUtilityLauncher({
    app: app as unknown as App,
    clock: {
      now: () => 0,
      monotonic: () => 0,
      after: (_ms, callback) => {
        timers.push(callback);
        return () => undefined;
      },
    },
    entries: { route: '/out/route-process.js', build: '/out/build-process.js' },
    fork: (path, args, options) => {
      const child = new FakeUtilityProcess(path, args, { serviceName: options.serviceName ?? '' });
      children.push(child);
      return child as unknown as UtilityProcess;
    },
  });
});

/** Launches a route process and records its exits. */
function launch() {
  const handle = launcher.launch('route', ['--a', 'b']);
  const exits = vi.fn();
  handle.onExit(exits);
  const child = children.at(-1)!;
  const gone = (reason: string, exitCode: number, serviceName = child.options.serviceName) =>
    app.emit('child-process-gone', {}, { type: 'Utility', serviceName, reason, exitCode });
  return { handle, exits, child, gone };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a utility process', () => {
  it('is forked with its entry and arguments, and talks both ways', () => {
    const { handle, child } = launch();
    expect(child).toMatchObject({ path: '/out/route-process.js', args: ['--a', 'b'] });
    handle.send({ ask: 1 });
    expect(child.received).toEqual([{ ask: 1 }]);
    const messages = vi.fn();
    handle.onMessage(messages);
    child.emit('message', { answer: 2 });
    expect(messages).toHaveBeenCalledWith({ answer: 2 });
    child.pid = 42;
    expect(handle.pid).toBe(42);
  });

  it('tells its native log line by line', async () => {
    const { handle, child } = launch();
    const lines: string[] = [];
    handle.onLog((line) => lines.push(line));
    child.stderr.write('one\ntw');
    child.stderr.write('o\r\nthree');
    await settle();
    expect(lines).toEqual(['one', 'two']);
  });

  it('exits with 0 at once', async () => {
    const { exits, child } = launch();
    child.emit('exit', 0);
    await settle();
    expect(exits).toHaveBeenCalledExactlyOnceWith({ code: 0, signal: null });
  });

  it.each(['before', 'after'])(
    'is told to have died by a signal when the reason comes %s the exit',
    async (order) => {
      const { exits, child, gone } = launch();
      const trap = constants.signals.SIGTRAP;
      if (order === 'before') gone('crashed', trap);
      child.emit('exit', trap);
      if (order === 'after') gone('crashed', trap);
      timers.forEach((fire) => fire());
      await settle();
      expect(exits).toHaveBeenCalledExactlyOnceWith({ code: null, signal: 'SIGTRAP' });
    },
  );

  it('reads the signal out of a wait status with a core dump', async () => {
    const { exits, gone } = launch();
    gone('crashed', constants.signals.SIGSEGV | 0x80);
    await settle();
    expect(exits).toHaveBeenCalledExactlyOnceWith({ code: null, signal: 'SIGSEGV' });
  });

  it.each<[string, number, { code: number | null; signal: string | null }]>([
    ['abnormal-exit', 3, { code: 3, signal: null }],
    ['killed', 0x7f, { code: null, signal: 'SIGKILL' }],
    ['oom', 0x7f, { code: null, signal: 'oom' }],
    ['launch-failed', 1002, { code: null, signal: null }],
  ])('ends for the reason %s', async (reason, exitCode, expected) => {
    const { exits, gone } = launch();
    gone(reason, exitCode);
    await settle();
    expect(exits).toHaveBeenCalledExactlyOnceWith(expected);
  });

  it('keeps a code whose reason never comes', async () => {
    const { exits, child } = launch();
    child.emit('exit', 7);
    await settle();
    expect(exits).not.toHaveBeenCalled();
    timers.forEach((fire) => fire());
    await settle();
    expect(exits).toHaveBeenCalledExactlyOnceWith({ code: 7, signal: null });
  });

  it('does not take the end of another for its own, and tells late listeners', async () => {
    const first = launch();
    const second = launch();
    second.gone('crashed', 11);
    await settle();
    expect(first.exits).not.toHaveBeenCalled();
    const late = vi.fn();
    second.handle.onExit(late);
    await settle();
    expect(late).toHaveBeenCalledOnce();
    expect(app.listenerCount('child-process-gone')).toBe(1);
  });

  it('reports a fork that throws as an exit, with the reason as a log line', async () => {
    launcher = createUtilityLauncher({
      app: app as unknown as App,
      clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
      entries: { route: 'r', build: 'b' },
      fork: () => {
        throw new Error('not ready');
      },
    });
    const handle = launcher.launch('build', []);
    const exits = vi.fn();
    const lines: string[] = [];
    handle.onExit(exits);
    handle.onLog((line) => lines.push(line));
    await settle();
    expect(exits).toHaveBeenCalledExactlyOnceWith({ code: null, signal: null });
    expect(lines).toEqual(['not ready']);
    handle.send('nobody');
    handle.kill();
  });

  it("is killed by Electron's way when it has no process yet", () => {
    const { handle, child } = launch();
    handle.kill();
    expect(child.kills).toBe(1);
  });
});
