import { test } from '@playwright/test';

/**
 * The sanctioned way to leave out end-to-end tests that cannot run where they are: prints the reason once and
 * marks them skipped, so that the run's summary counts them. Call it at the top of a file or a describe.
 *
 * @param condition true where the tests can run
 * @param reason    a sentence that says what is missing
 */
export function skipUnless(condition: boolean, reason: string): void {
  if (!condition) process.stderr.write(`[skipped] ${reason}\n`);
  test.skip(!condition, reason);
}
