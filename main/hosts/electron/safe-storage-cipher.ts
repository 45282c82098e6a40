import type { SafeStorage } from 'electron';
import { plainCipher, type SecretCipher } from '../../settings/keys/secret-cipher.ts';

/** The part of Electron's `safeStorage` that is not about to be removed. */
export type AsyncSafeStorage = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>;

const explanations: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Encrypted with a key in your macOS keychain.',
  win32: 'Encrypted by Windows for your user account.',
};

/**
 * The ciphers of the desktop app, best first: the system's key store where there is one, and the plain file,
 * which the browser host can open too.
 *
 * On Linux "available" is not "protected": where no keyring answers, Electron falls back to a password that is
 * the same on every computer. Such a scheme is not offered; the plain file says what it is.
 */
export async function desktopCiphers(
  safeStorage: AsyncSafeStorage,
  platform: NodeJS.Platform,
): Promise<readonly SecretCipher[]> {
  if (!(await protects(safeStorage, platform))) {
    const reason =
      platform === 'linux'
        ? 'No keyring answers on this desktop. '
        : 'The system offers no key store. ';
    return [{ ...plainCipher, explanation: reason + plainCipher.explanation }];
  }
  return [
    {
      scheme: 'safe-storage',
      explanation: explanations[platform] ?? "Encrypted with a key in your desktop's keyring.",
      isAvailable: () => safeStorage.isAsyncEncryptionAvailable(),
      seal: async (secret) => (await safeStorage.encryptStringAsync(secret)).toString('base64'),
      unseal: async (sealed) =>
        (await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'))).result,
    },
    plainCipher,
  ];
}

/**
 * Whether the system's key store protects what it encrypts. Linux is judged by the first bytes of a sample:
 * Chromium writes v11 for a key from the keyring, v12 for one from the secret portal, and v10 for the password
 * that everyone knows. The name of the selected back-end is no help: it follows the desktop's name.
 */
async function protects(
  safeStorage: AsyncSafeStorage,
  platform: NodeJS.Platform,
): Promise<boolean> {
  try {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return false;
    if (platform !== 'linux') return true;
    const sample = await safeStorage.encryptStringAsync('sample');
    return /^v1[12]/.test(sample.toString('latin1'));
  } catch {
    // A keyring that is locked or broken protects nothing now.
    return false;
  }
}
