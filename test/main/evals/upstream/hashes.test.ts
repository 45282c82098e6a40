import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { margin } from '../../../../contracts/logits.ts';
import { encodeTerm, encodeVersioned } from '../../../../main/evals/upstream/external-term.ts';
import {
  upstreamRouteHash,
  upstreamTranscriptHash,
} from '../../../../main/evals/upstream/hashes.ts';
import { skipUnless } from '../../../fixtures/skip.ts';
import { hasReference, noReference, rawSnapshot, referenceCases } from '../reference-fixture.ts';

describe('encodeTerm', () => {
  it('writes the bytes that the format prescribes', () => {
    expect(encodeVersioned({ kind: 'integer', value: 4 })).toEqual(Buffer.of(131, 97, 4));
    expect(encodeTerm({ kind: 'integer', value: 256 })).toEqual(Buffer.of(98, 0, 0, 1, 0));
    expect(encodeTerm({ kind: 'integer', value: -1 })).toEqual(Buffer.of(98, 255, 255, 255, 255));
    expect(encodeTerm({ kind: 'float', value: 1 })).toEqual(
      Buffer.of(70, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0),
    );
    expect(encodeTerm({ kind: 'binary', value: 'é' })).toEqual(
      Buffer.of(109, 0, 0, 0, 2, 0xc3, 0xa9),
    );
    expect(encodeTerm({ kind: 'list', items: [] })).toEqual(Buffer.of(106));
    expect(encodeTerm({ kind: 'list', items: [{ kind: 'integer', value: 1 }] })).toEqual(
      Buffer.of(108, 0, 0, 0, 1, 97, 1, 106),
    );
    expect(encodeTerm({ kind: 'map', entries: [['a', { kind: 'integer', value: 1 }]] })).toEqual(
      Buffer.of(116, 0, 0, 0, 1, 119, 1, 97, 97, 1),
    );
  });
  it('refuses what the tags used here cannot hold', () => {
    expect(() => encodeTerm({ kind: 'integer', value: 2 ** 40 })).toThrow(RangeError);
    expect(() =>
      encodeTerm({ kind: 'map', entries: [['a'.repeat(256), { kind: 'list', items: [] }]] }),
    ).toThrow(RangeError);
  });
});

describe('upstream hashes', () => {
  it('take the uncompressed form where compression would be longer', () => {
    const term = Buffer.concat([
      Buffer.of(131, 108, 0, 0, 0, 1, 116, 0, 0, 0, 2),
      Buffer.of(119, 4),
      Buffer.from('role'),
      Buffer.of(109, 0, 0, 0, 4),
      Buffer.from('user'),
      Buffer.of(119, 7),
      Buffer.from('content'),
      Buffer.of(109, 0, 0, 0, 1),
      Buffer.from('.'),
      Buffer.of(106),
    ]);
    expect(upstreamTranscriptHash([{ role: 'user', content: '.' }])).toBe(
      createHash('sha256').update(term).digest('hex'),
    );
  });

  skipUnless(hasReference, noReference).describe(
    'reproduce every hash of the published snapshot',
    () => {
      it('transcript hashes, 37 of 37', () => {
        const byId = new Map(referenceCases().map((entry) => [entry.id, entry]));
        const equal = rawSnapshot().filter(
          (entry) => upstreamTranscriptHash(byId.get(entry.id)!.messages) === entry.transcript_hash,
        );
        expect(equal).toHaveLength(37);
      });
      it('margins from the stored logits to a millionth, and both choices, 37 of 37', () => {
        const follows = rawSnapshot().filter((entry) => {
          const { agent_logits_rounded: agents, role_logits_rounded: roles } = entry;
          const [, agentSecond] = [...agents].sort((one, other) => other - one);
          const [, roleSecond] = [...roles].sort((one, other) => other - one);
          const agentMargin = agents[entry.agent_id]! - agentSecond!;
          const roleMargin = roles[entry.role_id]! - roleSecond!;
          return (
            Math.abs(agentMargin - entry.agent_margin) <= 1e-6 &&
            Math.abs(roleMargin - entry.role_margin) <= 1e-6 &&
            Math.abs((margin(agents) ?? 0) - agentMargin) < 1e-12 &&
            Math.abs((margin(roles) ?? 0) - roleMargin) < 1e-12
          );
        });
        expect(follows).toHaveLength(37);
      });
      it('expectations, which are the recorded choices, 37 of 37', () => {
        const byId = new Map(rawSnapshot().map((entry) => [entry.id, entry]));
        const equal = referenceCases().filter(({ id, expected }) => {
          const entry = byId.get(id)!;
          return (
            expected.agentIds?.join() === String(entry.agent_id) &&
            expected.roleIds?.join() === String(entry.role_id)
          );
        });
        expect(equal).toHaveLength(37);
      });
      it('route hashes, 37 of 37', () => {
        const equal = rawSnapshot().filter(
          (entry) =>
            upstreamRouteHash(
              entry.agent_id,
              entry.role_id,
              entry.agent_logits_rounded,
              entry.role_logits_rounded,
            ) === entry.route_hash,
        );
        expect(equal).toHaveLength(37);
      });
    },
  );
});
