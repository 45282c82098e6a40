/**
 * The forms in which a secret may come back in somebody's text: plain, JSON-escaped, URL-encoded (both
 * letter cases, space as `+` too), base64 (any alignment, both alphabets) and hexadecimal.
 *
 * Of base64 only the characters that do not depend on the neighbours are given, and only where at least
 * six are left: fewer would also stand for ordinary text. Longest first, so that who replaces one after
 * the other replaces whole forms. Nothing for an empty secret.
 */
export function secretForms(secret: string): string[] {
  if (secret === '') return [];
  const bytes = new TextEncoder().encode(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const encoded = encodeURIComponent(secret.toWellFormed());
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((shift) => stableBase64(bytes, shift));
  const forms = [
    secret,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    escaped.replaceAll('/', '\\/'),
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    hex,
    hex.toUpperCase(),
    ...[...base64, ...base64.map(toUrlAlphabet)].filter((form) => form.length >= 6),
  ];
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** The base64 of the bytes as it stands inside that of a longer text, `shift` bytes past a boundary. */
function stableBase64(bytes: Uint8Array, shift: number): string {
  const padded = Array.from({ length: shift }, () => '\0').join('');
  const binary = padded + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const from = [0, 2, 3][shift] ?? 0;
  return btoa(binary).slice(from, Math.floor((binary.length * 8) / 6));
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
