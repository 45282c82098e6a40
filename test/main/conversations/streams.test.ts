import { describe, expect, it } from 'vitest';
import { streamWindow, type Attached } from '../../../contracts/app/chat.ts';
import { openService, settled } from './open-service.ts';

/** Takes everything that a stream gives without waiting longer than the events that are ready. */
function reader(stream: AsyncGenerator<Attached, void>) {
  const seqs: number[] = [];
  const seen = { seqs, streamId: '', state: '', hasEnded: false };
  const done = (async () => {
    for await (const message of stream) {
      if (message.kind === 'opened') {
        seen.streamId = message.streamId;
        seen.state = message.state;
      } else {
        seqs.push(...message.events.map((event) => event.seq));
      }
    }
    seen.hasEnded = true;
  })();
  return Object.assign(seen, { done });
}

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, seq) => seq);

function startedRun(parts = openService()) {
  const { id } = parts.service.create();
  const { runId } = parts.service.runs.start(id, 'What is two plus two?', {});
  parts.loop.last.begin();
  return { ...parts, id, runId };
}

describe('a stream attached to a run', () => {
  it('gives every event from the first one, then ends with the run', async () => {
    const { service, loop, runId } = startedRun();
    const stream = reader(service.runs.attach(runId, 0));
    loop.last.say('Four', '.');
    await settled();
    expect(stream).toMatchObject({ state: 'live', seqs: upTo(5), hasEnded: false });
    service.runs.stop(runId);
    await stream.done;
    expect(stream.seqs).toEqual(upTo(6));
  });

  it('goes on after the event that a window has', async () => {
    const { service, loop, runId } = startedRun();
    loop.last.say('Four', '.');
    await settled();
    const stream = reader(service.runs.attach(runId, 4));
    loop.last.say(' Yes.');
    service.runs.stop(runId);
    await stream.done;
    expect(stream.seqs).toEqual([4, 5, 6, 7]);
  });

  it('is settled and replays the same events once the run has ended', async () => {
    const { service, loop, runId } = startedRun();
    loop.last.say('Four', '.');
    service.runs.stop(runId);
    await settled();
    const stream = reader(service.runs.attach(runId, 0));
    await stream.done;
    expect(stream).toMatchObject({ state: 'settled', seqs: upTo(6) });
  });

  it('stops at its window until the window acknowledges, and slows neither run nor others', async () => {
    const { service, loop, runId } = startedRun();
    const stalled = reader(service.runs.attach(runId, 0));
    const keen = reader(service.runs.attach(runId, 0));
    const pieces = 20 * streamWindow;
    for (let said = 0; said < pieces; said += 100) {
      loop.last.say(...Array.from({ length: 100 }, () => 'x'));
      await settled();
      service.runs.acknowledge(keen.streamId, keen.seqs.at(-1) ?? -1);
    }
    await settled();
    const last = keen.seqs.at(-1) ?? 0;
    expect(last).toBeGreaterThan(pieces);
    expect(keen.seqs).toEqual(upTo(last));
    expect(stalled.seqs).toEqual(upTo(streamWindow - 1));

    service.runs.acknowledge(stalled.streamId, 99);
    await settled();
    expect(stalled.seqs).toEqual(upTo(streamWindow + 99));

    service.runs.stop(runId);
    while (!stalled.hasEnded) {
      service.runs.acknowledge(stalled.streamId, stalled.seqs.at(-1) ?? -1);
      service.runs.acknowledge(keen.streamId, keen.seqs.at(-1) ?? -1);
      await settled();
    }
    await keen.done;
    expect(stalled.seqs).toEqual(keen.seqs);
  });

  it('ends at once when its window leaves while it waits, by signal or by return', async () => {
    const { service, loop, runId } = startedRun();
    await settled();
    const leaving = new AbortController();
    const bySignal = reader(service.runs.attach(runId, 0, leaving.signal));
    const byReturn = service.runs.attach(runId, 0);
    await byReturn.next();
    await byReturn.next();
    const waiting = byReturn.next();
    await settled();
    expect(service.runs.openStreams).toBe(2);
    leaving.abort();
    await bySignal.done;
    await byReturn.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(service.runs.openStreams).toBe(0);
    loop.last.say('still running');
    await settled();
    expect(service.conversations.read(loop.last.start.conversationId).liveRunId).toBe(runId);
  });

  it('ends when the program closes', async () => {
    const { service, runId } = startedRun();
    const stream = reader(service.runs.attach(runId, 0));
    await settled();
    await service.close();
    await stream.done;
    expect(stream.seqs).toEqual(upTo(4));
  });

  it('of an unknown run is refused', () => {
    const { service } = openService();
    expect(() => service.runs.attach('none', 0)).toThrow(/no run none/);
  });
});
