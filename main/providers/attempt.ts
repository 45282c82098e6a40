import type { KeyVault } from '../../contracts/ports.ts';
import { openCredentials } from './credentials.ts';
import { resolveBinding } from './layout.ts';
import type { Attempt } from './pool.ts';
import type { RehearsalStream } from './rehearsal/stream.ts';
import { adapterOf } from './wire/adapters.ts';
import { exchange, type ExchangeParts } from './wire/exchange.ts';

export interface AttemptParts extends ExchangeParts {
  readonly vault: KeyVault;
  readonly rehearsal: RehearsalStream;
}

/**
 * One attempt at a slot: rehearsed, or sent in its provider's wire format with the slot's secrets, which
 * are opened before any socket is.
 */
export function createAttempt(parts: AttemptParts): Attempt {
  return async function* attempt(binding, request, signal) {
    const { preset, baseUrl } = resolveBinding(binding);
    const adapter = adapterOf(preset.wireFormat);
    if (baseUrl === null || adapter === null) {
      yield* parts.rehearsal(request, signal);
      return;
    }
    const { headers, secrets } = await openCredentials(parts.vault, binding, preset, baseUrl);
    const { timeouts } = binding;
    const target = { adapter, preset, baseUrl, secretHeaders: headers, secrets, timeouts };
    yield* exchange(parts, target, request, signal);
  };
}
