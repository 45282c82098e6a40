import { TypedError } from '../../../contracts/failure.ts';
import { keySchemes, type KeyScheme } from '../../../contracts/keys.ts';
import type { KeyVault } from '../../../contracts/ports.ts';

const places: Readonly<Record<KeyScheme, string>> = {
  'safe-storage': 'the system keychain',
  passphrase: 'a file, encrypted with TRINITY_PASSPHRASE',
  'plain-0600': 'a file for the owner only (0600), not encrypted',
  session: 'memory, until the program ends',
  env: 'the environment',
};

/** Where this program puts a key that is entered now, and how many it has by where they are, in one line. */
export async function keyStorageText(vault: Pick<KeyVault, 'schemes' | 'list'>): Promise<string> {
  const [best] = await vault.schemes();
  return [
    `new ones go to ${places[best?.scheme ?? 'session']}`,
    await countsText(vault),
    'the desktop app uses the system keychain',
  ].join('; ');
}

async function countsText(vault: Pick<KeyVault, 'list'>): Promise<string> {
  try {
    const items = await vault.list();
    const counts = keySchemes
      .map((scheme) => ({ scheme, count: items.filter((item) => item.scheme === scheme).length }))
      .filter(({ count }) => count > 0);
    return counts.length === 0
      ? 'there are none yet'
      : counts.map(({ scheme, count }) => `${count} in ${places[scheme]}`).join(', ');
  } catch (error) {
    // What a person looks for here is why their keys are gone.
    if (error instanceof TypedError) return error.message;
    throw error;
  }
}
