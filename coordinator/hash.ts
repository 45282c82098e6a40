import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../contracts/canonical-json.ts';
import { messagesHash, type TextHash } from '../contracts/hashes.ts';
import type { Message } from '../contracts/transcript.ts';

/** Lower-case hex sha256 of a text's UTF-8 bytes. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Hash of the routed messages before the window: `v1:` + sha256 of their canonical JSON. */
export function transcriptHash(messages: readonly Message[]): TextHash {
  return messagesHash(messages, sha256);
}

/** Hash of one text: `v1:` + sha256 of its canonical JSON. */
export function textHash(text: string): TextHash {
  return `v1:${sha256(canonicalJson(text))}`;
}

/**
 * The form of a text hash for places that others may read: `h1:` + HMAC-SHA-256 of the plain hash.
 * A plain hash of a short text can be guessed by trying; this one cannot be without the key.
 *
 * @param key the installation's key, 32 random bytes
 */
export function keyedHash(hash: TextHash, key: Uint8Array): TextHash {
  return `h1:${createHmac('sha256', key).update(hash, 'utf8').digest('hex')}`;
}
