import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { createForkLauncher } from '../../../main/hosts/fork-launcher.ts';
import { openHostVault } from '../../../main/hosts/host-vault.ts';
import { nativeLogTo } from '../../../main/hosts/native-log.ts';
import { openApp } from '../../../main/hosts/open-app.ts';
import { createSystemClock } from '../../../main/hosts/system-clock.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { plainCipher } from '../../../main/settings/keys/secret-cipher.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const broken = fileURLToPath(new URL('../../fixtures/broken-native-process.ts', import.meta.url));

it('the app of a long-lived host shows what its route process logs', async () => {
  const dataDirectory = temporaryFolder();
  const random = createSystemRandom();
  const stderr: string[] = [];
  const hosted = await openApp({
    host: 'browser',
    dataDirectory,
    launcher: createForkLauncher({ env: process.env, entries: { route: broken } }),
    vault: openHostVault({
      dataDirectory,
      random,
      program: 'a test',
      ciphers: [plainCipher],
      env: {},
    }),
    httpClient: () => Promise.reject(new Error('no socket may be opened here')),
    clock: createSystemClock(),
    random,
    onLog: nativeLogTo({ write: (text) => stderr.push(text) }),
  });
  try {
    // The router is loaded from the start on.
    await vi.waitFor(() => expect(stderr).toEqual(['[native] native: library is missing\n']), {
      timeout: 60_000,
    });
  } finally {
    await hosted.close();
  }
});
