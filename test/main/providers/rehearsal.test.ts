import { describe, expect, it } from 'vitest';
import { parseSuggestion } from '../../../coordinator/thinker.ts';
import { parseVerdict } from '../../../coordinator/verdict.ts';
import { ProviderError } from '../../../main/providers/failure.ts';
import { rehearsalBindings } from '../../../main/providers/rehearsal/bindings.ts';
import { parseRehearsalScript } from '../../../main/providers/rehearsal/script.ts';
import { createRehearsalStream } from '../../../main/providers/rehearsal/stream.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { callOf, collect, question, shapeOf, testPool } from './harness.ts';

function rehearse(script?: object): ReturnType<typeof testPool>['agents'] {
  return testPool({
    bindings: rehearsalBindings(7),
    ...(script === undefined
      ? {}
      : { script: parseRehearsalScript(JSON.stringify({ version: 1, ...script })) }),
  }).agents;
}

const words = { accept: 'ACCEPT', revise: 'REVISE' };

const view = (content: string) => ({ ...question, messages: [{ role: 'user' as const, content }] });

describe('rehearsal agents without a script', () => {
  it('give the same pieces for the same call', async () => {
    const [first, second] = [await collect(rehearse()), await collect(rehearse())];
    const pieces = (events: typeof first.events) =>
      events.flatMap((event) => (event.type === 'delta' ? [event.text] : []));
    expect(pieces(first.events)).toEqual(pieces(second.events));
    expect(pieces(first.events).length).toBeGreaterThan(10);
    expect(shapeOf(first.events)).toEqual(['started', 'reasoning', 'text', 'finished:stop']);
  });

  it('let a Thinker suggest in the grammar that the coordinator reads', async () => {
    const { text } = await collect(rehearse(), callOf({ role: 'Thinker', slot: 3 }));
    expect(parseSuggestion(text)?.role).toBe('Worker');
  });

  it('let a Verifier accept at its first judgement', async () => {
    const { text } = await collect(rehearse(), callOf({ role: 'Verifier' }));
    expect(parseVerdict(text, words).status).toBe('accepted');
  });

  it('let a Verifier send a task back once that asks to be revised', async () => {
    const task = 'Please revise the list.';
    const first = await collect(rehearse(), callOf({ role: 'Verifier', view: view(task) }));
    expect(parseVerdict(first.text, words).status).toBe('revised');
    const quoted = `[Turn 2, Verifier]\n> ${first.text}\n\nThe task:\n${task}`;
    const second = await collect(rehearse(), callOf({ role: 'Verifier', view: view(quoted) }));
    expect(parseVerdict(second.text, words).status).toBe('accepted');
  });

  it('shorten a long task between whole characters', async () => {
    const { text } = await collect(rehearse(), callOf({ view: view('👩‍👩‍👧‍👦'.repeat(200)) }));
    expect(text).toContain(`${'👩‍👩‍👧‍👦'.repeat(80)}…`);
  });
});

describe('rehearsal agents with a script', () => {
  it('say exactly what the first matching entry says', async () => {
    const agents = rehearse({
      entries: [
        { when: { role: 'Verifier' }, reply: 'status: ACCEPT\n\tno grammar  ' },
        { reply: 'for everyone else', finishReason: 'length' },
      ],
    });
    const verifier = await collect(agents, callOf({ role: 'Verifier' }));
    expect(verifier.text).toBe('status: ACCEPT\n\tno grammar  ');
    const worker = await collect(agents);
    expect(worker.text).toBe('for everyone else');
    expect(shapeOf(worker.events).at(-1)).toBe('finished:length');
  });

  it('fail as told, then answer when an entry has served its times', async () => {
    const agents = rehearse({
      entries: [{ times: 2, error: { code: 'server_error', httpStatus: 500 } }, { reply: 'there' }],
    });
    const { events, text } = await collect(agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:server_error:retrying',
      'started',
      'failed:server_error:retrying',
      'started',
      'text',
      'finished:stop',
    ]);
    expect(text).toBe('there');
  });

  it('keep what was said before an error, and do not try again after it', async () => {
    const agents = rehearse({
      entries: [{ reply: 'half of it', error: { code: 'stream_cut' } }],
    });
    const { events, text } = await collect(agents);
    expect(text).toBe('half of it');
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:stream_cut']);
  });

  it('stall until they are stopped', async () => {
    const agents = rehearse({ entries: [{ reply: 'some', stall: 'after' }] });
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const event of agents.call(callOf(), stop.signal)) {
      seen.push(event.type === 'failed' ? event.code : event.type);
      if (event.type === 'delta') stop.abort();
    }
    expect(seen).toEqual(['started', 'delta', 'stopped']);
  });

  it('refuse a script that is not one, naming the member', () => {
    const parse = (text: string) => () => parseRehearsalScript(text);
    expect(parse('{')).toThrow(ProviderError);
    expect(parse('{"version":1,"entries":[{"replies":"x"}]}')).toThrow(/entries\.0/);
    expect(parse('{"version":2,"entries":[]}')).toThrow(/version/);
  });
});

describe('pacing', () => {
  it('waits between pieces by the clock it was given', async () => {
    const clock = new ManualClock();
    const stream = createRehearsalStream({ clock, paceMs: 25, script: null });
    const steps = stream(
      { ...callOf(), model: 'scripted', parameters: {} },
      new AbortController().signal,
    );
    const first = steps.next();
    await Promise.resolve();
    expect(clock.pendingTimers).toBe(1);
    clock.advance(25);
    expect(await first).toMatchObject({ done: false, value: { type: 'reasoning' } });
  });
});
