/** A logit or margin: two decimals, a real minus sign, a dash for what is unknown. */
export function logitText(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–';
  const text = Math.abs(value).toFixed(2);
  return value < 0 && text !== '0.00' ? `−${text}` : text;
}

/** A margin, and the word for one under its floor. */
export function marginWords(value: number | null, isUnsure = false): string {
  return isUnsure ? `${logitText(value)}, unsure` : logitText(value);
}

/** A share as a percentage: never a rounded 0 or 100 that is not one. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  const isPlain = percent === 0 || percent === 100 || (percent >= 10 && percent < 99.5);
  return `${isPlain ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

/** Milliseconds below a second, else seconds; a dash for what is unknown. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1) return '<1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A price in dollars; what is unknown is unknown, never 0. */
export function costText(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  if (bytes < 1_000_000_000) return `${Math.round(bytes / 1_000_000)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** The beginning of a hash that a person can compare, without its version prefix. */
export function shortHash(hash: string): string {
  return hash.replace(/^(v1|h1):/, '').slice(0, 12);
}
