import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeLogitsSchema } from '../../../../contracts/route.ts';
import { maxMessagesBytes } from '../../../../main/hosts/terminal/messages-file.ts';
import { runTrinity, type TrinityRun } from './run-trinity.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'trinity ünï-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function trinity(...args: string[]): Promise<TrinityRun> {
  return runTrinity(args, { env: { TRINITY_HOME: join(home, 'data') } });
}

describe('trinity route', () => {
  it('routes a prompt through the demo router and prints everything as one object', async () => {
    const run = await trinity('route', '--json', 'Select a TRINITY role for this reasoning task.');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const printed = JSON.parse(run.stdout) as Record<string, unknown>;
    const { agentLogits, roleLogits } = routeLogitsSchema.parse(printed);
    expect(routeLogitsSchema.parse(printed)).toMatchObject({
      tokenCount: 13,
      hiddenIndex: 11,
      profile: 'cpu-f32',
      tokenizer: 'typed',
    });
    expect(agentLogits).toHaveLength(7);
    expect(roleLogits).toHaveLength(3);
    const descending = (values: readonly number[]) => [...values].sort((a, b) => b - a);
    const [agentBest = 0, agentSecond = 0] = descending(agentLogits);
    const [roleBest = 0, roleSecond = 0] = descending(roleLogits);
    const canonical =
      '[{"content":"Select a TRINITY role for this reasoning task.","role":"user"}]';
    const hash = `v1:${createHash('sha256').update(canonical).digest('hex')}`;
    expect(agentBest - agentSecond).toBeGreaterThan(0);
    expect(printed).toMatchObject({
      agentId: agentLogits.indexOf(agentBest),
      roleId: roleLogits.indexOf(roleBest),
      roleName: ['Worker', 'Thinker', 'Verifier'][roleLogits.indexOf(roleBest)],
      agentMargin: agentBest - agentSecond,
      roleMargin: roleBest - roleSecond,
      transcriptHash: hash,
      routedHash: hash,
    });
    // A choice of slot 0 would not tell the largest logit from the first.
    expect(printed['agentId']).not.toBe(0);
  });
  it('shows a bar a slot and a role, and says that the demo is untrained', async () => {
    const run = await trinity('route', 'Hello');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/demo router, untrained/);
    expect(run.stdout.match(/^[▶▷ ] (\d demo|Worker|Thinker|Verifier)/gm)).toHaveLength(10);
    expect(run.stdout).not.toContain('\u001b[');
  });
  it('reads a transcript from a file, and the same one gives the same logits', async () => {
    const path = join(home, 'transcript.json');
    writeFileSync(path, JSON.stringify([{ role: 'user', content: 'Hello' }]));
    const [fromFile, fromPrompt] = await Promise.all([
      trinity('route', '--json', '--messages', path),
      trinity('route', '--json', 'Hello'),
    ]);
    const logits = (run: TrinityRun): unknown =>
      (JSON.parse(run.stdout) as { agentLogits: unknown }).agentLogits;
    expect(logits(fromFile)).toEqual(logits(fromPrompt));
  });
  it('reads a long transcript as a chat does and says what it left out; --whole reads everything', async () => {
    const path = join(home, 'long.json');
    const messages = Array.from({ length: 41 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `number ${index} `.repeat(20),
    }));
    writeFileSync(path, JSON.stringify(messages));
    const [shown, printed, whole, wholePrinted] = await Promise.all([
      trinity('route', '--messages', path),
      trinity('route', '--json', '--messages', path),
      trinity('route', '--whole', '--messages', path),
      trinity('route', '--whole', '--json', '--messages', path),
    ]);
    const windowed = routeLogitsSchema.parse(JSON.parse(printed.stdout));
    expect(windowed.window.omitted).toBeGreaterThan(0);
    expect(shown.stdout).toContain(
      `${windowed.window.omitted} messages left out, as in a chat; --whole reads everything\n`,
    );
    const everything = routeLogitsSchema.parse(JSON.parse(wholePrinted.stdout));
    expect(everything.window).toEqual({ limit: null, omitted: 0, cut: 0 });
    expect(everything.tokenCount).toBeGreaterThan(2048);
    expect(whole.stdout).not.toContain('left out');
  });
  it('says that a long message was cut; --whole refuses what is longer than it may read', async () => {
    const path = join(home, 'one-long.json');
    writeFileSync(path, JSON.stringify([{ role: 'user', content: 'word '.repeat(20_001) }]));
    const [shown, whole] = await Promise.all([
      trinity('route', '--messages', path),
      trinity('route', '--whole', '--messages', path),
    ]);
    expect(shown.stdout).toContain('1 message cut short, as in a chat; --whole reads everything\n');
    expect(whole.code).toBe(1);
    expect(whole.stderr).toMatch(/100005 characters; at most 100000 are read/);
  });
  it('takes --data-dir before the command and after it', async () => {
    const data = join(home, 'data');
    const [before, after] = await Promise.all([
      runTrinity(['--data-dir', data, 'models', 'list']),
      runTrinity(['models', 'list', '--data-dir', data]),
    ]);
    expect(before).toMatchObject({ code: 0, stderr: '' });
    expect(after).toEqual(before);
    expect(after.stdout).toContain('demo');
  });
  it('keeps its data to the owner', () => {
    expect(statSync(join(home, 'data')).mode & 0o777).toBe(0o700);
  });
});

describe('exit codes', () => {
  it('are 2 for a mistake in the call, which stderr explains', async () => {
    const path = join(home, 'bad.json');
    writeFileSync(path, '[{"role":"tool","content":"x"}]');
    const prose = join(home, 'prose.txt');
    writeFileSync(prose, 'Hello.');
    const huge = join(home, 'huge.json');
    writeFileSync(huge, '[]');
    truncateSync(huge, maxMessagesBytes + 1);
    const calls: readonly (readonly [string[], RegExp])[] = [
      [[], /^$/],
      [['rote'], /unknown command/],
      [['route'], /either a prompt or --messages/],
      [['route', 'x', '--messages', path], /either a prompt or --messages/],
      [['route', '--messages', path], /messages\[0\.role\]/],
      [
        ['route', '--messages', join(home, 'none.json')],
        new RegExp(`^error: there is no file at ${home}/none\\.json$`, 'm'),
      ],
      [['route', '--messages', home], new RegExp(`^error: ${home} is a folder; name a file$`, 'm')],
      [['route', '--messages', prose], /prose\.txt is not JSON: /],
      [['route', '--messages', huge], /huge\.json is larger than 16777216 bytes/],
      [['chat', 'x', '--script', 'none.json'], /^error: there is no file at none\.json$/m],
      [['route', ''], /the prompt is empty/],
      [['route', ' '], /the prompt is empty/],
      [['chat', ''], /the message is empty/],
      [['route', 'x', '--profile', 'tpu'], /cpu-f32/],
      [['route', 'x', '--nonsense'], /unknown option/],
    ];
    const runs = await Promise.all(calls.map(([args]) => trinity(...args)));
    runs.forEach((run, index) => {
      expect(run.code, `${calls[index]![0].join(' ')}: ${run.stderr}`).toBe(2);
      expect(run.stderr).toMatch(calls[index]![1]);
    });
  });
  it('are 1 for a router that is not there, named in the sentence', async () => {
    const run = await trinity('route', '--router', 'nowhere', 'x');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/no router "nowhere".*\(router_not_found\)/);
  });
  it('are 0 for help, everywhere', async () => {
    const runs = await Promise.all([
      trinity('--help'),
      trinity('route', '--help'),
      trinity('doctor', '--help'),
    ]);
    for (const run of runs) {
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/^Usage: trinity/);
    }
  });
});

describe('trinity doctor', () => {
  it('names every profile with its availability or the reason against it', async () => {
    const run = await trinity('doctor', '--json');
    const report = JSON.parse(run.stdout) as {
      profiles: { id: string; availability: { state: string; reason?: string } }[];
    };
    expect(report.profiles.map((profile) => profile.id)).toEqual([
      'cpu-f32',
      'cpu-8bit',
      'cpu-int8',
      'webgpu',
      'cuda',
      'directml',
      'coreml',
    ]);
    for (const { id, availability } of report.profiles) {
      if (availability.state === 'unavailable') expect(availability.reason, id).not.toBe('');
    }
    expect(report.profiles[0]?.availability.state).toBe('available');
  });

  it('says on stderr that the settings are broken, and leaves them to who reads them', async () => {
    const settings = join(home, 'data', 'settings.json');
    writeFileSync(settings, '{broken');
    const run = await trinity('doctor', '--json');
    rmSync(settings);
    expect(run).toMatchObject({
      code: 0,
      stderr: `note: ${settings} is not valid: it is not JSON.\n`,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ dataDirectory: join(home, 'data') });
  });
});
