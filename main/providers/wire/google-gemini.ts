import type { FinishReason } from '../../../contracts/events.ts';
import type { SlotParameters } from '../../../contracts/slots.ts';
import { arrayOf, countOf, objectOf, textOf, type JsonObject } from './json-values.ts';
import type { ReportedUsage, WireAdapter, WireEvent } from './port.ts';

/**
 * Google Gemini, `streamGenerateContent` with server-sent events.
 *
 * Source: the Gemini API reference ("Generating content", "Thinking"). The stream has no end mark: it
 * ends with the connection, after a chunk that carries `finishReason`.
 */
export const googleGemini: WireAdapter = {
  format: 'google-gemini',

  payload({ view, model, parameters }) {
    return {
      path: `models/${encodeURIComponent(model.replace(/^models\//, ''))}:streamGenerateContent?alt=sse`,
      headers: {},
      body: {
        ...(view.system === '' ? {} : { systemInstruction: { parts: [{ text: view.system }] } }),
        contents: view.messages.map(({ role, content }) => ({
          role: role === 'assistant' ? 'model' : 'user',
          parts: [{ text: content }],
        })),
        generationConfig: {
          temperature: parameters.temperature,
          topP: parameters.topP,
          maxOutputTokens: parameters.maxTokens,
          stopSequences: parameters.stop,
          thinkingConfig: thinkingOf(model, parameters.reasoningEffort),
        },
      },
    };
  },

  read: readChunk,
  readWhole: readChunk,
  models: { path: 'models?pageSize=1000', headers: {}, read: readModelNames },
};

/** Tokens that a 2.5 model may think for; later models take the level's name. */
const budgets = { minimal: 512, low: 1_024, medium: 8_192, high: 24_576 } as const;

function thinkingOf(model: string, effort: SlotParameters['reasoningEffort']): object | undefined {
  if (effort === undefined) return undefined;
  return model.includes('gemini-2.5')
    ? { includeThoughts: true, thinkingBudget: budgets[effort] }
    : { includeThoughts: true, thinkingLevel: effort.toUpperCase() };
}

function readChunk(value: unknown): WireEvent[] | null {
  const chunk = objectOf(value);
  if (chunk === null) return null;
  if (objectOf(chunk['error']) !== null) return [{ type: 'error', body: chunk }];
  const candidate = objectOf(arrayOf(chunk['candidates'])[0]);
  const usage = objectOf(chunk['usageMetadata']);
  const blocked = textOf(objectOf(chunk['promptFeedback'])?.['blockReason']);
  if (candidate === null && usage === null && blocked === null) return null;

  const events: WireEvent[] = [];
  const id = textOf(chunk['responseId']);
  if (id !== null) events.push({ type: 'request_id', id });
  const model = textOf(chunk['modelVersion']);
  if (model !== null) events.push({ type: 'model', model });
  for (const part of arrayOf(objectOf(candidate?.['content'])?.['parts'])) {
    const text = textOf(objectOf(part)?.['text']);
    const isThought = objectOf(part)?.['thought'] === true;
    if (text !== null) events.push({ type: isThought ? 'reasoning' : 'text', text });
  }
  if (usage !== null) events.push({ type: 'usage', usage: usageOf(usage) });
  const reason = textOf(candidate?.['finishReason']);
  if (blocked !== null) events.push({ type: 'finish', reason: 'refusal' });
  else if (reason !== null) events.push({ type: 'finish', reason: finishOf(reason) });
  return events;
}

function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'STOP':
      return 'stop';
    case 'MAX_TOKENS':
      return 'length';
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
      return 'refusal';
    case 'MALFORMED_FUNCTION_CALL':
    case 'UNEXPECTED_TOOL_CALL':
    case 'TOO_MANY_TOOL_CALLS':
      return 'tool';
    default:
      return 'other';
  }
}

/** Gemini counts thoughts beside the answer; both are output, and billed as such. */
function usageOf(usage: JsonObject): ReportedUsage {
  const answer = countOf(usage['candidatesTokenCount']);
  const thoughts = countOf(usage['thoughtsTokenCount']);
  return {
    inputTokens: countOf(usage['promptTokenCount']),
    cachedInputTokens: countOf(usage['cachedContentTokenCount']),
    outputTokens: answer === null && thoughts === null ? null : (answer ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts,
  };
}

function readModelNames(value: unknown): readonly string[] | null {
  const list = objectOf(value)?.['models'];
  if (!Array.isArray(list)) return null;
  return list
    .map((item) => textOf(objectOf(item)?.['name']))
    .filter((name) => name !== null)
    .map((name) => name.replace(/^models\//, ''));
}
