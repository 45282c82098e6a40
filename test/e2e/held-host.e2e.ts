import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { askInstance } from '../../main/hosts/instance-lock.ts';
import { expect, test } from './fixtures.ts';

test('a host ends when the test process that started it is killed', async () => {
  const starter = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { Host } from ${JSON.stringify(new URL('./host.ts', import.meta.url).href)};
       const host = new Host();
       await host.start();
       process.stdout.write(host.dataDirectory);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [told] = (await once(starter.stdout, 'data')) as [Buffer];
  const dataDirectory = told.toString('utf8');
  expect((await askInstance(dataDirectory, 'url'))?.url).toMatch(/^http:/);
  starter.kill('SIGKILL');
  await expect.poll(() => askInstance(dataDirectory, 'url')).toBeNull();
  rmSync(dataDirectory, { recursive: true, force: true });
});
