import type { RouteDecision } from '../../../contracts/route.ts';
import { decisionOf, type EventBody } from '../../fixtures/run-events.ts';
import type { Script } from './fake-app.ts';

const hash = `v1:${'a'.repeat(64)}`;

const answer = `The ball costs **$0.05**.

Call the ball *x*. Then the bat is *x* + 1, and together they are 1.10:

\`\`\`text
x + (x + 1) = 1.10
2x = 0.10
x = 0.05
\`\`\`

| thing | price |
| --- | ---: |
| ball | $0.05 |
| bat | $1.05 |
| together | $1.10 |

The tempting answer, $0.10, fails the check: the bat would then cost only $0.90 more.`;

/** One turn as a script plays it. */
export interface PlayedTurn {
  readonly decision: RouteDecision;
  readonly text: string;
  readonly reasoning?: string;
  readonly failure?: { readonly message: string; readonly again: RouteDecision };
  readonly verdict?: { status: 'accepted' | 'revised' | 'unknown'; diagnosis: string | null };
  readonly suggestion?: { role: 'Worker' | 'Verifier'; text: string };
}

/** Turns that show every kind of decision: suggested, redirected, selected again, and the router's own. */
export const tellingTurns: readonly PlayedTurn[] = [
  {
    decision: decisionOf({
      agentLogits: [2.4, -1.2, 4.4, 0.4, -3.1, -8.8, 9.8],
      roleLogits: [1.2, 3.9, -2.2],
    }),
    reasoning:
      'A classic: the first answer that comes to mind is wrong. I should ask for the equation.',
    text: 'The first answer that comes to mind is wrong here.\n\n<suggestion>Set up one equation for the ball and solve it.</suggestion>\n<suggested_role>worker</suggested_role>',
    suggestion: { role: 'Worker', text: 'Set up one equation for the ball and solve it.' },
  },
  {
    decision: decisionOf({
      tokenCount: 98,
      hiddenIndex: 96,
      reusedTokens: 57,
      roleLogits: [2.1, -1.4, 5.6],
      role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'suggestion', turn: 1 } },
    }),
    failure: {
      message: 'The provider is rate limiting this key.',
      again: decisionOf({
        tokenCount: 98,
        hiddenIndex: 96,
        reusedTokens: 57,
        roleLogits: [2.1, -1.4, 5.6],
        slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'router', cause: 'failed' } },
        role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'suggestion', turn: 1 } },
        maskedMargin: 3.4,
      }),
    },
    text: answer,
  },
  {
    decision: decisionOf({
      tokenCount: 254,
      hiddenIndex: 252,
      reusedTokens: 98,
      agentLogits: [3.3, 11.2, 8.7, -0.2, 1.5, -5.8, 4.1],
      roleLogits: [-1.2, -3.4, 7.7],
      timings: { queueMs: 0.1, tokenizeMs: 2.2, runMs: 311, totalMs: 313.3, chunks: 2 },
    }),
    text: 'ACCEPT\n\nThe equation is right and the result passes the check.',
    verdict: {
      status: 'accepted',
      diagnosis: 'The equation is right and the result passes the check.',
    },
  },
];

/**
 * A script that plays turns.
 *
 * @param pause between two pieces of text; the run stops where it is when the person stops it
 */
export function playing(turns: readonly PlayedTurn[], pause: () => Promise<void>): Script {
  return async ({ task, emit, stopped }) => {
    emit({
      type: 'run_started',
      turn: 0,
      task,
      maxTurns: 5,
      agentCount: 7,
      agents: 'rehearsal',
      transcriptHash: hash,
    });
    let calls = 0;
    let lastAnswer: string | null = null;
    let verdict: PlayedTurn['verdict'] | null = null;
    for (const [index, played] of turns.entries()) {
      const turn = index + 1;
      const say = (body: object) => emit({ turn, ...body } as EventBody);
      say({ type: 'turn_started', transcriptHash: hash, messageCount: turn });
      await pause();
      say({ type: 'routed', decision: played.decision });
      let decision = played.decision;
      if (played.failure !== undefined) {
        calls += 1;
        say(dispatch(decision, calls));
        await pause();
        say(failed(decision, calls, played.failure.message));
        decision = played.failure.again;
        say({ type: 'routed', decision });
      }
      calls += 1;
      say(dispatch(decision, calls));
      const said = await stream(say, played, pause, stopped);
      const complete = said === played.text;
      const role = decision.role.effective;
      if (complete) say(finished(decision, calls));
      verdict = (complete ? played.verdict : null) ?? verdict ?? null;
      if (complete && role === 'Worker') lastAnswer = said;
      say({
        type: 'turn_completed',
        slot: decision.slot.effective,
        role,
        text: said,
        textHash: hash,
        complete,
        verdict: complete ? (played.verdict ?? null) : null,
        suggestion: complete ? (played.suggestion ?? null) : null,
      });
      if (!complete) {
        emit({
          type: 'run_completed',
          turn: 0,
          status: 'stopped',
          budget: null,
          answer: lastAnswer,
          verdict: verdict ?? null,
        });
        return;
      }
    }
    const status = verdict?.status === 'accepted' ? 'accepted' : 'max_turns';
    emit({
      type: 'run_completed',
      turn: 0,
      status,
      budget: null,
      answer: lastAnswer,
      verdict: verdict ?? null,
    });
  };
}

async function stream(
  say: (body: object) => void,
  played: PlayedTurn,
  pause: () => Promise<void>,
  stopped: AbortSignal,
): Promise<string> {
  if (played.reasoning !== undefined) {
    say({ type: 'delta', channel: 'reasoning', text: played.reasoning });
    await pause();
  }
  let said = '';
  for (const piece of played.text.match(/[\s\S]{1,9}/g) ?? []) {
    if (stopped.aborted) return said;
    said += piece;
    say({ type: 'delta', channel: 'text', text: piece });
    await pause();
  }
  return said;
}

function dispatch(decision: RouteDecision, call: number) {
  const { slot, role } = decision;
  return {
    type: 'dispatch_started',
    call,
    slot: slot.effective,
    role: role.effective,
    provider: 'rehearsal',
    model: 'rehearsal',
  };
}

function failed(decision: RouteDecision, call: number, message: string) {
  return {
    type: 'dispatch_failed',
    call,
    slot: decision.slot.effective,
    code: 'rate_limited',
    message,
    httpStatus: 429,
    afterContent: false,
    next: 'reselect',
    latencyMs: 120,
  };
}

function finished(decision: RouteDecision, call: number) {
  return {
    type: 'dispatch_finished',
    call,
    slot: decision.slot.effective,
    finishReason: 'stop',
    usage: { inputTokens: 212, outputTokens: 148, reasoningTokens: null, estimated: true },
    costUsd: null,
    resolvedModel: null,
    requestId: null,
    firstTokenMs: 88,
    latencyMs: 1_240,
    skippedChunks: 0,
  };
}
