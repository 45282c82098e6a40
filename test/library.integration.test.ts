import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
/** Inside the package, so that it is imported by its name, as a program that depends on it does. */
const example = join(root, 'dist', `library-example-${process.pid}.mjs`);
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
});
