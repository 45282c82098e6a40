import type { KeyScheme } from '../../../contracts/keys.ts';

/** How one scheme protects a secret in the key file. Hosts bring those that need their system. */
export interface SecretCipher {
  readonly scheme: Extract<KeyScheme, 'safe-storage' | 'passphrase' | 'plain-0600'>;
  /** A sentence for a person on how it protects, or how little. */
  readonly explanation: string;
  /** Whether it can seal and unseal here and now. */
  isAvailable(): Promise<boolean>;
  /** Text for the key file. */
  seal(secret: string): Promise<string>;
  unseal(sealed: string): Promise<string>;
}

/** The scheme that protects by the file's mode alone, and says so. */
export const plainCipher: SecretCipher = {
  scheme: 'plain-0600',
  explanation:
    'In a file that only your user account can read. Not encrypted: other programs that you run can read it.',
  isAvailable: () => Promise.resolve(true),
  seal: (secret) => Promise.resolve(secret),
  unseal: (sealed) => Promise.resolve(sealed),
};
