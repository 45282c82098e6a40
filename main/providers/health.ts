import type { Clock } from '../../contracts/ports.ts';
import type { SlotHealth } from '../../contracts/slots.ts';
import type { ProviderCode, ProviderError } from './failure.ts';

/** Codes that say something of one request only, and nothing of the slot. */
const ofTheRequest: ReadonlySet<ProviderCode> = new Set([
  'stopped',
  'request_refused',
  'context_too_long',
  'answer_too_long',
  'slot_missing',
  'slot_disabled',
  'spending_cap',
  'price_unknown',
  'internal',
]);

/** Codes that only a person cures: another call right away fails the same way. */
const lasting: ReadonlySet<ProviderCode> = new Set([
  'unknown_provider',
  'base_url_missing',
  'key_missing',
  'key_shape',
  'key_other_origin',
  'key_unavailable',
  'dns_failed',
  'connection_refused',
  'tls_failed',
  'proxy_failed',
  'redirected',
  'key_refused',
  'access_denied',
  'region_blocked',
  'no_credit',
  'model_not_found',
  'address_not_found',
  'wrong_content_type',
  'malformed_answer',
]);

const failuresBeforeOpen = 3;
const shortestMs = 15_000;
const longestMs = 300_000;

interface Record {
  health: SlotHealth;
  /** Attempts that failed since the last good one. */
  failures: number;
}

/**
 * The circuit of every slot. `limited` after the provider asked to slow down, `failing` after an error
 * that lasts or three passing ones in a row; both for a time that doubles while it does not get better.
 * When the time is over the slot may be called again, and that call decides.
 */
export class HealthBook {
  readonly #clock: Clock;
  readonly #slots = new Map<number, Record>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(slot: number): SlotHealth {
    return this.#slots.get(slot)?.health ?? { state: 'untried' };
  }

  /** True when the slot may be called now. */
  isCallable(slot: number): boolean {
    const health = this.of(slot);
    return !('until' in health) || health.until <= this.#clock.now();
  }

  succeeded(slot: number): void {
    this.#slots.set(slot, { health: { state: 'healthy' }, failures: 0 });
  }

  failed(slot: number, error: ProviderError): void {
    const { code } = error;
    if (ofTheRequest.has(code)) return;
    const record = this.#slots.get(slot) ?? { health: { state: 'untried' }, failures: 0 };
    this.#slots.set(slot, record);
    record.failures += 1;
    const doubled = Math.min(
      shortestMs * 2 ** Math.max(0, record.failures - failuresBeforeOpen),
      longestMs,
    );
    const now = this.#clock.now();
    if (code === 'rate_limited') {
      record.health = { state: 'limited', until: now + (error.retryAfterMs ?? doubled) };
    } else if (lasting.has(code) || record.failures >= failuresBeforeOpen) {
      record.health = { state: 'failing', until: now + (error.retryAfterMs ?? doubled), code };
    }
  }

  /** Forgets a slot: its binding or its key is another one now. */
  forget(slot: number): void {
    this.#slots.delete(slot);
  }
}
