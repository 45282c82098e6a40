import type { KeyVault, RandomSource } from '../../../contracts/ports.ts';
import { plainCipher } from '../../settings/keys/secret-cipher.ts';
import { openHostVault } from '../host-vault.ts';

/** The vault of the terminal: keys of a data directory, and those that the environment holds. */
export function openTerminalVault(
  env: Readonly<Record<string, string | undefined>>,
  dataDirectory: string,
  random: RandomSource,
): KeyVault {
  return openHostVault({
    dataDirectory,
    program: 'the terminal program',
    ciphers: [plainCipher],
    env,
    random,
  });
}
