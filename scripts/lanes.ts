import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));
export const reportsDirectory = join(projectRoot, 'reports');

/** One command of a lane; `report` names the JSON file its runner writes under reports/. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly report?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs steps one after another, all of them even when one fails. Returns the names of those that failed. */
export async function runSteps(steps: readonly Step[]): Promise<string[]> {
  mkdirSync(reportsDirectory, { recursive: true });
  const failed: string[] = [];
  for (const step of steps) {
    const startedAt = performance.now();
    console.log(`\n== ${step.name}`);
    const code = await runStep(step);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`== ${step.name}: ${code === 0 ? 'ok' : `failed (exit ${code})`} in ${seconds} s`);
    if (code !== 0) failed.push(step.name);
  }
  return failed;
}

function runStep(step: Step): Promise<number> {
  const [program = '', ...args] = step.command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: projectRoot,
      stdio: 'inherit',
      env: { ...process.env, ...step.env },
      shell: process.platform === 'win32',
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

interface PlaywrightReport {
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
  readonly errors: readonly unknown[];
}

/** Counts of one runner's JSON report. A report that is missing counts as one failure. */
export function countReport(report: string): Counts {
  const path = join(reportsDirectory, report);
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0 };
  const content = JSON.parse(readFileSync(path, 'utf8')) as VitestReport | PlaywrightReport;
  if ('stats' in content) {
    const { expected, unexpected, flaky, skipped } = content.stats;
    return { passed: expected + flaky, failed: unexpected + content.errors.length, skipped };
  }
  // A file that fails before its first test has no failed assertion, and is a failure all the same.
  const brokenFiles = content.testResults.filter(
    (file) =>
      file.status === 'failed' &&
      !file.assertionResults.some((assertion) => assertion.status === 'failed'),
  ).length;
  return {
    passed: content.numPassedTests,
    failed: content.numFailedTests + brokenFiles,
    skipped: content.numPendingTests,
  };
}

/** Sum of the counts of several reports. */
export function countReports(reports: readonly string[]): Counts {
  return reports.map(countReport).reduce(
    (sum, counts) => ({
      passed: sum.passed + counts.passed,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** Prints what failed and the closing line, and sets the exit code. */
export function closeLane(failedSteps: readonly string[], reports: readonly string[]): void {
  const counts = countReports(reports);
  if (failedSteps.length > 0) console.log(`\nfailed: ${failedSteps.join(', ')}`);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  const isEmpty = counts.passed === 0;
  process.exitCode = failedSteps.length > 0 || counts.failed > 0 || isEmpty ? 1 : 0;
}
