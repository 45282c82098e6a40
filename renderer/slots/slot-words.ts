import type { KeyScheme, VaultItem } from '../../contracts/keys.ts';
import type { SlotHealth } from '../../contracts/slots.ts';
import type { Fact } from '../controls/fact-chip.tsx';
import type { SlotSpending } from '../../contracts/app/slots.ts';
import type { TestState } from '../stores/slot-state.ts';
import { costText, countText, durationText } from '../routing/numbers.ts';

/**
 * A slot's health in a few words. A single call that failed in passing proves nothing either. What calls have shown goes before what a test did; a test that says
 * something newer makes the host forget the calls.
 *
 * @param test the slot's latest test, if any
 */
export function healthFact(health: SlotHealth, test: TestState | null, now: number): Fact {
  switch (health.state) {
    case 'untried':
      if (test?.phase !== 'done') return { text: 'Not proven yet', tone: 'neutral' };
      return test.result.ok
        ? { text: 'Test passed', tone: 'good' }
        : { text: 'Test failed', tone: 'danger' };
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

/** What a slot spent in a month; null when it was not called. Calls of unknown price are said, never 0. */
export function spendingWords(
  spending: readonly SlotSpending[],
  slot: number,
  now: number,
): string | null {
  const month = new Date(now).toISOString().slice(0, 7);
  const found = spending.find((one) => one.slot === slot && one.month === month);
  if (found === undefined || found.calls === 0) return null;
  const calls = countText(found.calls, 'call');
  const unpriced = found.unpricedCalls === 0 ? '' : `, ${found.unpricedCalls} of unknown price`;
  const cost = found.unpricedCalls === found.calls ? 'cost unknown' : costText(found.usd);
  return `${cost} this month, ${calls}${found.unpricedCalls === found.calls ? '' : unpriced}`;
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
