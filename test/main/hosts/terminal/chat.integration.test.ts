import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEventSchema, type RunEvent } from '../../../../contracts/events.ts';
import { Keyboard, trinityHere, type InProcessOptions } from './chat/in-process.ts';
import { runTrinity } from './run-trinity.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'trinity chat-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const dataDirectory = (): string => join(home, 'data');

function trinity(args: readonly string[], options: Partial<InProcessOptions> = {}) {
  return trinityHere(args, { dataDirectory: dataDirectory(), cwd: home, ...options });
}

/** A rehearsal script in a file. */
function script(name: string, entries: readonly object[]): string {
  const path = join(home, name);
  writeFileSync(path, JSON.stringify({ version: 1, entries }));
  return path;
}

function eventsOf(stdout: string): RunEvent[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => runEventSchema.parse(JSON.parse(line)));
}

/** Conversations in the data directory, with what their runs were asked. */
function keptTasks(): string[][] {
  const database = new DatabaseSync(join(dataDirectory(), 'trinity.sqlite'), { readOnly: true });
  try {
    const tasks = database.prepare(
      'SELECT task FROM runs WHERE conversation_id = ? ORDER BY started_at, id',
    );
    return database
      .prepare('SELECT id FROM conversations ORDER BY updated_at')
      .all()
      .map((row) => tasks.all(String(row['id'])).map((run) => String(run['task'])));
  } finally {
    database.close();
  }
}

describe('trinity chat with a message', () => {
  it('says which command binds a slot, while none is bound', async () => {
    const unbound = await trinity(['chat', '--agents', 'slots', '--json', 'What is 17 + 25?']);
    expect(unbound.code).toBe(1);
    expect(unbound.stderr).toMatch(/No slot is bound.*`trinity slots set .*`--agents rehearsal`/);
    expect(eventsOf(unbound.stdout).at(-1)).toMatchObject({ code: 'no_agent_available' });
    const binding = ['--provider', 'rehearsal', '--model', 'scripted'];
    expect(await trinity(['slots', 'set', '0', ...binding])).toMatchObject({ code: 0 });
    const bound = await trinity(['chat', '--agents', 'slots', 'What is 17 + 25?']);
    expect(bound.stderr).not.toContain('No slot is bound');
    expect(await trinity(['slots', 'clear', '0'])).toMatchObject({ code: 0 });
  });

  it('goes from Worker to Verifier on the demo router, is accepted, and keeps nothing', async () => {
    const replies = script('replies.json', [
      { when: { role: 'Worker' }, reasoning: 'Adding greenly.', reply: 'It is blorbs.' },
      { when: { role: 'Verifier' }, reply: 'ACCEPT: flawless.' },
    ]);
    const options = ['--json', '--script', replies, '--trace', 'run.jsonl'];
    const run = await trinity(['chat', ...options, 'What is 17 + 25?']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const events = eventsOf(run.stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const endings = events.filter(({ type }) => type === 'run_completed' || type === 'run_failed');
    expect(endings).toMatchObject([{ status: 'accepted', answer: 'It is blorbs.' }]);
    expect(events.at(-1)).toBe(endings[0]);
    const turns = events.filter((event) => event.type === 'turn_completed');
    expect(turns.map(({ role }) => role)).toEqual(['Worker', 'Verifier']);

    const trace = readFileSync(join(home, 'run.jsonl'), 'utf8');
    expect(trace.trimEnd().split('\n')).toHaveLength(events.length);
    for (const said of ['What is', '17 + 25', 'greenly', 'blorbs', 'flawless', 'It is']) {
      expect(trace).not.toContain(said);
    }
    const kept = readdirSync(dataDirectory()).filter((name) => /sqlite|traces|history/.test(name));
    expect(kept).toEqual([]);
  });

  it('shows bars and the ending, and keeps the conversation when it is told to', async () => {
    const run = await trinity(['chat', '--save', '--max-turns', '3', 'What is 17 + 25?']);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^demo router, untrained.*rehearsal agents/);
    expect(run.stdout.match(/^turn \d: \w+ by slot \d/gm)).toHaveLength(2);
    expect(run.stdout).toMatch(/^accepted after 2 turns/m);
    expect(keptTasks()).toContainEqual(['What is 17 + 25?']);
    expect(readdirSync(join(dataDirectory(), 'traces'))).toHaveLength(1);
  });

  it('stops at Ctrl-C, keeps the partial text, and says so', async () => {
    const stall = script('stall.json', [{ reply: 'Partly said', stall: 'after' }]);
    const run = await runTrinity(['chat', '--save', '--script', stall, 'Stop me.'], {
      env: { TRINITY_HOME: dataDirectory() },
      interruptAt: /Partly said/,
    });
    expect(run.stdout).toMatch(/Partly said\ncut off\nstopped/);
    expect(run.code).toBe(1);
    expect(keptTasks()).toContainEqual(['Stop me.']);
  });

  it('ends with 1 and the reason when no answer comes', async () => {
    const broken = script('broken.json', [{ error: { code: 'no_credit' } }]);
    const run = await trinity(['chat', '--script', broken, 'Hello.']);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/\(no_credit\)/);
  });

  it('draws its choices the same way with the same seed', async () => {
    const drawn = async (...options: string[]) => {
      const selected = ['--json', '--select', 'sample', '--temperature', '50', ...options];
      const run = await trinity(['chat', ...selected, 'What is 17 + 25?']);
      return eventsOf(run.stdout).flatMap((event) =>
        event.type === 'routed' ? [event.decision] : [],
      );
    };
    const chosen = (decisions: Awaited<ReturnType<typeof drawn>>) =>
      decisions.map(({ slot, role }) => [slot.raw, role.raw]);
    const first = await drawn('--seed', '3');
    expect(first[0]?.selection).toEqual({ mode: 'sample', temperature: 50, seed: 3 });
    expect(chosen(await drawn('--seed', '3'))).toEqual(chosen(first));
  });

  it('is refused with 2 for a mistake in the call', async () => {
    writeFileSync(join(home, 'there.jsonl'), 'mine');
    const calls = [
      ['chat', ' '],
      ['chat', '--max-turns', '0', 'x'],
      ['chat', '--agents', 'nobody', 'x'],
      ['chat', '--select', 'luck', 'x'],
      ['chat', '--temperature', '0', 'x'],
      ['chat', '--temperature', '-1', 'x'],
      ['chat', '--temperature', 'warm', 'x'],
      ['chat', '--seed', '1.5', 'x'],
      ['chat', '--seed', '1', 'x'],
      ['chat', '--script', 'none.json', 'x'],
      ['chat', '--trace', 'there.jsonl', 'x'],
    ];
    for (const call of calls) expect((await trinity(call)).code, call.join(' ')).toBe(2);
    expect(readFileSync(join(home, 'there.jsonl'), 'utf8')).toBe('mine');
  });
});

describe('trinity chat line by line', () => {
  it('pins, asks what-if, remembers what was said, and keeps it all after /save', async () => {
    const input = [
      '/pin slot 3',
      '/route Is this first?',
      'First message.',
      '/pin off',
      '/system Be brief.',
      '/save',
      'Second message.',
      '/history',
      '/nonsense',
      '/exit',
      'Never read.',
    ].join('\n');
    const run = await trinity(['chat'], { input });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^what if: \w+ by slot 3/m);
    expect(run.stdout).toMatch(/slot pinned/);
    expect(run.stdout).toMatch(/^System prompt: Be brief\.$/m);
    expect(run.stdout.match(/^accepted after/gm)).toHaveLength(2);
    expect(run.stdout).toMatch(/^you: First message\.$[\s\S]*^you: Second message\.$/m);
    expect(run.stderr).toMatch(/no command \/nonsense/);
    expect(keptTasks()).toContainEqual(['First message.', 'Second message.']);
    expect(JSON.stringify(keptTasks())).not.toContain('Never read.');
  });

  it('does not pin a slot that the router does not have', async () => {
    const run = await trinity(['chat'], { input: '/pin slot 99\n/pin\nHello.\n' });
    expect(run.stderr).toMatch(/no slot 99: this router has slots 0 to 6/);
    expect(run.stdout).toMatch(/^Nothing is pinned\.$/m);
    expect(run.stdout).toMatch(/^accepted after/m);
  });

  it('prints events alone with --json, and traces every run to a file of its own', async () => {
    const run = await trinity(['chat', '--json', '--trace', 'each.jsonl'], {
      input: 'One.\nTwo.\n',
    });
    const events = eventsOf(run.stdout);
    expect(events.filter(({ type }) => type === 'run_completed')).toHaveLength(2);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(2);
    expect(readdirSync(home)).toEqual(expect.arrayContaining(['each.jsonl', 'each-2.jsonl']));
  });

  it('is stopped by Ctrl-C at the keyboard, goes on, and is ended by the second one', async () => {
    const stall = script('stall-once.json', [
      { times: 1, reply: 'Partly said', stall: 'after' },
      { reply: 'Said whole.' },
    ]);
    const ctrlC = '\u0003';
    const keyboard = new Keyboard([
      [/› /, 'Stop me.\r'],
      [/Partly said/, ctrlC],
      [/stopped; what had arrived is kept[\s\S]*› /, '/pin role worker\r'],
      [/Pinned[\s\S]*› /, ctrlC],
      [/again ends/, ctrlC],
    ]);
    const run = await trinity(['chat', '--script', stall], { keyboard });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/Not kept/) });
    expect(run.stdout).toMatch(/Partly said\ncut off\nstopped/);
  });

  it('ends the run in progress at the second Ctrl-C at the keyboard', async () => {
    const stall = script('stall.json', [{ reply: 'Partly said', stall: 'after' }]);
    const keyboard = new Keyboard([
      [/› /, 'Stop me.\r'],
      [/Partly said/, '\u0003\u0003'],
    ]);
    const run = await trinity(['chat', '--script', stall], { keyboard });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/stopped; what had arrived is kept/);
  });
});
