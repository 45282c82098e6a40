import type { KeyScheme, VaultItem } from '../../contracts/keys.ts';
import type { SlotHealth } from '../../contracts/slots.ts';
import type { Fact } from '../controls/fact-chip.tsx';
import { durationText } from '../routing/numbers.ts';

/** A slot's health in a few words. */
export function healthFact(health: SlotHealth, now: number): Fact {
  switch (health.state) {
    case 'untried':
      return { text: 'Not tried yet', tone: 'neutral' };
    case 'healthy':
      return { text: 'Working', tone: 'good' };
    case 'limited':
      return { text: `Rate limited, ${untilWords(health.until, now)}`, tone: 'caution' };
    case 'failing':
      return { text: `Failing (${health.code}), ${untilWords(health.until, now)}`, tone: 'danger' };
  }
}

function untilWords(until: number, now: number): string {
  return until <= now ? 'about to be tried again' : `again in ${durationText(until - now)}`;
}

export const schemeNames: Readonly<Record<KeyScheme, string>> = {
  'safe-storage': 'System keychain',
  passphrase: 'Passphrase',
  'plain-0600': 'Private file, unencrypted',
  session: 'This session only',
  env: 'Environment',
};

/** What may be said of a key: where it is kept and its last characters, never more. */
export function keyWords(key: VaultItem): string {
  const ending = key.last4 === null ? 'key' : `key …${key.last4}`;
  return key.scheme === 'env'
    ? `${ending}, from the environment`
    : `${ending}, ${schemeNames[key.scheme].toLowerCase()}`;
}
