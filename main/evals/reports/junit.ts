import type { EvalHeader, EvalSummary } from '../../../contracts/evals.ts';
import type { CaseLine } from '../results-file.ts';
import { escapeMarkup } from './escape.ts';

/**
 * A JUnit XML report: one test case an evaluation case; failed assertions are failures, cases that could
 * not be routed are errors, cases that assert nothing are skipped.
 *
 * Source: the JUnit XML format as CI systems read it (testsuites, testsuite, testcase).
 */
export function junitReport(
  header: EvalHeader,
  lines: readonly CaseLine[],
  summary: EvalSummary,
): string {
  const seconds = lines.reduce((sum, line) => sum + (line.type === 'case' ? line.ms : 0), 0) / 1000;
  const attributes = [
    `name="${escapeMarkup(header.suiteName)}"`,
    `tests="${lines.length}"`,
    `failures="${summary.failed}"`,
    `errors="${summary.errors}"`,
    `skipped="${summary.reported}"`,
    `time="${seconds.toFixed(3)}"`,
    `timestamp="${new Date(header.startedAt).toISOString()}"`,
  ].join(' ');
  const className = escapeMarkup(`trinity.${header.profile}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite ${attributes}>`,
    ...lines.map((line) => testCase(line, className)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(line: CaseLine, className: string): string {
  const ms = line.type === 'case' ? line.ms : 0;
  const open = `    <testcase classname="${className}" name="${escapeMarkup(line.id)}" time="${(ms / 1000).toFixed(3)}"`;
  const content = contentOf(line);
  return content === null ? `${open}/>` : `${open}>${content}</testcase>`;
}

function contentOf(line: CaseLine): string | null {
  if (line.type === 'case_error') {
    return `<error type="${escapeMarkup(line.code)}" message="${escapeMarkup(line.message)}"/>`;
  }
  if (line.status === 'reported') return '<skipped message="nothing is asserted"/>';
  if (line.status !== 'failed') return null;
  const chosen = `chosen slot ${line.agentId}, role ${line.roleId}`;
  return `<failure message="${escapeMarkup(line.failures.join(', '))}">${escapeMarkup(chosen)}</failure>`;
}
