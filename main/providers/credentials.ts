import type { VaultItem } from '../../contracts/keys.ts';
import type { KeyVault } from '../../contracts/ports.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { ProviderError } from './failure.ts';
import type { Preset } from './presets.ts';
import { SecretForms } from './secret-forms.ts';

/** What a call may say to its provider, and the secrets in it. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: SecretForms;
}

/**
 * Opens a slot's key and header secrets for the origin of its base URL, before any socket is opened.
 * Without a key of its own a slot uses the environment's, which is bound to its preset's origin.
 *
 * @throws ProviderError `key_missing`, `key_other_origin` or `key_unavailable`
 */
export async function openCredentials(
  vault: KeyVault,
  binding: SlotBinding,
  preset: Preset,
  baseUrl: string,
): Promise<Credentials> {
  const { origin } = new URL(baseUrl);
  const items = await vault.list();
  const headers: Record<string, string> = {};
  const secrets: string[] = [];
  const open = async (id: string): Promise<string> => {
    const secret = await openFor(vault, items, id, origin);
    secrets.push(secret);
    return secret;
  };

  const keyId = keyItemOf(items, binding, preset, origin)?.id ?? binding.keyRef;
  if (keyId !== null) Object.assign(headers, keyHeader(preset.keyStyle, await open(keyId)));
  else if (preset.needsKey) {
    throw new ProviderError(
      'key_missing',
      `Slot ${binding.index} has no key for ${preset.name}. Enter one in the slot’s settings` +
        (preset.keyVariable === null ? '.' : `, or set ${preset.keyVariable}.`),
    );
  }
  for (const [name, id] of Object.entries(binding.headers)) {
    headers[name.toLowerCase()] = await open(id);
  }
  return { headers, secrets: new SecretForms(secrets, secretLength) };
}

/** Shorter secrets are ordinary words (`ollama`, `lm-studio`): taking them out would spoil answers. */
const secretLength = 12;

/** The vault item that a slot's call uses; null when there is none. */
export function keyItemOf(
  items: readonly VaultItem[],
  binding: SlotBinding,
  preset: Preset,
  origin: string,
): VaultItem | null {
  if (binding.keyRef !== null) return items.find(({ id }) => id === binding.keyRef) ?? null;
  if (preset.keyVariable === null) return null;
  return items.find((item) => item.scheme === 'env' && item.origin === origin) ?? null;
}

async function openFor(
  vault: KeyVault,
  items: readonly VaultItem[],
  id: string,
  origin: string,
): Promise<string> {
  const item = items.find((candidate) => candidate.id === id);
  if (item === undefined) {
    throw new ProviderError(
      'key_missing',
      'The key of this slot is no longer stored. Enter it again.',
    );
  }
  if (item.origin !== origin) {
    throw new ProviderError(
      'key_other_origin',
      'The key was entered for another server and is not sent to this one. Enter it again for this base URL.',
    );
  }
  try {
    return await vault.open(id, origin);
  } catch (error) {
    throw new ProviderError(
      'key_unavailable',
      `The stored key cannot be opened here. ${error instanceof Error ? error.message : ''}`.trim(),
      { cause: error },
    );
  }
}

function keyHeader(style: Preset['keyStyle'], key: string): Record<string, string> {
  return style === 'bearer' ? { authorization: `Bearer ${key}` } : { [style]: key };
}
