import { join } from 'node:path';
import type { KeyVault, RandomSource } from '../../contracts/ports.ts';
import { environmentKeys as keyVariables } from '../providers/presets.ts';
import { environmentKeys } from '../settings/keys/environment-keys.ts';
import { KeyFile } from '../settings/keys/key-file.ts';
import { passphraseCipher } from '../settings/keys/passphrase-cipher.ts';
import type { SecretCipher } from '../settings/keys/secret-cipher.ts';
import { createVault } from '../settings/keys/vault.ts';

export interface HostVaultParts {
  readonly dataDirectory: string;
  /** This program in a sentence: `the desktop app`, `the browser host`. */
  readonly program: string;
  /** What this host can protect stored keys with, best first. */
  readonly ciphers: readonly SecretCipher[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly random: RandomSource;
}

/**
 * The vault of a host: stored keys, keys of this session, and the environment's for known providers. Where the
 * environment has TRINITY_PASSPHRASE, keys can be stored encrypted with it.
 */
export function openHostVault(parts: HostVaultParts): KeyVault {
  const { dataDirectory, program, env, random } = parts;
  const ciphers = withPassphrase(parts.ciphers, env['TRINITY_PASSPHRASE'] ?? '');
  return createVault({
    file: new KeyFile(join(dataDirectory, 'keys.json'), random),
    ciphers,
    environment: environmentKeys(keyVariables(), env),
    program,
    random,
  });
}

/** Better than a file that is not encrypted, not as good as the system's own store. */
function withPassphrase(ciphers: readonly SecretCipher[], passphrase: string): SecretCipher[] {
  if (passphrase === '') return [...ciphers];
  const isPlain = ({ scheme }: SecretCipher): boolean => scheme === 'plain-0600';
  return [
    ...ciphers.filter((cipher) => !isPlain(cipher)),
    passphraseCipher(passphrase),
    ...ciphers.filter(isPlain),
  ];
}
