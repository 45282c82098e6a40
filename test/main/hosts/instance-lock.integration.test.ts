import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askInstance, lockInstance } from '../../../main/hosts/instance-lock.ts';

const holderScript = fileURLToPath(new URL('hold-instance.ts', import.meta.url));

let directory: string;
let holder: ChildProcess | null = null;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'trinity-lock-'))));
afterEach(() => {
  holder?.kill('SIGKILL');
  holder = null;
  rmSync(directory, { recursive: true, force: true });
});

/** Another process that holds the directory; resolves when it answers. */
async function startHolder(): Promise<ChildProcess> {
  holder = spawn(process.execPath, [holderScript, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout!, 'data');
  return holder;
}

describe('the instance lock', () => {
  it('is held once, and answers those who come later', async () => {
    await startHolder();
    expect(lockInstance(directory)).toBeNull();
    expect(await askInstance(directory, 'url')).toEqual({ host: 'browser', url: 'asked for url' });
    expect(await askInstance(directory, 'hand-over')).toEqual({
      host: 'browser',
      url: 'asked for hand-over',
    });
  });

  it('is free again when its holder is killed, whatever it left behind', async () => {
    const child = await startHolder();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(directory, 'instance.json'))).toBe(true);
    expect(await askInstance(directory, 'url')).toBeNull();
    const lock = lockInstance(directory);
    expect(lock).not.toBeNull();
    await lock!.answerWith(() => ({ host: 'electron', url: null }));
    expect(await askInstance(directory, 'hand-over')).toEqual({ host: 'electron', url: null });
    lock!.release();
  });

  it('is free again after a release, which leaves nothing to ask and may be repeated', async () => {
    const lock = lockInstance(directory)!;
    await lock.answerWith(() => ({ host: 'browser', url: 'x' }));
    lock.release();
    lock.release();
    expect(await askInstance(directory, 'url')).toBeNull();
    expect(existsSync(join(directory, 'instance.json'))).toBe(false);
    expect(existsSync(join(directory, 'instance.sock'))).toBe(false);
  });

  it('says so when its holder does not answer', async () => {
    const lock = lockInstance(directory)!;
    await expect(askInstance(directory, 'url', 200)).rejects.toMatchObject({
      code: 'instance_busy',
      message: expect.stringContaining(directory),
    });
    lock.release();
  });

  it('answers nobody without the secret that only the owner of the directory can read', async () => {
    const lock = lockInstance(directory)!;
    await lock.answerWith(() => ({ host: 'browser', url: 'x' }));
    const record = JSON.parse(readFileSync(join(directory, 'instance.json'), 'utf8')) as {
      address: string;
    };
    for (const line of [JSON.stringify({ secret: 'guess', ask: 'url' }), 'no json', '']) {
      const socket = createConnection(record.address);
      const received: string[] = [];
      socket.on('data', (chunk) => received.push(String(chunk)));
      socket.write(`${line}\n`);
      await once(socket, 'close');
      expect(received).toEqual([]);
    }
    for (const name of ['instance.json', 'instance.lock', 'instance.sock']) {
      expect(statSync(join(directory, name)).mode & 0o077, name).toBe(0);
    }
    lock.release();
  });

  it('works in a directory whose path is too long for a socket', async () => {
    const deep = join(directory, 'd'.repeat(120));
    mkdirSync(deep);
    const lock = lockInstance(deep)!;
    await lock.answerWith(() => ({ host: 'browser', url: 'deep' }));
    expect(await askInstance(deep, 'url')).toEqual({ host: 'browser', url: 'deep' });
    lock.release();
  });
});
