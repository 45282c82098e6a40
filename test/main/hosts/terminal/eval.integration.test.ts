import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssembledResult } from '../../../../main/evals/assembled.ts';
import type { SnapshotCase } from '../../../../main/evals/snapshot.ts';
import { trinityHere } from './chat/in-process.ts';
import { runTrinity, type TrinityRun } from './run-trinity.ts';

let home = '';
let whole: AssembledResult;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'trinity eval-'));
  file('suite.jsonl', suite.map((entry) => JSON.stringify(entry)).join('\n'));
  // What the demo router chooses is not ours to know; everything else is held against this first run.
  const run = await trinity(['eval', '--suite', 'suite.jsonl', '--json', '--out', 'whole.jsonl']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  whole = JSON.parse(run.stdout) as AssembledResult;
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const suite = [
  { id: 'sum', prompt: 'What is 2 + 2?', tags: ['maths'] },
  { id: 'proof', prompt: 'Prove that there are infinitely many primes.', tags: ['maths'] },
  { id: 'letter', prompt: 'Write a letter to my landlord.', tags: ['writing'] },
  { id: 'judge', messages: [{ role: 'user', content: 'Judge 2 + 2 = 5.' }], tags: ['checking'] },
];

function file(name: string, content: string): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

const read = (name: string): string => readFileSync(join(home, name), 'utf8');

function trinity(args: readonly string[], interruptAt?: RegExp): Promise<TrinityRun> {
  const options = { dataDirectory: join(home, 'data'), cwd: home };
  return trinityHere(args, { ...options, ...(interruptAt && { interruptAt }) });
}

describe('trinity eval', () => {
  it('gives identity, machine, cases with logits and a summary as one object', () => {
    expect(whole.header).toMatchObject({
      suiteName: 'suite.jsonl',
      caseCount: 4,
      profile: 'cpu-f32',
      adapterRef: expect.stringMatching(/^[0-9a-f]{64}$/),
      machine: { platform: process.platform, arch: process.arch },
    });
    expect(whole.cases.map(({ id, status }) => [id, status])).toEqual(
      suite.map(({ id }) => [id, 'reported']),
    );
    for (const line of whole.cases) {
      expect(line).toMatchObject({
        agentId: expect.any(Number),
        roleId: expect.any(Number),
        agentMargin: expect.any(Number),
        roleMargin: expect.any(Number),
        tokenCount: expect.any(Number),
        transcriptHash: expect.stringMatching(/^v1:[0-9a-f]{64}$/),
        upstreamTranscriptHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        upstreamRouteHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        ms: expect.any(Number),
      });
      expect(line).toMatchObject({
        agentLogits: { length: 7 },
        roleLogits: { length: 3 },
      });
    }
    const { agents, roles } = whole.summary;
    const sum = (counts: object): number =>
      Object.values(counts).reduce((a: number, b: number) => a + b, 0);
    expect([sum(agents), sum(roles)]).toEqual([4, 4]);
  });

  it('says PASS or FAIL a case, names bad lines, lets no markup or control sequence through', async () => {
    const [sum] = whole.cases;
    const chosen = sum?.type === 'case' ? sum.agentId : -1;
    const cases = [
      { ...suite[0], expected: { agent: [chosen, 99] } },
      { ...suite[0], id: '\u001b[31m<b>red</b>\u0007', expected: { agent: 99 }, tags: ['<i>'] },
    ];
    const lines = [...cases.map((entry) => JSON.stringify(entry)), '{"id": "torn'].join('\n');
    file('mixed.jsonl', lines);
    const reports = ['--html', 'report.html', '--junit', 'report.xml'];
    const run = await trinity(['eval', '--suite', 'mixed.jsonl', ...reports]);
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(run.stdout).toMatch(/mixed\.jsonl:3: the last line breaks off \[torn_last_line\]/);
    expect(run.stdout).toMatch(
      /mixed\.jsonl:1 \(sum\): expects slot 99; .* 0 to 6 \[unknown_slot\]/,
    );
    expect(run.stdout).toMatch(/^\[1\/2\] sum - PASS/m);
    expect(run.stdout).toMatch(/^\[2\/2\] <b>red<\/b>\s* - FAIL/m);
    expect(run.stdout).toMatch(/prompt {4}What is 2 \+ 2\?\n {2}expected {2}\d .* or 99, any role/);
    expect(run.stdout).toMatch(/failed {4}agent\n/);
    expect(run.stdout).toMatch(/^1 passed, 1 failed, 0 reported, 0 errors$/m);
    expect(run.stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(read('report.html')).not.toMatch(/<script|<b>|<i>|https?:|src=/);
    expect(read('report.html')).toContain('Accuracy against margin');
    expect(read('report.xml')).toContain('tests="2" failures="1"');
  });

  it('goes on after Ctrl-C to the same results as without one', async () => {
    const args = ['eval', '--suite', 'suite.jsonl', '--out', 'cut.jsonl'];
    const cut = await trinity(args, /^\[2\/4\]/m);
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('cancelled') });
    expect(read('cut.jsonl').trimEnd().split('\n').length).toBeLessThan(5);
    const resumed = await trinity([...args, '--resume']);
    expect(resumed.code).toBe(0);
    const compared = await trinity(['eval', 'compare', 'whole.jsonl', 'cut.jsonl', '--json']);
    expect(compared.code).toBe(0);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      left: { isComplete: true },
      right: { isComplete: true },
      result: { verdict: 'identical', compared: 4 },
    });
  });

  it('records a baseline that holds from then on for this profile and no other', async () => {
    const args = ['eval', '--suite', 'suite.jsonl'];
    const recorded = await trinity([...args, '--record-baseline', '--snapshot-out', 'own.json']);
    expect(recorded.code).toBe(0);
    expect(recorded.stdout).toMatch(/baseline recorded in .*data\/evals\/snapshots/);
    const [, path = ''] = /baseline recorded in (.*)\n/.exec(recorded.stdout) ?? [];
    const held = await trinity(args);
    expect(held.stdout).toMatch(/^4 passed, 0 failed/m);
    expect(held.stdout).toContain(`snapshot  the baseline recorded here, ${path}`);
    const snapshot = JSON.parse(readFileSync(path, 'utf8')) as { cases: SnapshotCase[] };
    snapshot.cases[2]!.token_count += 1;
    writeFileSync(path, JSON.stringify(snapshot));
    const broken = await trinity(args);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/letter - FAIL[^]*failed {4}token_count/);
    const given = await trinity([...args, '--snapshot', 'own.json']);
    expect(given.stdout).toMatch(/^4 passed, 0 failed/m);
    const other = await trinity([...args, '--profile', 'cpu-8bit']);
    expect(other.stdout).toMatch(/^0 passed, 0 failed, 4 reported/m);
    expect(other.stdout).toMatch(/snapshot {2}none for this router, profile and suite/);
    rmSync(path);
  });

  it('calibrates a profile, whose floors then hold until a flag takes their place', async () => {
    const args = ['eval', '--suite', 'suite.jsonl', '--profile', 'cpu-8bit', '--json'];
    const calibrated = await trinity([...args, '--calibrate']);
    const calibration = JSON.parse(calibrated.stdout) as { agent: number; refusals: string[] };
    expect(calibration.agent).toBeGreaterThan(0);
    expect(calibrated.code).toBe(calibration.refusals.length === 0 ? 0 : 1);
    const run = await trinity([...args, '--min-role-margin', '1000000']);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      floors: { agent: calibration.agent, role: 1_000_000, source: 'flag_and_calibration' },
      summary: { failed: 4 },
    });
  });

  it('refuses calls that cannot be meant, before anything is routed', async () => {
    const args = ['eval', '--suite', 'suite.jsonl'];
    const before = read('suite.jsonl');
    const calls: readonly (readonly [readonly string[], RegExp])[] = [
      [[...args, '--html', 'suite.jsonl'], /named twice/],
      [[...args, '--junit', 'x', '--html', './x'], /named twice/],
      [[...args, '--html', 'none/x.html'], /no folder/],
      [[...args, '--out', '.'], /is a folder/],
      [[...args, '--resume'], /--out/],
      [[...args, '--record-baseline', '--tag', 'maths'], /whole suite/],
      [[...args, '--calibrate', '--case', 'sum'], /cannot be used/],
      [[...args, '--json', '--html', 'x'], /cannot be used/],
      [[...args, '--determinism-runs', '0'], /from 1 up/],
      [[...args, '--min-agent-margin', '-1'], /from 0 up/],
    ];
    for (const [call, reason] of calls) {
      const run = await trinity(call);
      expect(run, call.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(reason),
      });
    }
    expect(read('suite.jsonl')).toBe(before);
    expect(existsSync(join(home, 'x'))).toBe(false);
  });

  it('leaves a foreign file alone that it is told to go on with, and says so', async () => {
    const run = await trinity([
      ...['eval', '--suite', 'suite.jsonl', '--resume', '--out'],
      file('notes.txt', 'Do not lose me.'),
    ]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('left as it is') });
    expect(read('notes.txt')).toBe('Do not lose me.');
  });

  it('tells why nothing runs when every line is bad', async () => {
    file('bad.jsonl', 'no json\n{"prompt":"no id"}\n');
    const run = await trinity(['eval', '--suite', 'bad.jsonl']);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/bad\.jsonl:1: no JSON.*\n.*bad\.jsonl:2: id/);
    expect(run.stderr).toMatch(/\(suite_empty\)/);
  });

  it('lists what would run, as a process of its own', async () => {
    const args = ['eval', '--suite', join(home, 'suite.jsonl'), '--list-cases'];
    const env = { TRINITY_HOME: join(home, 'data') };
    const run = await runTrinity(args, { env });
    expect(run).toEqual({
      code: 0,
      stderr: '',
      stdout: 'sum  (maths)\nproof  (maths)\nletter  (writing)\njudge  (checking)\n',
    });
  });
});

describe('trinity eval compare', () => {
  /** The first run's results with one member of one case changed. */
  function changed(
    name: string,
    id: string,
    change: (line: Record<string, unknown>) => void,
  ): void {
    const lines = read('whole.jsonl').trimEnd().split('\n');
    const turned = lines.map((text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      if (line['id'] === id) change(line);
      return JSON.stringify(line);
    });
    file(name, `${turned.join('\n')}\n`);
  }

  it('names the flipped case, its margins and drift, and fails', async () => {
    changed('flipped.jsonl', 'letter', (line) => {
      const logits = line['roleLogits'] as number[];
      const other = ((line['roleId'] as number) + 1) % 3;
      logits[other] = Math.max(...logits) + (line['roleMargin'] as number) + 0.5;
      line['roleId'] = other;
      line['roleMargin'] = (line['roleMargin'] as number) + 0.5;
    });
    const html = ['--html', 'compared.html'];
    const run = await trinity(['eval', 'compare', 'whole.jsonl', 'flipped.jsonl', ...html]);
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(run.stdout).toMatch(/^letter {2}flipped; \w+ became \w+; margins \+0\.0000, \+0\.5000/m);
    expect(run.stdout).toMatch(/^broken\nfirst broken: role, case letter$/m);
    expect(run.stdout).toMatch(/^roles, left \(rows\) against right$/m);
    expect(read('compared.html')).toContain('Roles: left against right');
  });
  it('calls equal decisions with other logits stable, and says how far they drift', async () => {
    changed('drifted.jsonl', 'sum', (line) => {
      line['agentLogits'] = (line['agentLogits'] as number[]).map((logit) => logit + 0.25);
    });
    const run = await trinity(['eval', 'compare', 'whole.jsonl', 'drifted.jsonl']);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^sum {2}same; .*drift max 0\.2500/m);
    expect(run.stdout).toMatch(/^decision-stable with drift$/m);
  });
  it('names another number of logits, and fails', async () => {
    changed('narrow.jsonl', 'sum', (line) => {
      const logits = line['agentLogits'] as number[];
      const low = logits.indexOf(Math.min(...logits));
      // Behind the chosen one, so that the same slot is chosen by the same margin.
      logits.push(logits[low]!);
    });
    const run = await trinity(['eval', 'compare', 'whole.jsonl', 'narrow.jsonl']);
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(run.stdout).toMatch(/^sum {2}mismatch; the number of logits 7 \+ 3 became 8 \+ 3;/m);
    expect(run.stdout).toMatch(/^broken\nfirst broken: number of logits, case sum$/m);
  });
  it('compares a results file that is not finished, and says so', async () => {
    file('begun.jsonl', read('whole.jsonl').split('\n').slice(0, 3).join('\n'));
    const run = await trinity(['eval', 'compare', 'whole.jsonl', 'begun.jsonl']);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/begun\.jsonl, suite\.jsonl on cpu-f32, .*, not finished$/m);
    expect(run.stdout).toMatch(/1 compared: 1 same, .* 3 missing right/);
  });
  it('takes the object of --json as well', async () => {
    file('whole.json', `${JSON.stringify(whole)}\n`);
    const run = await trinity(['eval', 'compare', 'whole.jsonl', 'whole.json', '--json']);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ result: { verdict: 'identical', compared: 4 } });
  });
  it('does not call nothing identical', async () => {
    file('header.jsonl', `${read('whole.jsonl').split('\n', 1)[0]}\n`);
    const run = await trinity(['eval', 'compare', 'header.jsonl', 'header.jsonl']);
    expect(run).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('neither side holds a routed case'),
    });
  });
});

describe('trinity selftest', () => {
  it('tests the router named against the files given: versions, device, each case, the head', async () => {
    const cases = file('cases.json', JSON.stringify({ cases: suite }));
    const made = ['--suite', cases, '--snapshot-out', 'selftest.json'];
    expect((await trinity(['eval', ...made])).code).toBe(0);
    const args = ['selftest', '--router', 'demo', '--cases', cases, '--snapshot', 'selftest.json'];
    const run = await trinity(args);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^self-test: 4\/4$/m);
    expect(run.stdout).toMatch(/^the head's digest is [0-9a-f]{64}, the reference's 7ff2db0e/m);
    expect(run.stdout).toContain(`router    ${whole.header.adapterRef}, demo, embedding untouched`);
    expect(run.stdout).toContain('profile   cpu-f32, graph version ');
    expect(run.stdout).toContain(`device    ${whole.header.machine.cpu}`);
    expect(run.stdout).toMatch(/versions {2}trinity \S+, ONNX Runtime \d+\.\d+\.\d+, Node \d+/);
    expect(run.stdout).toMatch(/cosine 1\.0000\d+, relative L2 0\.0000/);
    expect(run.stderr).toMatch(/not the published file/);
  });
  it('fails by name for cases that it had to pass over', async () => {
    const bent = suite.map((entry, at) => (at === 0 ? entry : { ...entry, messages: 7 }));
    const cases = file('bent.json', JSON.stringify({ cases: bent }));
    const args = ['selftest', '--router', 'demo', '--cases', cases, '--snapshot', 'selftest.json'];
    const run = await trinity(args);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^suite {2}.*bent\.json \(proof\): case 2: .*\[bad_case\]$/m);
    expect(run.stdout).toMatch(/^self-test: 1\/1 of an incomplete suite$/m);
    expect(run.stdout).toMatch(/^suite {2}letter: in the snapshot, but not among the cases$/m);
  });
  it('says where the reference files are to be had when they are not there', async () => {
    const run = await trinity(['selftest']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/--cases and --snapshot/) });
  });
});
