import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { verifyTrace } from '../../main/traces/verify.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { longSeed, scaled } from './scale.ts';

const program = fileURLToPath(new URL('../main/traces/write-until-killed.ts', import.meta.url));

it('leaves a right trace whenever its writer is killed', async () => {
  const folder = temporaryFolder();
  for (let kill = 0; kill < scaled(60); kill++) {
    const child = spawn(process.execPath, [program, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    await once(child.stdout, 'data');
    const delayMs = ((longSeed() % 1000) + kill * 37) % 120;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    child.kill('SIGKILL');
    await exit;
    const path = join(folder, 'run-1.jsonl');
    const report = await verifyTrace(path);
    expect(report.problems, `killed after ${delayMs} ms`).toEqual([]);
    expect(report.lines).toBeGreaterThan(5);
    rmSync(path);
  }
});
