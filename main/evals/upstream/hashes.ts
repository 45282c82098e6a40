import { createHash } from 'node:crypto';
import { deflate } from 'pako';
import type { Message } from '../../../contracts/transcript.ts';
import { encodeTerm, encodeVersioned, type Term } from './external-term.ts';

const versionTag = 131;
const compressedTag = 80;
const zlibLevel = 6;

/**
 * The transcript hash of the published evaluation snapshots: sha256 of the Erlang external term of the
 * message list, compressed where that is not longer.
 *
 * Erlang compresses with stock zlib at level 6, so the bytes must be stock zlib's: `pako` 2 gives them,
 * Node's own zlib (a fork with other matching) does not.
 */
export function upstreamTranscriptHash(messages: readonly Message[]): string {
  const term: Term = {
    kind: 'list',
    items: messages.map(({ role, content }) => ({
      kind: 'map',
      entries: [
        ['role', { kind: 'binary', value: role }],
        ['content', { kind: 'binary', value: content }],
      ],
    })),
  };
  const raw = encodeTerm(term);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(raw.length);
  const compressed = Buffer.concat([
    Buffer.of(versionTag, compressedTag),
    size,
    deflate(raw, { level: zlibLevel }),
  ]);
  const plain = Buffer.concat([Buffer.of(versionTag), raw]);
  return sha256(compressed.length <= plain.length ? compressed : plain);
}

/**
 * The route hash of the published snapshots: sha256 of the external term `[agent, role, logits]`, the
 * logits (agents, then roles) rounded to six decimals.
 */
export function upstreamRouteHash(
  agentId: number,
  roleId: number,
  agentLogits: readonly number[],
  roleLogits: readonly number[],
): string {
  const term: Term = {
    kind: 'list',
    items: [
      { kind: 'integer', value: agentId },
      { kind: 'integer', value: roleId },
      {
        kind: 'list',
        items: [...agentLogits, ...roleLogits].map((logit) => ({
          kind: 'float',
          value: roundToSixDecimals(logit),
        })),
      },
    ],
  };
  return sha256(encodeVersioned(term));
}

/** Rounds the exact binary value, ties away from zero: what upstream used, and what toFixed does. */
function roundToSixDecimals(value: number): number {
  return Number(value.toFixed(6));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
