import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { skipUnless } from '../fixtures/skip.ts';

const entry = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url));

describe('npm start -- --electron', () => {
  skipUnless(process.platform === 'linux', 'only Linux can be without a display').it(
    'names the browser host where there is no display',
    () => {
      const { DISPLAY: _x, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
      const run = spawnSync(process.execPath, [entry, '--electron'], { env, encoding: 'utf8' });
      expect(run.status).toBe(1);
      expect(run.stderr).toMatch(/^Electron cannot run here: there is no display\. .*--browser/);
      expect(run.stdout).toBe('');
    },
  );
});
