import { describe, expect, it } from 'vitest';
import {
  desktopCiphers,
  type AsyncSafeStorage,
} from '../../../../main/hosts/electron/safe-storage-cipher.ts';
import { safeStorage } from '../../../fakes/electron.ts';

/** Electron's store with another mark on its ciphertexts, or failing. */
const storage = (change: Partial<AsyncSafeStorage>): AsyncSafeStorage => ({
  ...safeStorage,
  ...change,
});
const marked = (mark: string): AsyncSafeStorage =>
  storage({ encryptStringAsync: (text) => Promise.resolve(Buffer.from(mark + text)) });
const schemes = async (given: AsyncSafeStorage, platform: NodeJS.Platform): Promise<string[]> =>
  (await desktopCiphers(given, platform)).map(({ scheme }) => scheme);

describe('keys of the desktop app', () => {
  it('are sealed by the system and opened again', async () => {
    const [cipher] = await desktopCiphers(safeStorage, 'darwin');
    const sealed = await cipher!.seal('sk-secret');
    expect(sealed).not.toContain('secret');
    expect(await cipher!.unseal(sealed)).toBe('sk-secret');
    expect(cipher!.explanation).toContain('keychain');
  });

  it.each(['v11', 'v12'])(
    'are protected on Linux where ciphertexts begin with %s',
    async (mark) => {
      expect(await schemes(marked(mark), 'linux')).toEqual(['safe-storage', 'plain-0600']);
    },
  );

  it.each(['v10', 'xyz', ''])(
    'are not called protected on Linux where ciphertexts begin with %j: the password is known to all',
    async (mark) => {
      const ciphers = await desktopCiphers(marked(mark), 'linux');
      expect(ciphers.map(({ scheme }) => scheme)).toEqual(['plain-0600']);
      expect(ciphers[0]!.explanation).toMatch(/No keyring.*Not encrypted/s);
    },
  );

  it('are v10 on macOS and Windows, and protected there', async () => {
    expect(await schemes(marked('v10'), 'darwin')).toEqual(['safe-storage', 'plain-0600']);
    expect(await schemes(marked('v10'), 'win32')).toEqual(['safe-storage', 'plain-0600']);
  });

  it('are not sealed by a store that is away or broken', async () => {
    const away = storage({ isAsyncEncryptionAvailable: () => Promise.resolve(false) });
    expect(await schemes(away, 'darwin')).toEqual(['plain-0600']);
    const broken = storage({ encryptStringAsync: () => Promise.reject(new Error('locked')) });
    expect(await schemes(broken, 'linux')).toEqual(['plain-0600']);
  });
});
