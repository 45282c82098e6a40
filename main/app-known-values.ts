import type { KeyVault } from '../contracts/ports.ts';
import type { SlotBinding } from '../contracts/slots.ts';
import { resolveBinding } from './providers/layout.ts';

/** What no trace may hold: the secrets of the bound slots and the addresses they call. */
export interface KnownValues {
  readonly secrets: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * The values of a layout. A slot that could not be called (unknown provider, key gone) contributes what
 * it has: its call will fail before anything of it is sent.
 */
export async function knownValues(
  bindings: readonly SlotBinding[],
  vault: KeyVault,
): Promise<KnownValues> {
  // Keys that cannot be listed cannot be opened either: no call can carry one.
  const items = await vault.list().catch(() => []);
  const environment = items.filter(({ scheme }) => scheme === 'env');
  const secrets: string[] = [];
  const addresses: string[] = [];
  for (const binding of bindings) {
    const baseUrl = baseUrlOf(binding);
    if (baseUrl === null) continue;
    const { origin } = new URL(baseUrl);
    addresses.push(baseUrl);
    const own = [binding.keyRef, ...Object.values(binding.headers)].filter((id) => id !== null);
    const shared = environment.filter((item) => item.origin === origin).map(({ id }) => id);
    for (const id of [...own, ...shared]) {
      const secret = await vault.open(id, origin).catch(() => null);
      if (secret !== null) secrets.push(secret);
    }
  }
  return { secrets, addresses };
}

function baseUrlOf(binding: SlotBinding): string | null {
  try {
    return resolveBinding(binding).baseUrl;
  } catch {
    return null;
  }
}
