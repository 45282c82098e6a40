import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { trinityHere } from './chat/in-process.ts';

/** What loading a router and running a case write to a stderr that is a terminal of this TERM. */
async function progressOn(stderrTerm: string): Promise<string> {
  const folder = temporaryFolder();
  const suite = join(folder, 'suite.jsonl');
  writeFileSync(suite, '{"id":"one","prompt":"What is 17 + 25?"}\n');
  const run = await trinityHere(['eval', '--suite', suite, '--json'], {
    dataDirectory: join(folder, 'data'),
    cwd: folder,
    stderrTerm,
  });
  expect(run.code, run.stderr).toBe(0);
  return run.stderr;
}

it('is drawn over itself on a terminal, and is not shown on one that cannot redraw', async () => {
  expect(await progressOn('xterm')).toMatch(/\u001b\[Kloading the router.*\u001b\[K$/s);
  expect(await progressOn('dumb')).toBe('');
});
