import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runEventSchema, type RunEvent } from '../../../contracts/events.ts';
import { ConversationError } from '../../../main/conversations/errors.ts';
import { packEvents, unpackEvents } from '../../../main/conversations/event-packing.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';

const delta = fc.record({
  type: fc.constant('delta' as const),
  turn: fc.integer({ min: 1, max: 3 }),
  channel: fc.constantFrom('text' as const, 'reasoning' as const),
  text: fc.string({ unit: 'binary', maxLength: 12 }),
  at: fc.integer({ min: 0, max: 2 ** 41 }),
});
const other = fc.record({
  type: fc.constant('turn_started' as const),
  turn: fc.integer({ min: 1, max: 3 }),
  transcriptHash: fc.constant(`v1:${'c'.repeat(64)}`),
  messageCount: fc.nat(),
  at: fc.integer({ min: 0, max: 2 ** 41 }),
});
const events = fc
  .tuple(
    fc.nat(1000),
    fc.array(fc.oneof({ weight: 4, arbitrary: delta }, other), { maxLength: 60 }),
  )
  .map(([first, bodies]): RunEvent[] =>
    bodies.map((body, index) => ({ v: 1, runId: 'run', seq: first + index, ...body })),
  );

describe('packed events', () => {
  it('unpack to the same events, whatever the deltas hold', () => {
    fc.assert(
      fc.property(events, (run) => {
        expect(unpackEvents('run', packEvents(run))).toEqual(run);
      }),
    );
  });

  it('unpack a whole run to valid events', () => {
    const run = acceptedRun('run', ['Four', ', of', ' course.']);
    const unpacked = unpackEvents('run', packEvents(run));
    expect(unpacked).toEqual(run);
    for (const event of unpacked) runEventSchema.parse(event);
  });

  it('keep the text of many small deltas once, not a frame for each', () => {
    const run = acceptedRun(
      'run',
      Array.from({ length: 5000 }, () => 'abcd'),
    );
    const packed = packEvents(run);
    expect(packed.length).toBeLessThan(run.length * 20);
    expect(JSON.stringify(run).length).toBeGreaterThan(run.length * 80);
  });

  it('are refused by name when damaged', () => {
    for (const body of ['', '{', '{}', '[{"type":"nothing"}]', '[1]']) {
      expect(() => unpackEvents('run', body)).toThrow(ConversationError);
    }
  });
});
