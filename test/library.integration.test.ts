import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench } from './model-runtime/artifact/workbench.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
/** Inside the package, so that it is imported by its name, as a program that depends on it does. */
const example = join(root, 'dist', `library-example-${process.pid}.mjs`);
const license = join(root, 'LICENSE');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-library-'));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', join(root, 'tsconfig.lib.json')]);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(example, { force: true });
});

describe('the library', () => {
  it('routes with the example of its page, built and imported by the package name', async () => {
    const page = await readFile(join(root, 'docs', 'library.md'), 'utf8');
    const [, code] = /```js\n([^]*?)```/.exec(page)!;
    const statements = code!
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('import'));
    expect(statements.length).toBeLessThanOrEqual(10);
    await writeFile(example, code!);
    const { stdout } = await run(process.execPath, [example], { cwd: folder });
    expect(stdout).toMatch(/^slot [0-6], role (Worker|Thinker)\n$/);
  });

  it('builds a router, its worker threads included', async () => {
    const bench = await openWorkbench();
    try {
      const request = bench.request({ workers: 2 });
      await writeFile(
        example,
        `import { runBuild } from 'trinity-desktop/model-runtime/client';
         import { createForkLauncher } from 'trinity-desktop/hosts/fork-launcher';
         import { createSystemClock } from 'trinity-desktop/hosts/system-clock';
         const launcher = createForkLauncher({ env: process.env });
         const clock = createSystemClock();
         const { status } = await runBuild(${JSON.stringify(request)}, { launcher, clock });
         console.log(status);`,
      );
      expect((await run(process.execPath, [example])).stdout).toBe('complete\n');
    } finally {
      await bench.remove();
    }
  });

  it('finds its worker by itself where none is named', async () => {
    await writeFile(
      example,
      `import { WorkerPool } from './lib/model-runtime/adaptation/worker-pool.js';
       const pool = new WorkerPool(1);
       console.log(await pool.run({ kind: 'digest-file', path: ${JSON.stringify(license)} }));
       await pool.close();`,
    );
    const digest = createHash('sha256')
      .update(await readFile(license))
      .digest('hex');
    expect((await run(process.execPath, [example])).stdout).toBe(`${digest}\n`);
  });
});
