import { createHash } from 'node:crypto';
import { messagesHash } from '../../../contracts/hashes.ts';
import type { RouteLogits } from '../../../contracts/route.ts';
import type { Router } from '../../../contracts/router.ts';
import { routedText, type Message } from '../../../contracts/transcript.ts';

export interface ScriptedRoute {
  readonly agentLogits: readonly number[];
  readonly roleLogits: readonly number[];
  readonly tokenCount: number;
}

/** A router that answers from a script keyed by routed text, once `onRoute` has settled. */
export function scriptedRouter(
  script: ReadonlyMap<string, ScriptedRoute>,
  onRoute: (text: string, call: number) => unknown = () => undefined,
): Router {
  let call = 0;
  return {
    async route({ messages }) {
      const text = routedText(messages);
      call += 1;
      await onRoute(text, call);
      const found = script.get(text);
      if (found === undefined) throw new Error(`no scripted route for ${text.slice(0, 60)}`);
      return routeLogits(messages, found);
    },
  };
}

/** A complete RouteLogits around scripted numbers. */
export function routeLogits(messages: readonly Message[], route: ScriptedRoute): RouteLogits {
  return {
    agentLogits: [...route.agentLogits],
    roleLogits: [...route.roleLogits],
    tokenCount: route.tokenCount,
    hiddenIndex: Math.max(0, route.tokenCount - 2),
    window: { limit: null, omitted: 0, cut: 0 },
    reusedTokens: 0,
    timings: { queueMs: 0, tokenizeMs: 0, runMs: 1, totalMs: 1, chunks: 1 },
    profile: 'cpu-f32',
    adapterRef: 'a'.repeat(64),
    graphVersion: 1,
    tokenizer: 'typed',
    routedHash: messagesHash(messages, (text) => createHash('sha256').update(text).digest('hex')),
  };
}
