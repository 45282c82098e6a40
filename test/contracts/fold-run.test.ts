import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../contracts/events.ts';
import { foldRun, nextSeq, openRun } from '../../contracts/fold-run.ts';
import { runRecordSchema } from '../../contracts/stored.ts';
import { acceptedRun, decisionOf, numbered } from '../fixtures/run-events.ts';

const opened = openRun({
  id: 'r1',
  conversationId: 'c1',
  task: 'What is two plus two?',
  agents: 'rehearsal',
  startedAt: 1_000,
});
const fold = (events: readonly RunEvent[], from = opened) => events.reduce(foldRun, from);
const story = acceptedRun('r1', ['Four', ', ', 'of course.']);

describe('foldRun', () => {
  it('gathers a whole run into a record that the database schema accepts', () => {
    const run = fold(story);
    expect(runRecordSchema.parse(run)).toEqual(run);
    expect(run).toMatchObject({
      status: 'accepted',
      answer: 'Four, of course.',
      verdict: { status: 'accepted', diagnosis: 'It is right.' },
      lastSeq: story.length - 1,
      endedAt: story.at(-1)?.at,
    });
    expect(run.turns).toMatchObject([
      {
        turn: 1,
        slot: 4,
        role: 'Worker',
        text: 'Four, of course.',
        reasoning: 'Adding.',
        resolvedModel: 'small-2026',
        finishReason: 'stop',
        complete: true,
        costUsd: null,
      },
      { turn: 2, slot: 2, role: 'Verifier', verdict: { status: 'accepted' } },
    ]);
  });

  it('shows streamed text before its turn is complete', () => {
    const run = fold(story.slice(0, 7));
    expect(run.status).toBe('running');
    expect(run.turns[0]).toMatchObject({ text: 'Four, ', complete: false });
  });

  it('leaves a record as it is on a repeated event, beyond a gap and on another run', () => {
    const run = fold(story.slice(0, 4));
    expect(foldRun(run, story[3] as RunEvent)).toBe(run);
    expect(foldRun(run, story[5] as RunEvent)).toBe(run);
    expect(foldRun(run, { ...(story[4] as RunEvent), runId: 'r2' })).toBe(run);
    expect(nextSeq(run)).toBe(4);
  });

  it('keeps the identity of turns that an event does not touch', () => {
    const before = fold(story.slice(0, 13));
    const after = foldRun(before, story[13] as RunEvent);
    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
  });

  it('keeps both decisions and the failure when a turn is selected again', () => {
    const second = decisionOf({
      slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'router', cause: 'failed' } },
      maskedMargin: 3.4,
    });
    const run = fold([
      ...story.slice(0, 4),
      ...numbered(
        'r1',
        [
          { type: 'delta', turn: 1, channel: 'reasoning', text: 'Lost thoughts.' },
          {
            type: 'dispatch_failed',
            turn: 1,
            call: 1,
            slot: 4,
            code: 'rate_limited',
            message: 'Too many requests.',
            httpStatus: 429,
            afterContent: false,
            next: 'reselect',
            latencyMs: 12,
          },
          { type: 'routed', turn: 1, decision: second },
        ],
        4,
      ),
    ]);
    expect(run.turns).toHaveLength(1);
    expect(run.turns[0]?.decisions.map((d) => d.slot.effective)).toEqual([4, 6]);
    expect(run.turns[0]?.failures).toEqual([
      { slot: 4, code: 'rate_limited', message: 'Too many requests.', next: 'reselect' },
    ]);
    expect(run.turns[0]).toMatchObject({ slot: 6, reasoning: '' });
  });

  it('keeps partial text and thoughts when a run fails in mid-stream', () => {
    const run = fold([
      ...story.slice(0, 6),
      ...numbered(
        'r1',
        [
          {
            type: 'dispatch_failed',
            turn: 1,
            call: 1,
            slot: 4,
            code: 'connection_lost',
            message: 'The connection ended.',
            httpStatus: null,
            afterContent: true,
            next: 'end',
            latencyMs: 90,
          },
          {
            type: 'run_failed',
            turn: 0,
            code: 'connection_lost',
            message: 'The connection ended.',
            answer: null,
            verdict: null,
          },
        ],
        6,
      ),
    ]);
    expect(run).toMatchObject({ status: 'failed', code: 'connection_lost', answer: null });
    expect(run.turns[0]).toMatchObject({ text: 'Four', reasoning: 'Adding.', complete: false });
  });

  it('ends the same however a stream is cut, repeated and re-attached', () => {
    const whole = fold(story);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(story.length), fc.nat(6)), { maxLength: 12 }),
        (cuts) => {
          let run = opened;
          for (const [length, overlap] of cuts) {
            const from = Math.max(0, nextSeq(run) - overlap);
            run = fold(story.slice(from, from + length), run);
          }
          expect(fold(story, run)).toEqual(whole);
        },
      ),
    );
  });
});
