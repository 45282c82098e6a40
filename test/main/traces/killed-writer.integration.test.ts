import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { verifyTrace } from '../../../main/traces/verify.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const program = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));

it('leaves a trace that is right up to where its writer was killed', async () => {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  const path = join(folder, 'run-1.jsonl');
  const report = await verifyTrace(path);
  expect(report).toMatchObject({ hasEnded: false, problems: [], turns: 1 });
  expect(report.lines).toBeGreaterThan(5);
  appendFileSync(path, '{"v":1,"seq":');
  expect(await verifyTrace(path)).toMatchObject({ isTorn: true, problems: [] });
});
