/**
 * How long a server asks to be left alone, in milliseconds; null when it does not say or says nonsense.
 * Understands `retry-after-ms`, and `retry-after` as seconds (fractions too) or as an HTTP date.
 *
 * @param now milliseconds since the Unix epoch, against which a date is measured
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const milliseconds = nonNegative(headers.get('retry-after-ms'));
  if (milliseconds !== null) return milliseconds;
  const value = headers.get('retry-after');
  const seconds = nonNegative(value);
  if (seconds !== null) return seconds * 1000;
  if (value === null || !/[a-z]{3}/i.test(value)) return null;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function nonNegative(text: string | null): number | null {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
