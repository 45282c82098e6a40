import type { VaultItem } from '../../../contracts/keys.ts';
import { last4Of } from './last4.ts';

/** A variable that may hold a key, and the one origin that the key may go to. */
export interface KeyVariable {
  readonly variable: string;
  readonly origin: string;
}

export interface EnvironmentKey {
  readonly item: VaultItem;
  readonly secret: string;
}

/**
 * The keys that the environment holds. Only the variables given are looked at; a key is bound to its
 * variable's origin, whatever base URL a slot has.
 */
export function environmentKeys(
  variables: readonly KeyVariable[],
  env: Readonly<Record<string, string | undefined>>,
): EnvironmentKey[] {
  const keys = new Map<string, EnvironmentKey>();
  for (const { variable, origin } of variables) {
    const secret = env[variable]?.trim() ?? '';
    if (secret === '') continue;
    // Two presets may share a variable: one item an origin.
    const id = `env:${variable}@${origin}`;
    keys.set(id, { secret, item: { id, scheme: 'env', origin, last4: last4Of(secret) } });
  }
  return [...keys.values()];
}
