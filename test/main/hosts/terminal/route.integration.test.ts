import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeLogitsSchema } from '../../../../contracts/route.ts';
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
    expect(routeLogitsSchema.parse(printed)).toMatchObject({
      tokenCount: 13,
      hiddenIndex: 11,
      profile: 'cpu-f32',
      tokenizer: 'typed',
    });
    expect(printed['agentLogits']).toHaveLength(7);
    expect(printed['roleLogits']).toHaveLength(3);
    expect(printed).toMatchObject({
      transcriptHash: printed['routedHash'],
      roleName: ['Worker', 'Thinker', 'Verifier'][printed['roleId'] as number],
    });
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
    const calls: readonly (readonly [string[], RegExp])[] = [
      [[], /^$/],
      [['rote'], /unknown command/],
      [['route'], /either a prompt or --messages/],
      [['route', 'x', '--messages', path], /either a prompt or --messages/],
      [['route', '--messages', path], /messages\[0\.role\]/],
      [['route', '--messages', join(home, 'none.json')], /cannot be read/],
      [['route', 'x', '--profile', 'tpu'], /cpu-f32/],
      [['route', 'x', '--nonsense'], /unknown option/],
    ];
    const runs = await Promise.all(calls.map(([args]) => trinity(...args)));
    runs.forEach((run, index) => {
      expect(run.code, calls[index]![0].join(' ')).toBe(2);
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
