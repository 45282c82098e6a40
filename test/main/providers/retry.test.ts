import { describe, expect, it } from 'vitest';
import { ProviderError, providerCodes } from '../../../main/providers/failure.ts';
import { defaultRetryPolicy, retryDelayMs } from '../../../main/providers/retry.ts';
import { retryAfterMs } from '../../../main/providers/retry-after.ts';

const now = Date.UTC(2026, 10, 30, 12, 0, 0);
const random = (value: number) => ({ next: () => value, id: () => '' });

describe('Retry-After', () => {
  it.each([
    [{ 'retry-after': '5' }, 5_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:07 GMT' }, 7_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-3' }, null],
    [{ 'retry-after': '1e9999' }, null],
    [{ 'retry-after': '2026' }, 2_026_000],
    [{}, null],
  ])('%o means %s ms', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});

describe('the delay before another attempt', () => {
  const failed = (code: 'server_error' | 'key_refused', wait?: number) =>
    new ProviderError(code, 'x', { retryAfterMs: wait ?? null });

  it('doubles from attempt to attempt up to its cap, between half and all of it', () => {
    const delays = (value: number) =>
      [1, 2, 3].map((attempt) =>
        retryDelayMs(failed('server_error'), attempt, defaultRetryPolicy, random(value)),
      );
    expect(delays(0)).toEqual([250, 500, 1_000]);
    expect(delays(1)).toEqual([500, 1_000, 2_000]);
    const late = { ...defaultRetryPolicy, attempts: 50 };
    expect(retryDelayMs(failed('server_error'), 40, late, random(1))).toBe(8_000);
  });

  it('is what the server asks for, never less', () => {
    const delay = retryDelayMs(failed('server_error', 700), 1, defaultRetryPolicy, random(0));
    expect(delay).toBe(700);
  });

  it('is none when the server asks for too long, or the attempts are used up', () => {
    expect(
      retryDelayMs(failed('server_error', 60_000), 1, defaultRetryPolicy, random(0)),
    ).toBeNull();
    expect(retryDelayMs(failed('server_error'), 4, defaultRetryPolicy, random(0))).toBeNull();
  });

  it('exists only for errors that another attempt may cure', () => {
    const cured = providerCodes.filter(
      (code) =>
        retryDelayMs(new ProviderError(code, 'x'), 1, defaultRetryPolicy, random(0)) !== null,
    );
    expect(cured.toSorted()).toEqual(
      [
        'connection_lost',
        'overloaded',
        'rate_limited',
        'request_timeout',
        'server_error',
      ].toSorted(),
    );
  });
});
