import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { EvalCase } from '../../../contracts/evals.ts';
import { scanSuite } from '../../../main/evals/suite.ts';

const path = fileURLToPath(new URL('../../../assets/suites/starter.json', import.meta.url));

async function load(): Promise<EvalCase[]> {
  const cases: EvalCase[] = [];
  for await (const item of scanSuite(path)) {
    if (item.kind === 'diagnostic') throw new Error(item.diagnostic.message);
    cases.push(item.case);
  }
  return cases;
}

describe('the bundled starter suite', () => {
  it('has at least 60 cases, over every subject it is for', async () => {
    const cases = await load();
    expect(cases.length).toBeGreaterThanOrEqual(60);
    const tags = new Set(cases.flatMap((entry) => entry.tags));
    for (const tag of [
      'maths',
      'code',
      'writing',
      'planning',
      'verification',
      'long',
      'script',
      'edge',
    ]) {
      expect(tags, tag).toContain(tag);
    }
  });
  it('expects nothing until a person records a baseline', async () => {
    for (const entry of await load()) expect(entry.expected, entry.id).toEqual({});
  });
  it('covers at least ten scripts', async () => {
    const text = (await load())
      .flatMap((entry) => entry.messages.map((message) => message.content))
      .join();
    const scripts = [
      'Latin',
      'Cyrillic',
      'Greek',
      'Han',
      'Hiragana',
      'Hangul',
      'Arabic',
      'Hebrew',
      'Devanagari',
      'Thai',
      'Tamil',
    ];
    for (const script of scripts)
      expect(text, script).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
  });
});
