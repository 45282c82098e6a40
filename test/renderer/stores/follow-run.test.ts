import { beforeEach, describe, expect, it } from 'vitest';
import { streamWindow } from '../../../contracts/app/chat.ts';
import type { RunEvent } from '../../../contracts/events.ts';
import { followRun } from '../../../renderer/stores/follow-run.ts';
import { openRun } from '../../../contracts/fold-run.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

/** An app whose `attach` yields what a test puts there, batch by batch. */
class ScriptedStream extends FakeApp {
  readonly asked: number[] = [];
  batches: RunEvent[][] = [];

  override async *attach(_runId: string, fromSeq: number) {
    this.asked.push(fromSeq);
    yield { kind: 'opened' as const, streamId: 's1', state: 'live' as const };
    for (const events of this.batches) yield { kind: 'events' as const, events };
  }
}

const story = acceptedRun('r1', ['Four', ', of ', 'course.']);

describe('following a run', () => {
  let app: ScriptedStream;
  let page: TestPage;
  const runs = () => page.session.chat.getState().runs;
  const follow = () => followRun(page.session, 'r1', new AbortController().signal);

  beforeEach(async () => {
    app = new ScriptedStream();
    page = testPage(app);
    await page.connect();
    const run = openRun({
      id: 'r1',
      conversationId: 'c1',
      task: 'What is two plus two?',
      agents: 'rehearsal',
      startedAt: 0,
    });
    page.session.chat.setState({ conversationId: 'c1', runs: [run] });
  });

  it('folds a whole stream and says that the run ended', async () => {
    app.batches = [story];
    expect(await follow()).toBe('ended');
    expect(runs()[0]).toMatchObject({ status: 'accepted', answer: 'Four, of course.' });
  });

  it('asks for the first event it lacks', async () => {
    app.batches = [story.slice(0, 4)];
    expect(await follow()).toBe('interrupted');
    app.batches = [story.slice(4)];
    expect(await follow()).toBe('ended');
    expect(app.asked).toEqual([0, 4]);
  });

  it('never folds beyond a gap, and asks again from there', async () => {
    app.batches = [story.slice(0, 5), story.slice(6)];
    expect(await follow()).toBe('interrupted');
    expect(runs()[0]).toMatchObject({ lastSeq: 4, status: 'running' });
    app.batches = [story.slice(5)];
    expect(await follow()).toBe('ended');
    expect(app.asked).toEqual([0, 5]);
  });

  it('takes a repeated event once', async () => {
    app.batches = [story.slice(0, 8), story.slice(4, 8), story.slice(6)];
    expect(await follow()).toBe('ended');
    expect(runs()[0]?.turns[0]?.text).toBe('Four, of course.');
  });

  it('updates the store once for all events of a frame', async () => {
    let updates = 0;
    page.session.chat.subscribe(() => (updates += 1));
    app.batches = story.map((event) => [event]);
    await follow();
    expect(updates).toBe(1);
  });

  it('gives credits back only for events that are folded, and well before the window is empty', async () => {
    const many = acceptedRun(
      'r1',
      Array.from({ length: 300 }, () => 'a'),
    );
    const folded: number[] = [];
    const acknowledge = app.acknowledged.push.bind(app.acknowledged);
    app.acknowledged.push = (...items) => {
      folded.push(runs()[0]?.lastSeq ?? -1);
      return acknowledge(...items);
    };
    for (let at = 0; at < many.length; at += 40) app.batches.push(many.slice(at, at + 40));
    const done = follow();
    await page.until(() => expect(runs()[0]?.status).toBe('accepted'));
    await done;
    const seqs = app.acknowledged.map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThan(0);
    expect(seqs.at(-1)).toBeGreaterThan(many.length - 1 - streamWindow);
    seqs.forEach((seq, index) => expect(folded[index]).toBeGreaterThanOrEqual(seq));
  });

  it('is over at once for a run that has ended', async () => {
    page.session.chat.setState(({ runs: now }) => ({
      runs: now.map((run) => ({ ...run, status: 'accepted' as const })),
    }));
    expect(await follow()).toBe('ended');
    expect(app.asked).toEqual([]);
  });
});
