import type { FinishReason } from '../../../contracts/events.ts';
import { arrayOf, countOf, objectOf, textOf, type JsonObject } from './json-values.ts';
import type { ReportedUsage, WireAdapter, WireEvent } from './port.ts';

/**
 * OpenAI Chat Completions, and what the servers that call themselves compatible make of it: vLLM,
 * llama.cpp, Ollama, LM Studio, OpenRouter, Mistral, DeepSeek, Groq and others.
 *
 * Source: the providers' API references ("Create chat completion", "The chat completion chunk object").
 */
export const openAiChat: WireAdapter = {
  format: 'openai-chat',

  payload({ view, model, parameters }, preset) {
    return {
      path: 'chat/completions',
      headers: {},
      body: {
        model,
        messages: [
          ...(view.system === '' ? [] : [{ role: 'system', content: view.system }]),
          ...view.messages.map(({ role, content }) => ({ role, content })),
        ],
        stream: true,
        ...(preset.asksForUsage ? { stream_options: { include_usage: true } } : {}),
        temperature: parameters.temperature,
        top_p: parameters.topP,
        [preset.maxTokensField]: parameters.maxTokens,
        reasoning_effort: parameters.reasoningEffort,
        stop: parameters.stop,
      },
    };
  },

  read: (value) => readChunk(value, 'delta'),
  readWhole: (value) => readChunk(value, 'message'),
  models: { path: 'models', headers: {}, read: readModelIds },
};

/** Ids of a list `{data: [{id}]}`, as OpenAI, Anthropic and the compatible servers send it. */
export function readModelIds(value: unknown): readonly string[] | null {
  const list = objectOf(value)?.['data'] ?? value;
  if (!Array.isArray(list)) return null;
  return list.map((item) => textOf(objectOf(item)?.['id'])).filter((id) => id !== null);
}

function readChunk(value: unknown, member: 'delta' | 'message'): WireEvent[] | null {
  const chunk = objectOf(value);
  if (chunk === null) return null;
  const error = chunk['error'];
  if (error !== undefined && error !== null) return [{ type: 'error', body: chunk }];
  const choice = objectOf(arrayOf(chunk['choices'])[0]);
  const usage = objectOf(chunk['usage']) ?? objectOf(objectOf(chunk['x_groq'])?.['usage']);
  if (choice === null && usage === null && !Array.isArray(chunk['choices'])) return null;

  const events: WireEvent[] = [];
  const id = textOf(chunk['id']);
  if (id !== null) events.push({ type: 'request_id', id });
  const model = textOf(chunk['model']);
  if (model !== null) events.push({ type: 'model', model });
  if (choice !== null) {
    // Some servers put whole messages into streams and deltas into whole answers.
    const delta =
      objectOf(choice[member]) ?? objectOf(choice['message']) ?? objectOf(choice['delta']);
    if (delta !== null) events.push(...contentOf(delta));
    else if (textOf(choice['text']) !== null) {
      events.push({ type: 'text', text: String(choice['text']) });
    }
    const reason = textOf(choice['finish_reason']);
    if (reason !== null) events.push({ type: 'finish', reason: finishOf(reason) });
  }
  if (usage !== null) events.push({ type: 'usage', usage: usageOf(usage) });
  return events;
}

function contentOf(delta: JsonObject): WireEvent[] {
  const events: WireEvent[] = [];
  // `reasoning_content` (DeepSeek, vLLM, llama.cpp) or `reasoning` (OpenRouter, Groq, Ollama), never both.
  const reasoning = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
  if (reasoning !== null) events.push({ type: 'reasoning', text: reasoning });
  const content = delta['content'];
  if (typeof content === 'string') {
    if (content !== '') events.push({ type: 'text', text: content });
  } else {
    for (const part of arrayOf(content)) events.push(...partOf(objectOf(part)));
  }
  const refusal = textOf(delta['refusal']);
  if (refusal !== null) {
    events.push({ type: 'text', text: refusal }, { type: 'refused' });
  }
  return events;
}

/** A content part: `text`, or Mistral's `thinking` with parts of its own. */
function partOf(part: JsonObject | null): WireEvent[] {
  if (part === null) return [];
  if (part['type'] === 'thinking') {
    const inner = part['thinking'];
    const texts =
      typeof inner === 'string'
        ? [inner]
        : arrayOf(inner).map((item) => textOf(objectOf(item)?.['text']));
    return texts
      .filter((text) => text !== null && text !== '')
      .map((text) => ({ type: 'reasoning', text: String(text) }));
  }
  const text = textOf(part['text']);
  return text === null ? [] : [{ type: 'text', text }];
}

function finishOf(reason: string): FinishReason {
  switch (reason.toLowerCase()) {
    case 'stop':
    case 'eos':
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'refusal':
    case 'safety':
      return 'refusal';
    case 'tool_calls':
    case 'function_call':
    case 'tool_use':
      return 'tool';
    default:
      return 'other';
  }
}

function usageOf(usage: JsonObject): ReportedUsage {
  return {
    inputTokens: countOf(usage['prompt_tokens']) ?? countOf(usage['input_tokens']),
    cachedInputTokens:
      countOf(objectOf(usage['prompt_tokens_details'])?.['cached_tokens']) ??
      countOf(usage['prompt_cache_hit_tokens']),
    outputTokens: countOf(usage['completion_tokens']) ?? countOf(usage['output_tokens']),
    reasoningTokens: countOf(objectOf(usage['completion_tokens_details'])?.['reasoning_tokens']),
  };
}
