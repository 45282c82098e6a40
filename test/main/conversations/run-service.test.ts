import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { RunEvent } from '../../../contracts/events.ts';
import { untitled } from '../../../main/conversations/title.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';
import { openService, settled } from './open-service.ts';
import { SteppedLoop } from './stepped-loop.ts';

/** Hands out the events of an accepted run, numbered for whichever run asks. */
class AcceptedLoop extends SteppedLoop {
  override run(...[start, signal]: Parameters<SteppedLoop['run']>) {
    const events = super.run(start, signal);
    this.last.emit(
      acceptedRun(start.runId, ['Four', '.']).map((event) =>
        event.type === 'run_started' ? { ...event, task: start.task } : event,
      ),
    );
    return events;
  }
}

describe('starting a run', () => {
  it('names the conversation after its first message, sends the draft, and moves it to the front', async () => {
    const { service, loop, clock } = openService();
    const { id } = service.create();
    clock.advance(5);
    service.create();
    service.conversations.saveDraft(id, 'What is two plus two?');
    expect(service.runs.read(id)).toMatchObject({
      title: untitled,
      draft: 'What is two plus two?',
    });
    clock.advance(5);
    const { runId } = service.runs.start(id, 'What is two plus two?', { role: 'Worker' });
    expect(service.runs.read(id)).toMatchObject({
      title: 'What is two plus two?',
      draft: '',
      liveRunId: runId,
    });
    const list = await service.list({ query: '', before: null, limit: 10 });
    expect(list.conversations[0]?.id).toBe(id);
    await settled();
    expect(loop.last.start).toMatchObject({
      runId,
      task: 'What is two plus two?',
      pins: { role: 'Worker' },
    });
  });

  it('keeps the title that a person gave', () => {
    const { service } = openService();
    const { id } = service.create();
    service.conversations.rename(id, 'Sums');
    service.runs.start(id, 'What is two plus two?', {});
    expect(service.runs.read(id).title).toBe('Sums');
  });

  it('is refused while the conversation is being answered, and allowed again afterwards', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    const { runId } = service.runs.start(id, 'first', {});
    expect(() => service.runs.start(id, 'second', {})).toThrow(
      expect.objectContaining({ code: 'run_in_progress' }),
    );
    expect(loop.runs).toHaveLength(1);
    service.runs.stop(runId);
    await settled();
    service.runs.start(id, 'second', {});
    expect(loop.runs).toHaveLength(2);
  });

  it('is refused with a sentence for a pinned slot that the router does not have', () => {
    const { service, loop } = openService();
    const { id } = service.create();
    expect(() => service.runs.start(id, 'task', { slot: 7 })).toThrow(
      expect.objectContaining({
        code: 'no_such_slot',
        message: expect.stringMatching(/no slot 7: this router has slots 0 to 6/),
      }),
    );
    expect(service.runs.read(id).runs).toEqual([]);
    service.runs.start(id, 'task', { slot: 6 });
    expect(loop.runs).toHaveLength(1);
  });

  it('tells the loop of earlier runs, their answers, and the system prompt', async () => {
    const { service, loop } = openService({ loop: new AcceptedLoop() });
    const { id } = service.create();
    service.conversations.setSystemPrompt(id, 'Be brief.');
    service.runs.start(id, 'first', {});
    await settled();
    service.runs.start(id, 'second', {});
    expect(loop.last.start).toMatchObject({
      systemPrompt: 'Be brief.',
      earlier: [{ task: 'first', answer: 'Four.' }],
    });
  });
});

describe('a run', () => {
  it('is kept as the fold of its events, turn by turn', async () => {
    const { service, traced } = openService({ loop: new AcceptedLoop() });
    const { id } = service.create();
    const { runId } = service.runs.start(id, 'What is two plus two?', {});
    await settled();
    const record = openRun({
      id: runId,
      conversationId: id,
      task: '',
      agents: 'slots',
      startedAt: 0,
    });
    const kept = service.runs.read(id).runs;
    expect(kept).toEqual([traced.reduce(foldRun, record)]);
    expect(kept[0]).toMatchObject({ status: 'accepted', answer: 'Four.' });
  });

  it('shows its text as it streams, before a turn is complete', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    service.runs.start(id, 'task', {});
    loop.last.begin();
    loop.last.say('Fo', 'ur');
    await settled();
    expect(service.runs.read(id).runs[0]).toMatchObject({
      status: 'running',
      turns: [{ text: 'Four', slot: 4, role: 'Worker', complete: false }],
    });
  });

  it('keeps the partial text when it is stopped', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    const { runId } = service.runs.start(id, 'task', {});
    loop.last.begin();
    loop.last.say('Fo');
    await settled();
    service.runs.stop(runId);
    await settled();
    expect(service.runs.read(id)).toMatchObject({
      liveRunId: null,
      runs: [{ status: 'stopped', turns: [{ text: 'Fo', complete: false }] }],
    });
    service.runs.stop(runId);
  });

  it('that its loop breaks off becomes a failed run, with one terminal event and what was said', async () => {
    const { service, traced } = openService({ loop: new BreakingLoop() });
    const { id } = service.create();
    service.runs.start(id, 'task', {});
    await settled();
    expect(service.runs.read(id).runs[0]).toMatchObject({
      status: 'failed',
      code: 'internal',
      message: 'a defect',
      turns: [{ text: 'Fo' }],
    });
    expect(traced.map((event) => event.seq)).toEqual(traced.map((_, index) => index));
    expect(traced.filter((event) => event.type === 'run_failed')).toHaveLength(1);
  });

  it('goes on without any window, and is stopped when the program closes', async () => {
    const { service, loop, traced } = openService();
    const { id } = service.create();
    service.runs.start(id, 'task', {});
    loop.last.begin();
    await settled();
    await service.close();
    expect(loop.last.signal.aborted).toBe(true);
    expect(traced.at(-1)).toMatchObject({ type: 'run_completed', status: 'stopped' });
    expect(() => service.runs.start(id, 'more', {})).toThrow(
      expect.objectContaining({ code: 'closed' }),
    );
    await service.close();
  });

  it('is stopped and gone when its conversation is removed', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    service.runs.start(id, 'task', {});
    loop.last.begin();
    await service.runs.remove(id);
    expect(loop.last.isReturned).toBe(true);
    expect(() => service.runs.read(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

class BreakingLoop extends SteppedLoop {
  override async *run(
    ...[start, signal]: Parameters<SteppedLoop['run']>
  ): AsyncGenerator<RunEvent, void, undefined> {
    const events = super.run(start, signal);
    this.last.begin();
    this.last.say('Fo');
    for (let count = 0; count < 5; count += 1) {
      const { value } = await events.next();
      if (value !== undefined) yield value;
    }
    throw new Error('a defect');
  }
}

describe('a what-if', () => {
  it('asks about the conversation as it stands and leaves no trace in it', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    const options = { pins: { slot: 2 }, disabledSlots: [1] };
    await service.runs.whatIf(id, 'And three?', options);
    expect(loop.questions).toEqual([
      { conversationId: id, task: 'And three?', systemPrompt: '', earlier: [], ...options },
    ]);
    expect(service.runs.read(id).runs).toEqual([]);
  });
});

describe('a what-if before there is a conversation', () => {
  it('asks about the text alone and creates nothing', async () => {
    const { service, loop } = openService();
    const options = { pins: {}, disabledSlots: [] };
    await service.runs.whatIf(null, 'Hello?', options);
    expect(loop.questions).toEqual([
      { conversationId: null, task: 'Hello?', systemPrompt: '', earlier: [], ...options },
    ]);
    const list = await service.list({ query: '', before: null, limit: 10 });
    expect(list.conversations).toEqual([]);
  });
});

describe('changes', () => {
  it('tell every window of runs that start and end, and repeat none that waits', async () => {
    const { service } = openService();
    const changes = service.changes.subscribe();
    const { id } = service.create();
    service.changes.publish({ kind: 'conversation', id });
    const { runId } = service.runs.start(id, 'task', {});
    service.runs.stop(runId);
    await settled();
    const seen = [];
    for (let count = 0; count < 3; count += 1) seen.push((await changes.next()).value);
    expect(seen).toEqual([
      { kind: 'conversation', id },
      { kind: 'run_started', id, runId },
      { kind: 'run_ended', id, runId },
    ]);
    await changes.return();
    expect(service.changes.size).toBe(0);
  });

  it('forget a window that leaves before it has taken anything', async () => {
    const { service } = openService();
    await service.changes.subscribe().return();
    expect(service.changes.size).toBe(0);
  });
});
