import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import type { ReplayedRoute } from '../../../../coordinator/replay.ts';
import type { TerminalContext } from '../../../../main/hosts/terminal/context.ts';
import { runTerminal } from '../../../../main/hosts/terminal/program.ts';
import type { TraceReport } from '../../../../main/traces/verify.ts';
import { skipUnless } from '../../../fixtures/skip.ts';
import { eventfulRun, writeTrace } from '../../traces/traced-run.ts';
import { runTrinity, type TrinityRun } from './run-trinity.ts';

let folder = '';
let hashed = '';
let full = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-trace-'));
  const hostile = { task: 'What is 6 times 7?\u001b[2J\u001b]0;title\u0007' };
  const events = await eventfulRun(hostile);
  hashed = (await writeTrace(join(folder, 'hash'), events)).writer.path;
  full = (await writeTrace(join(folder, 'full'), events, { content: 'full' })).writer.path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program in this process: nothing here starts another. */
async function trinity(...args: string[]): Promise<TrinityRun> {
  let stdout = '';
  let stderr = '';
  const context: TerminalContext = {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    stdin: Readable.from([]),
    env: {},
    cwd: folder,
    signal: new AbortController().signal,
    launcher: {
      launch: () => {
        throw new Error('no process is started here');
      },
    },
  };
  const code = await runTerminal(['--data-dir', join(folder, 'data'), ...args], context, '0');
  return { code, stdout, stderr };
}

describe('trinity trace show', () => {
  it('tells the run turn by turn, without text where there is none', async () => {
    const { code, stdout } = await trinity('trace', 'show', join('hash', 'run-1.jsonl'));
    expect(code).toBe(0);
    expect(stdout).toContain('turn 5');
    expect(stdout).toContain('slot 0 instead of 1 (failed over router');
    expect(stdout).toContain('suggested in turn 1');
    expect(stdout).toContain('ended: accepted, with an answer');
    expect(stdout).not.toContain('6 times 7');
  });

  it('shows texts and bars, and lets no control sequence of a text through', async () => {
    const { code, stdout } = await trinity('trace', 'show', '--bars', full);
    expect(code).toBe(0);
    expect(stdout).toContain('| What is 6 times 7?');
    expect(stdout).toMatch(/slot 1.*5\.000/);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f]/);
  });
});

describe('a trace that cannot be opened', () => {
  it.each(['show', 'verify', 'replay'])('is told by its kind: trace %s', async (command) => {
    const nowhere = join(folder, 'nope');
    expect(await trinity('trace', command, 'nope')).toMatchObject({
      code: 1,
      stderr: `error: There is no trace at ${nowhere}. (unreadable)\n`,
    });
    expect(await trinity('trace', command, join(hashed, 'below'))).toMatchObject({
      code: 1,
      stderr: `error: There is no trace at ${join(hashed, 'below')}. (unreadable)\n`,
    });
    expect(await trinity('trace', command, folder)).toMatchObject({
      code: 1,
      stderr: `error: ${folder} is no regular file. (unreadable)\n`,
    });
    expect((await trinity('trace', command, 'n'.repeat(300))).stderr).toContain('ENAMETOOLONG');
  });

  const hasBounds = process.platform !== 'win32' && process.getuid?.() !== 0;
  skipUnless(hasBounds, 'no file is unreadable to this user').it(
    'is told by its kind where it may not be read',
    async () => {
      const path = join(folder, 'closed.jsonl');
      writeFileSync(path, '', { mode: 0o000 });
      expect((await trinity('trace', 'show', path)).stderr).toBe(
        `error: The trace ${path} cannot be read: access to it is refused. (unreadable)\n`,
      );
    },
  );
});

describe('a file that is no trace', () => {
  const beginning = 'it does not begin with the first event of a run';
  it.each<[string, string | Buffer, string]>([
    ['is prose', 'Hello.\n', beginning],
    ['is empty', '', 'it is empty'],
    ['holds bytes that are no text', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x0a]), beginning],
  ])('is refused by every command where it %s', async (_, content, reason) => {
    const path = join(folder, 'no-trace');
    writeFileSync(path, content);
    for (const command of ['show', 'verify', 'replay']) {
      expect(await trinity('trace', command, path), command).toEqual({
        code: 1,
        stdout: '',
        stderr: `error: ${path} is no trace: ${reason}. (not_a_trace)\n`,
      });
    }
  });
});

describe('trinity trace verify', () => {
  it('finds a trace right', async () => {
    const { code, stdout } = await trinity('trace', 'verify', hashed);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('schema, order, chain and decisions agree') as string,
    });
  });

  it('fails for a changed one and says where', async () => {
    const path = join(folder, 'changed.jsonl');
    writeFileSync(path, readFileSync(hashed, 'utf8').replace('"agentMargin":5', '"agentMargin":6'));
    const { code, stdout } = await trinity('trace', 'verify', '--json', path);
    expect(code).toBe(1);
    const { problems } = JSON.parse(stdout) as TraceReport;
    expect(problems.map(({ check }) => check)).toEqual(['decision', 'chain']);
  });
});

describe('trinity trace replay', () => {
  it('decides the same as the chat that was traced with its text', async () => {
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    const settings = { version: 1, traces: { content: 'full' } };
    writeFileSync(join(data, 'settings.json'), JSON.stringify(settings));
    const trace = join(folder, 'chat.jsonl');
    const chat = await runTrinity(['--data-dir', data, 'chat', 'Is 42 even?', '--trace', trace]);
    expect(chat).toMatchObject({ code: 0 });
    expect(await trinity('trace', 'verify', trace)).toMatchObject({ code: 0 });
    const { code, stdout } = await runTrinity(['--data-dir', data, 'trace', 'replay', trace]);
    expect(stdout).toMatch(/^turn 1: the same: slot \d, Worker, logits within 0\.0e\+0\n/);
    expect(code).toBe(0);
  });

  it('routes the recorded transcripts through a real router and tells other decisions', async () => {
    const { code, stdout } = await runTrinity([
      '--data-dir',
      join(folder, 'data'),
      'trace',
      'replay',
      '--json',
      full,
    ]);
    const routes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ReplayedRoute);
    expect(routes.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5]);
    expect(routes.every(({ sameTranscript }) => sameTranscript)).toBe(true);
    // The trace was made by a script with three slots; the demo router has others.
    expect(
      routes.every(({ sameRouter, logitDifference }) => !sameRouter && logitDifference === null),
    ).toBe(true);
    const differs = routes.some(
      ({ slot, role }) => slot.now !== slot.recorded || role.now !== role.recorded,
    );
    expect(code).toBe(differs ? 1 : 0);
  });

  it('says that there is nothing to route in a trace of hashes', async () => {
    const { code, stderr } = await trinity('trace', 'replay', hashed);
    expect(code).toBe(1);
    expect(stderr).toContain('no_text');
  });
});
