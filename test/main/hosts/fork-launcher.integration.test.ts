import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForkLauncher } from '../../../main/hosts/fork-launcher.ts';

let folder: string;
let entry: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity fork é '));
  entry = join(folder, 'child.mjs');
  await writeFile(
    entry,
    `process.on('message', (message) => {
      if (message === 'log') process.stderr.write('one\\ntwo\\n');
      else if (message === 'exit') process.exit(7);
      else process.send({ got: message, args: process.argv.slice(2), mark: process.env.MARK });
    });
    process.send('ready');`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

function launch(path: string) {
  const child = createForkLauncher({
    env: { MARK: 'from the host' },
    entries: { route: path },
  }).launch('route', ['--a']);
  const messages: unknown[] = [];
  const lines: string[] = [];
  const exits: unknown[] = [];
  child.onMessage((message) => messages.push(message));
  child.onLog((line) => lines.push(line));
  child.onExit((exit) => exits.push(exit));
  return { child, messages, lines, exits };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the fork launcher', () => {
  it('carries structured messages, arguments, the environment it was given and log lines', async () => {
    const { child, messages, lines, exits } = launch(entry);
    await until(() => messages.length === 1);
    child.send(new Map([['a', Float32Array.of(1.5)]]));
    child.send('log');
    await until(() => messages.length === 2 && lines.length === 2);
    expect(messages[1]).toEqual({
      got: new Map([['a', Float32Array.of(1.5)]]),
      args: ['--a'],
      mark: 'from the host',
    });
    expect(lines).toEqual(['one', 'two']);
    child.send('exit');
    await until(() => exits.length > 0);
    child.send('too late');
    child.kill();
    expect(exits).toEqual([{ code: 7, signal: null }]);
  });

  it('tells a kill by its signal, once', async () => {
    const { child, messages, exits } = launch(entry);
    await until(() => messages.length === 1);
    child.kill();
    await until(() => exits.length > 0);
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL' }]);
  });

  it('tells of an entry that is not there as of any other end', async () => {
    const { exits } = launch(join(folder, 'nothing.mjs'));
    await until(() => exits.length > 0);
    expect(exits).toEqual([{ code: 1, signal: null }]);
  });
});
