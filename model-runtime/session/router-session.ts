import { createHash } from 'node:crypto';
import { messagesHash } from '../../contracts/hashes.ts';
import type { PrecisionMap, ProfileId } from '../../contracts/profiles.ts';
import type { RouteLogits, RouteRequest } from '../../contracts/route.ts';
import { routedText, type Message } from '../../contracts/transcript.ts';
import type { RequestContext } from '../process/process-server.ts';
import { cancelled, RuntimeError } from '../runtime-error.ts';
import type { GraphRunner } from './graph-runner.ts';
import { uncappedCharacters } from './limits.ts';
import { countTokens } from './count-tokens.ts';
import { LineTokens } from './line-tokens.ts';
import {
  commonPrefix,
  truncatedState,
  type PrefixCache,
  type PrefixState,
} from './prefix-cache.ts';
import { planRun } from './run-plan.ts';
import type { RouterTokenizer, TokenizerMode } from './tokenizer.ts';
import { windowTranscript } from './window.ts';

export interface RouterSessionParts {
  readonly runner: GraphRunner;
  readonly tokenizer: RouterTokenizer;
  readonly cache: PrefixCache;
  readonly profile: ProfileId;
  /** Where it is not the profile's own. */
  readonly precision?: PrecisionMap;
  /** Tokens of one call at most; left out, 128. */
  readonly callTokens?: number;
  readonly adapterRef: string;
  readonly graphVersion: number;
  /** Agents come first among the logits, roles after them. */
  readonly agentCount: number;
  readonly keyValueHeads: number;
  readonly vocabSize: number;
  /** The longest transcript the graph can read, in tokens. */
  readonly maxPositions: number;
}

/** A loaded router. One request at a time. */
export class RouterSession {
  readonly #parts: RouterSessionParts;
  readonly #lines: LineTokens;

  constructor(parts: RouterSessionParts) {
    this.#parts = parts;
    this.#lines = new LineTokens(parts.tokenizer);
  }

  /**
   * Routes a transcript: reads it through the window, runs what the prefix cache does not hold, and gives the
   * head's logits at the second-to-last token. The last token is not run: attention is causal.
   *
   * @throws RuntimeError `invalid_request`, `too_long`, `run_failed`; `cancelled` between two chunks, with
   *   what was run by then kept in the cache
   */
  async route(request: RouteRequest, context: RequestContext): Promise<RouteLogits> {
    const { profile, precision, adapterRef, graphVersion, agentCount } = this.#parts;
    const started = performance.now();
    const tokenizer = request.tokenizer ?? 'typed';
    refuseUnreadable(request);
    const { messages, report } = windowTranscript(request.messages, request, (line) => {
      return this.#lines.of(line, tokenizer).length;
    });
    const ids = this.#tokenize(messages, tokenizer);
    const tokenized = performance.now();
    const { logits, reusedTokens, chunks } = await this.#run(ids, request, context);
    const ended = performance.now();
    return {
      agentLogits: logits.slice(0, agentCount),
      roleLogits: logits.slice(agentCount),
      tokenCount: ids.length,
      hiddenIndex: Math.max(0, ids.length - 2),
      window: report,
      reusedTokens,
      timings: {
        queueMs: 0,
        tokenizeMs: tokenized - started,
        runMs: ended - tokenized,
        totalMs: ended - started,
        chunks,
      },
      profile,
      ...(precision !== undefined && { precision }),
      adapterRef,
      graphVersion,
      tokenizer,
      routedHash: messagesHash(messages, (text) => createHash('sha256').update(text).digest('hex')),
    };
  }

  /** Tokens of each text. @throws RuntimeError `too_long`, `cancelled` */
  countTokens(texts: readonly string[], context: RequestContext): Promise<number[]> {
    return countTokens(this.#parts.tokenizer, texts, context);
  }

  async close(): Promise<void> {
    this.#parts.cache.clear();
    await this.#parts.runner.close();
  }

  #tokenize(messages: readonly Message[], mode: TokenizerMode): number[] {
    const ids: number[] = [];
    messages.forEach((message, index) => {
      const newline = index < messages.length - 1 ? '\n' : '';
      for (const id of this.#lines.of(`${routedText([message])}${newline}`, mode)) ids.push(id);
    });
    const { maxPositions, vocabSize } = this.#parts;
    if (ids.length > maxPositions) {
      const sentence = `The transcript has ${ids.length} tokens; this router reads ${maxPositions}.`;
      throw new RuntimeError('too_long', sentence);
    }
    if (ids.some((id) => id >= vocabSize)) {
      const sentence = `The tokenizer gives ids that this router's vocabulary of ${vocabSize} does not have.`;
      throw new RuntimeError('tokenizer_invalid', sentence);
    }
    return ids;
  }

  async #run(
    ids: readonly number[],
    { cacheKey, cache = 'readwrite' }: RouteRequest,
    { signal, breathe, report }: RequestContext,
  ): Promise<{ logits: number[]; reusedTokens: number; chunks: number }> {
    const { runner, keyValueHeads } = this.#parts;
    const needed = ids.slice(0, Math.max(1, ids.length - 1));
    const kept = this.#kept(cacheKey);
    const common = commonPrefix(kept.ids, needed);
    const plan = planRun(needed.length, common, this.#parts.callTokens);
    // A lone token's state comes from another kernel than that of the same token among others.
    const keeps = cacheKey !== undefined && cache === 'readwrite' && needed.length > 1;
    let state = truncatedState(kept, keyValueHeads, plan.reused);
    let logits: number[] | null = null;
    for (const [index, length] of plan.chunks.entries()) {
      await breathe();
      if (signal.aborted) {
        if (keeps && state.ids.length > common) this.#parts.cache.set(cacheKey, state);
        throw cancelled();
      }
      const isLast = index === plan.chunks.length - 1;
      const chunk = needed.slice(state.ids.length, state.ids.length + length);
      const result = await runner.run(chunk, state, { logits: isLast, state: !isLast || keeps });
      state = result.state ?? state;
      logits = result.logits;
      report(
        needed.length - plan.reused - remaining(plan.chunks, index),
        needed.length - plan.reused,
      );
    }
    if (logits === null) throw new RuntimeError('run_failed', 'The run gave no logits.');
    if (keeps) this.#parts.cache.set(cacheKey, state);
    return { logits, reusedTokens: plan.reused, chunks: plan.chunks.length };
  }

  #kept(cacheKey: string | undefined): PrefixState {
    const { cache, runner } = this.#parts;
    return (cacheKey === undefined ? undefined : cache.get(cacheKey)) ?? runner.emptyState();
  }
}

function remaining(chunks: readonly number[], index: number): number {
  return chunks.slice(index + 1).reduce((sum, length) => sum + length, 0);
}

function refuseUnreadable({ messages, messageCharacters }: RouteRequest): void {
  if (messages.length === 0) {
    throw new RuntimeError('invalid_request', 'There is nothing to route: no message was given.');
  }
  if (messageCharacters !== null) return;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (characters > uncappedCharacters) {
    throw new RuntimeError(
      'too_long',
      `The transcript has ${characters} characters; at most ${uncappedCharacters} are read.`,
    );
  }
}
