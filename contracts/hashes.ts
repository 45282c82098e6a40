import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';
import type { Message } from './transcript.ts';

/** Lower-case hex sha256 of a UTF-8 text; passed in, so that this room needs no crypto. */
export type Sha256 = (text: string) => string;

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** A versioned text hash: `v1:` plain sha256, or `h1:` HMAC-SHA-256 with the installation's key. */
export const textHashSchema = z.string().regex(/^(v1|h1):[0-9a-f]{64}$/);
export type TextHash = z.infer<typeof textHashSchema>;

/**
 * Our hash of a message list: `v1:` + sha256 of its canonical JSON. `transcriptHash` is taken over the
 * routed messages before the window, `routedHash` over what the router read after it.
 */
export function messagesHash(messages: readonly Message[], sha256: Sha256): TextHash {
  const plain = messages.map(({ role, content }) => ({ role, content }));
  return `v1:${sha256(canonicalJson(plain))}`;
}
