import { describe, expect, it } from 'vitest';
import type { EvalHeader } from '../../../../contracts/evals.ts';
import { AnalysisFold } from '../../../../main/evals/analysis.ts';
import { escapeMarkup } from '../../../../main/evals/reports/escape.ts';
import { htmlReport } from '../../../../main/evals/reports/html.ts';
import { junitReport } from '../../../../main/evals/reports/junit.ts';
import type { CaseLine } from '../../../../main/evals/results-file.ts';
import { emptySummary, summarise } from '../../../../main/evals/runner.ts';

const header: EvalHeader = {
  type: 'header',
  format: 'trinity-eval',
  version: 1,
  suiteHash: `v1:${'a'.repeat(64)}`,
  suiteName: '<script>alert(1)</script>.jsonl',
  caseCount: 3,
  adapterRef: 'b'.repeat(64),
  profile: 'cpu-f32',
  graphVersion: 1,
  startedAt: 0,
  machine: { platform: 'linux', arch: 'x64', cpu: 'A & B', cores: 2 },
};

const base = {
  type: 'case',
  agentId: 1,
  roleId: 2,
  agentLogits: [0, 1],
  roleLogits: [0, 0, 1],
  agentMargin: 1,
  roleMargin: 1,
  tokenCount: 4,
  hiddenIndex: 2,
  transcriptHash: `v1:${'c'.repeat(64)}`,
  upstreamTranscriptHash: 'd'.repeat(64),
  upstreamRouteHash: 'e'.repeat(64),
  ms: 1500,
  tags: ['a"b'],
  expected: { agentIds: [1], roleIds: [0] },
} as const;

const lines = [
  { ...base, id: 'ok & fine', status: 'passed', failures: [] },
  { ...base, id: '"quoted"\u0007', status: 'failed', failures: ['role'] },
  { type: 'case_error', id: 'gone', status: 'error', code: 'x', message: 'a < b', tags: [] },
] as unknown as CaseLine[];
const summary = lines.reduce(summarise, emptySummary);

describe('escapeMarkup', () => {
  it('escapes what markup reads and replaces what XML cannot carry', () => {
    expect(escapeMarkup(`<a href="x">'&'</a>\u0000\ud800`)).toBe(
      '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;\ufffd\ufffd',
    );
  });
});

describe('junitReport', () => {
  const xml = junitReport(header, lines, summary);
  it('counts failures, errors and seconds', () => {
    expect(xml).toContain('tests="3" failures="1" errors="1" skipped="0" time="3.000"');
  });
  it('gives each case its own element with what failed', () => {
    expect(xml).toContain('name="ok &amp; fine" time="1.500"/>');
    expect(xml).toContain('<failure message="role">chosen slot 1, role 2</failure>');
    expect(xml).toContain('<error type="x" message="a &lt; b"/>');
  });
});

describe('htmlReport', () => {
  const fold = new AnalysisFold();
  for (const line of lines) if (line.type === 'case') fold.add(line);
  const html = htmlReport({
    header,
    lines,
    summary,
    analysis: fold.result(),
    agentLabels: ['zero', 'one <b>'],
    floors: { agent: null, role: null, source: 'none' },
  });
  it('holds no script, no outside reference and no unescaped text of a suite', () => {
    expect(html).not.toMatch(/<script|<b>|https?:|src=|url\(/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;.jsonl');
  });
  it('says that floors are missing instead of showing none as zero', () => {
    expect(html).toContain('uncalibrated');
  });
  it('shows the confusion of roles and the accuracy of a tag', () => {
    expect(html).toContain('Roles: expected against chosen');
    expect(html).toContain('<th scope="row">a&quot;b</th><td class="number">0 of 2</td>');
  });
});
