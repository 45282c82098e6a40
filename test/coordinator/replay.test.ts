import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../contracts/events.ts';
import type { Message } from '../../contracts/transcript.ts';
import type { ReplayedRoute } from '../../coordinator/replay.ts';
import { replayRoutes } from '../../coordinator/replay.ts';
import {
  ScriptedAgents,
  ScriptedRouter,
  collect,
  logitsFor,
  runInput,
  says,
  streams,
  failure,
} from './scripted-run.ts';

const earlier: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'b' },
];

async function replayOf(
  events: readonly RunEvent[],
  router: ScriptedRouter,
): Promise<ReplayedRoute[]> {
  const routes: ReplayedRoute[] = [];
  for await (const route of replayRoutes(earlier, events, router, new AbortController().signal)) {
    routes.push(route);
  }
  return routes;
}

const script = () => [logitsFor(1, 'Worker'), logitsFor(2, 'Verifier')];
const recorded = (router: ScriptedRouter) =>
  collect(
    runInput({
      router,
      agents: new ScriptedAgents([streams(failure('down')), says('42'), says('ACCEPT')]),
      systemPrompt: 'Be brief.',
      history: [{ task: 'a', answer: 'b' }],
    }),
  );

describe('replayRoutes', () => {
  it('asks once a turn with the transcript that was routed, and agrees with an equal router', async () => {
    const first = new ScriptedRouter(script());
    const events = await recorded(first);
    const second = new ScriptedRouter(script());
    const routes = await replayOf(events, second);
    expect(second.requests.map(({ messages }) => messages)).toEqual(
      first.requests.map(({ messages }) => messages),
    );
    expect(routes).toMatchObject([
      { turn: 1, slot: { recorded: 1, now: 1 }, logitDifference: 0, sameTranscript: true },
      { turn: 2, role: { recorded: 'Verifier', now: 'Verifier' }, sameRouter: true },
    ]);
  });

  it('shows what another router decides', async () => {
    const events = await recorded(new ScriptedRouter(script()));
    const other = { ...logitsFor(0, 'Thinker'), adapterRef: 'd'.repeat(64) };
    const routes = await replayOf(events, new ScriptedRouter([other]));
    expect(routes[0]).toMatchObject({
      slot: { recorded: 1, now: 0 },
      role: { recorded: 'Worker', now: 'Thinker' },
      logitDifference: 6,
      sameRouter: false,
    });
  });

  it('notices a text that is not the one that was routed', async () => {
    const events = (await recorded(new ScriptedRouter(script()))).map((event) =>
      event.type === 'turn_completed' ? { ...event, text: `${event.text}!` } : event,
    );
    const routes = await replayOf(events, new ScriptedRouter(script()));
    expect(routes.map(({ sameTranscript }) => sameTranscript)).toEqual([true, false]);
  });
});
