import type { KeyScheme, VaultItem } from '../../../contracts/keys.ts';
import type { KeyVault, RandomSource } from '../../../contracts/ports.ts';
import { SettingsError } from '../errors.ts';
import type { EnvironmentKey } from './environment-keys.ts';
import type { KeyFile, StoredKey } from './key-file.ts';
import { last4Of } from './last4.ts';
import type { SecretCipher } from './secret-cipher.ts';

export interface VaultParts {
  /** Null where nothing is to be stored: only session and environment keys then. */
  readonly file: KeyFile | null;
  /** Schemes of this host, best first. */
  readonly ciphers: readonly SecretCipher[];
  readonly environment: readonly EnvironmentKey[];
  /** This program's name, kept with what it stores: `the desktop app`, `the browser host`. */
  readonly program: string;
  readonly random: RandomSource;
}

const sessionExplanation = 'Kept in memory until the program ends. Nothing is written.';

/**
 * The vault of a host: stored keys sealed by the host's ciphers, keys of this session, and keys of the
 * environment. Every key is bound to one origin and comes out only for a request to it.
 */
export function createVault(parts: VaultParts): KeyVault {
  const { file, ciphers, environment, program, random } = parts;
  const session = new Map<string, { item: VaultItem; secret: string }>();

  const usableCiphers = async (): Promise<SecretCipher[]> => {
    if (file === null) return [];
    const available = await Promise.all(ciphers.map((cipher) => cipher.isAvailable()));
    return ciphers.filter((_, index) => available[index]);
  };

  return {
    async schemes() {
      const stored = (await usableCiphers()).map(({ scheme, explanation }) => ({
        scheme,
        explanation,
      }));
      return [...stored, { scheme: 'session', explanation: sessionExplanation }];
    },

    async list() {
      const stored = file === null ? [] : await file.read();
      return [
        ...stored.map(itemOf),
        ...[...session.values()].map(({ item }) => item),
        ...environment.map(({ item }) => item),
      ];
    },

    async put(secret, origin, scheme, kind = 'key') {
      checkOrigin(origin);
      const item: VaultItem = { id: random.id(), scheme, origin, last4: last4Of(secret), kind };
      if (scheme === 'session') {
        session.set(item.id, { item, secret });
        return item;
      }
      const cipher = (await usableCiphers()).find((usable) => usable.scheme === scheme);
      if (file === null || cipher === undefined) throw schemeRefused(scheme);
      const sealed = await cipher.seal(secret);
      await file.change((keys) => [...keys, { ...item, storedBy: program, sealed }]);
      return item;
    },

    async open(id, origin) {
      const known = session.get(id) ?? environment.find(({ item }) => item.id === id);
      if (known !== undefined) {
        refuseOtherOrigin(known.item, origin);
        return known.secret;
      }
      const key = (await file?.read())?.find((stored) => stored.id === id);
      if (key === undefined) throw keyUnknown();
      refuseOtherOrigin(key, origin);
      return unseal(key, await usableCiphers());
    },

    async remove(id) {
      if (session.delete(id)) return;
      if (environment.some(({ item }) => item.id === id)) {
        throw new SettingsError(
          'key_scheme',
          'This key comes from the environment. Remove the variable where it is set.',
        );
      }
      if (file === null || !(await file.read()).some((key) => key.id === id)) throw keyUnknown();
      await file.change((keys) => keys.filter((key) => key.id !== id));
    },
  };
}

async function unseal(key: StoredKey, ciphers: readonly SecretCipher[]): Promise<string> {
  const cipher = ciphers.find(({ scheme }) => scheme === key.scheme);
  const closed = `This key was stored by ${key.storedBy} and cannot be opened here. Use it there, or enter it again.`;
  if (cipher === undefined) throw new SettingsError('key_closed', closed);
  try {
    return await cipher.unseal(key.sealed);
  } catch (cause) {
    throw new SettingsError('key_closed', closed, { cause });
  }
}

function itemOf({ id, scheme, origin, last4, kind }: StoredKey): VaultItem {
  return { id, scheme, origin, last4, ...(kind === undefined ? {} : { kind }) };
}

function refuseOtherOrigin(item: VaultItem, origin: string): void {
  if (item.origin === origin) return;
  throw new SettingsError(
    'key_origin',
    `This key was entered for ${item.origin} and goes nowhere else. Enter it again for ${origin}.`,
  );
}

function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  throw new SettingsError('key_origin', 'A key needs the scheme, host and port it is for.');
}

function keyUnknown(): SettingsError {
  return new SettingsError('key_unknown', 'This key is no longer stored. Enter it again.');
}

function schemeRefused(scheme: KeyScheme): SettingsError {
  return new SettingsError('key_scheme', `Keys cannot be stored here with the scheme ${scheme}.`);
}
