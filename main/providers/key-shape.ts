import { ProviderError } from './failure.ts';

/**
 * A key as it can travel in a header: surrounding blank space, line breaks and quotes that came along
 * with a paste are taken off, as is a leading `Bearer`.
 *
 * @throws ProviderError `key_shape` for what no key holds: nothing, blank space inside, non-ASCII
 */
export function cleanKey(text: string): string {
  let key = text.replace(/[\r\n\u200b\ufeff]/g, '').trim();
  key = key.replace(/^Bearer\s+/i, '');
  for (;;) {
    const inner = /^(["'`])(.*)\1$/.exec(key)?.[2]?.trim();
    if (inner === undefined) break;
    key = inner;
  }
  if (/\s/.test(key)) {
    throw new ProviderError(
      'key_shape',
      'The key has a space inside. Was more than the key copied?',
    );
  }
  return checked(key, 'key');
}

/**
 * The value of a header as it can travel: surrounding blank space and line breaks are taken off.
 *
 * @throws ProviderError `key_shape` for nothing and for what no header can carry
 */
export function cleanHeaderValue(text: string): string {
  return checked(text.replace(/[\r\n\u200b\ufeff]/g, '').trim(), 'value');
}

function checked(secret: string, what: string): string {
  if (secret === '') throw new ProviderError('key_shape', `The ${what} is empty.`);
  // Printable ASCII is all that a header carries unharmed.
  const odd = /[^\x20-\x7e]/u.exec(secret)?.[0];
  if (odd === undefined) return secret;
  const point = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new ProviderError(
    'key_shape',
    `The ${what} holds a character that cannot be sent (U+${point}). Copy it again from the provider, as plain text.`,
  );
}
