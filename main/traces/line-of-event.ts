import type { RunEvent, Verdict } from '../../contracts/events.ts';
import type { TextHash } from '../../contracts/hashes.ts';
import { routeDecisionSchema } from '../../contracts/route.ts';
import type { Message } from '../../contracts/transcript.ts';
import { keyedHash, textHash } from '../../coordinator/hash.ts';
import type { Redaction } from './redaction.ts';
import type { TraceLine } from './trace-line.ts';

type WithoutPrev<L> = L extends TraceLine ? Omit<L, 'prev'> : never;
export type TraceBody = WithoutPrev<TraceLine>;

export interface LineForm {
  /** `hash` keeps no text and keys every hash of one; `full` keeps both as they are. */
  readonly content: 'hash' | 'full';
  /** The installation's key. */
  readonly key: Uint8Array;
  /** Routed messages before the run's task; only a full trace has them, on its first line. */
  readonly earlier: readonly Message[];
  readonly redaction: Redaction;
}

/**
 * The line of an event, without `prev`. Each member is named here: what an event has beyond them does
 * not reach the file. Messages of failures quote servers, so that only a full trace has them, redacted.
 */
export function lineOfEvent(event: RunEvent, form: LineForm): TraceBody {
  const { v, seq, runId, turn, at } = event;
  const head = { v, seq, runId, turn, at };
  const { redaction } = form;
  const isFull = form.content === 'full';
  const hashOf = (hash: TextHash) => (isFull ? hash : keyedHash(hash, form.key));
  const outcome = ({ answer, verdict }: { answer: string | null; verdict: Verdict | null }) => ({
    answerHash: answer === null ? null : hashOf(textHash(answer)),
    verdict: verdictOf(verdict, form),
    ...(isFull && { answer: answer === null ? null : redaction.text(answer) }),
  });
  switch (event.type) {
    case 'run_started':
      return {
        ...head,
        type: event.type,
        maxTurns: event.maxTurns,
        agentCount: event.agentCount,
        agents: event.agents,
        transcriptHash: hashOf(event.transcriptHash),
        ...(isFull && {
          task: redaction.text(event.task),
          ...(form.earlier.length > 0 && {
            earlier: form.earlier.map(({ role, content }) => ({
              role,
              content: redaction.text(content),
            })),
          }),
          ...(event.given !== undefined && {
            given: event.given.map((text) => redaction.text(text)),
          }),
        }),
      };
    case 'turn_started':
      return {
        ...head,
        type: event.type,
        transcriptHash: hashOf(event.transcriptHash),
        messageCount: event.messageCount,
      };
    case 'routed': {
      // Parsing keeps the decision's own members only.
      const decision = routeDecisionSchema.parse(event.decision);
      return {
        ...head,
        type: event.type,
        decision: {
          ...decision,
          transcriptHash: hashOf(decision.transcriptHash),
          routedHash: hashOf(decision.routedHash),
        },
      };
    }
    case 'dispatch_started':
      return {
        ...head,
        type: event.type,
        call: event.call,
        slot: event.slot,
        role: event.role,
        provider: nameOf(event.provider, redaction),
        model: nameOf(event.model, redaction),
      };
    case 'delta':
      return {
        ...head,
        type: event.type,
        channel: event.channel,
        characters: event.text.length,
        ...(isFull && { text: redaction.text(event.text) }),
      };
    case 'dispatch_finished':
      return {
        ...head,
        type: event.type,
        call: event.call,
        slot: event.slot,
        finishReason: event.finishReason,
        usage:
          event.usage === null
            ? null
            : {
                inputTokens: event.usage.inputTokens,
                outputTokens: event.usage.outputTokens,
                reasoningTokens: event.usage.reasoningTokens,
                estimated: event.usage.estimated,
              },
        costUsd: event.costUsd,
        resolvedModel: event.resolvedModel === null ? null : nameOf(event.resolvedModel, redaction),
        requestId: idOf(event.requestId, redaction),
        firstTokenMs: event.firstTokenMs,
        latencyMs: event.latencyMs,
        skippedChunks: event.skippedChunks,
      };
    case 'dispatch_failed':
      return {
        ...head,
        type: event.type,
        call: event.call,
        slot: event.slot,
        code: codeOf(event.code),
        httpStatus: event.httpStatus,
        afterContent: event.afterContent,
        next: event.next,
        latencyMs: event.latencyMs,
        ...(isFull && { message: redaction.message(event.message) }),
      };
    case 'turn_completed':
      return {
        ...head,
        type: event.type,
        slot: event.slot,
        role: event.role,
        textHash: hashOf(event.textHash),
        characters: event.text.length,
        complete: event.complete,
        verdict: verdictOf(event.verdict, form),
        suggestion:
          event.suggestion === null
            ? null
            : {
                role: event.suggestion.role,
                ...(isFull && { text: redaction.text(event.suggestion.text) }),
              },
        ...(isFull && { text: redaction.text(event.text) }),
      };
    case 'run_completed':
      return {
        ...head,
        type: event.type,
        status: event.status,
        budget: event.budget,
        ...outcome(event),
      };
    case 'run_failed':
      return {
        ...head,
        type: event.type,
        code: codeOf(event.code),
        ...outcome(event),
        ...(isFull && { message: redaction.message(event.message) }),
      };
  }
}

function verdictOf(verdict: Verdict | null, { content, redaction }: LineForm) {
  if (verdict === null) return null;
  const { status, diagnosis } = verdict;
  if (content === 'hash') return { status };
  return { status, diagnosis: diagnosis === null ? null : redaction.text(diagnosis) };
}

/** Codes come from closed lists; whatever else may stand there is not written. */
function codeOf(code: string): string {
  return /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'other';
}

function nameOf(text: string, redaction: Redaction): string {
  return redaction
    .name(text)
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .slice(0, 300);
}

/** An id that a server gave: kept when it looks like one. */
function idOf(id: string | null, redaction: Redaction): string | null {
  if (id === null || !/^[\w.:/+=-]{1,128}$/.test(id)) return null;
  return redaction.name(id);
}
