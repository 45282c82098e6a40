import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EvalHeader } from '../../../contracts/evals.ts';
import { ComparisonFold, compareCases } from '../../../main/evals/comparison.ts';
import { EvalError } from '../../../main/evals/eval-error.ts';
import { openResults } from '../../../main/evals/result-source.ts';
import { findResumePoint } from '../../../main/evals/resume-point.ts';
import { readSnapshot } from '../../../main/evals/snapshot.ts';
import { inspectSuite, scanSuite } from '../../../main/evals/suite.ts';
import { longSeed, scaled } from '../scale.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const parameters = { seed: longSeed(), numRuns: scaled(4000), endOnFailure: true };

const header: EvalHeader = {
  type: 'header',
  format: 'trinity-eval',
  version: 1,
  suiteHash: `v1:${'a'.repeat(64)}`,
  suiteName: 'fuzz',
  caseCount: 3,
  adapterRef: 'b'.repeat(64),
  profile: 'cpu-f32',
  graphVersion: 1,
  startedAt: 0,
  machine: { platform: 'test', arch: 'test', cpu: 'test', cores: 1 },
};
const result = {
  type: 'case',
  id: 'one',
  status: 'passed',
  failures: [],
  agentId: 1,
  roleId: 0,
  agentLogits: [1, 2.5, -3],
  roleLogits: [3, 2, 1],
  agentMargin: 1.5,
  roleMargin: 1,
  tokenCount: 9,
  hiddenIndex: 7,
  transcriptHash: `v1:${'c'.repeat(64)}`,
  upstreamTranscriptHash: 'd'.repeat(64),
  upstreamRouteHash: 'e'.repeat(64),
  ms: 1,
  tags: ['tag'],
  expected: { agentIds: [1] },
};
const results = [header, result, { ...result, id: 'two' }, { ...result, id: 'thr\\ee' }];
const snapshot = {
  schema_version: 1,
  generated_at: '2026-01-01T00:00:00Z',
  cases: [
    {
      id: 'one',
      agent_id: 1,
      role_id: 0,
      token_count: 9,
      agent_margin: 1.5,
      role_margin: 1,
      agent_logits_rounded: [1, 2.5, -3],
      role_logits_rounded: [3, 2, 1],
      transcript_hash: 'd'.repeat(64),
      route_hash: 'e'.repeat(64),
    },
  ],
};
const suite = [
  { id: 'a', prompt: 'x', expected: { agent: [0, 4], role: 'Verifier' }, tags: ['t'] },
  { id: 'b', messages: [{ role: 'user', content: 'é🙂' }], expected: { agent_id: 1 }, notes: null },
];
const table = 'id,prompt,expected_agent,expected_role,tags\na,"x ""y""",0|4,Verifier,t;u\nb,z,,,\n';

/** A text that is nearly right: bytes changed, cut out, doubled, or the values of JSON exchanged. */
function damaged(text: string): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(text);
  const at = fc.nat(bytes.length - 1);
  const piece = fc
    .tuple(at, at)
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
  const splice = (from: number, to: number, middle: Uint8Array): Buffer =>
    Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)]);
  const bits = fc
    .array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const copy = Buffer.from(bytes);
      for (const [place, value] of changes) copy[place] = value;
      return copy;
    });
  const values = fc.tuple(at, fc.json({ maxDepth: 3 })).map(([place, json]) => {
    const rest = text.slice(place).replace(/(-?\d+(\.\d+)?|"[^"]*"|null|\[[^\]]*\])/, () => json);
    return Buffer.from(text.slice(0, place) + rest);
  });
  return fc.oneof(
    bits,
    values,
    piece.map(([from, to]) => splice(from, to, Buffer.alloc(0))),
    piece.map(([from, to]) => splice(from, from, bytes.subarray(from, to))),
    fc.tuple(at, fc.uint8Array({ maxLength: 30 })).map(([from, more]) => splice(from, from, more)),
  );
}

const jsonLines = (values: readonly unknown[]): string =>
  `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;

/** Runs a parser; anything but its own error fails. */
async function ends(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(EvalError);
  }
}

describe(`damaged files, seed ${longSeed()}`, () => {
  it.each([
    ['suite.jsonl', jsonLines(suite)],
    ['suite.json', JSON.stringify({ cases: suite })],
    ['suite.csv', table],
  ])('of the suite %s end in cases, diagnostics or our own error', async (name, text) => {
    await fc.assert(
      fc.asyncProperty(damaged(text), (content) =>
        ends(async () => {
          const path = file(name, content);
          const seen = new Set<string>();
          let cases = 0;
          for await (const item of scanSuite(path)) {
            if (item.kind !== 'case') continue;
            expect(seen.has(item.case.id)).toBe(false);
            seen.add(item.case.id);
            cases += 1;
          }
          expect((await inspectSuite(path)).caseCount).toBe(cases);
        }),
      ),
      parameters,
    );
  });

  it('of results compare with the whole ones, or end in our own error', async () => {
    const whole = file('whole.jsonl', jsonLines(results));
    await fc.assert(
      fc.asyncProperty(damaged(jsonLines(results)), (content) =>
        ends(async () => {
          const left = await openResults(whole);
          try {
            const right = await openResults(file('damaged.jsonl', content));
            try {
              const fold = new ComparisonFold();
              for await (const comparison of compareCases(left, right)) fold.add(comparison);
              const { compared, missingRight } = fold.result();
              expect(compared + missingRight).toBe(3);
            } finally {
              await right.close();
            }
          } finally {
            await left.close();
          }
        }),
      ),
      parameters,
    );
  });

  it('of results are resumed at the end of a whole line, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(jsonLines(results)), (content) =>
        ends(async () => {
          const point = await findResumePoint(file('resumed.jsonl', content), header);
          const { goodBytes = 0, done = [] } = point ?? {};
          expect(goodBytes).toBeLessThanOrEqual(content.length);
          if (goodBytes > 0) expect(content[goodBytes - 1]).toBe(0x0a);
          expect(new Set(done.map(({ id }) => id)).size).toBe(done.length);
        }),
      ),
      parameters,
    );
  });

  it('of a snapshot are read consistently or refused', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(JSON.stringify(snapshot, null, 1)), (content) =>
        ends(async () => {
          for (const entry of (await readSnapshot(file('snapshot.json', content))).values()) {
            const largest = Math.max(...entry.agent_logits_rounded);
            expect(entry.agent_logits_rounded[entry.agent_id]).toBe(largest);
          }
        }),
      ),
      parameters,
    );
  });
});
