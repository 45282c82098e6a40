import type { FinishReason } from '../../../contracts/events.ts';
import { arrayOf, countOf, objectOf, textOf, type JsonObject } from './json-values.ts';
import { readModelIds } from './openai-chat.ts';
import type { ReportedUsage, WireAdapter, WireEvent } from './port.ts';

const headers = { 'anthropic-version': '2023-06-01' };

/**
 * Anthropic Messages.
 *
 * Source: Anthropic's API reference ("Create a Message", "Streaming Messages", "Adaptive thinking",
 * "Effort"). Reasoning effort asks for adaptive thinking, which models from Claude 4.6 on understand.
 */
export const anthropicMessages: WireAdapter = {
  format: 'anthropic-messages',

  payload({ view, model, parameters }, preset) {
    const { reasoningEffort } = parameters;
    return {
      path: 'messages',
      headers,
      body: {
        model,
        // The one format in which the limit may not be left out.
        max_tokens: parameters.maxTokens ?? preset.unsetMaxTokens ?? 8_192,
        ...(view.system === '' ? {} : { system: view.system }),
        messages: view.messages.map(({ role, content }) => ({ role, content })),
        stream: true,
        temperature: parameters.temperature,
        top_p: parameters.topP,
        stop_sequences: parameters.stop,
        ...(reasoningEffort === undefined
          ? {}
          : {
              thinking: { type: 'adaptive', display: 'summarized' },
              output_config: { effort: reasoningEffort === 'minimal' ? 'low' : reasoningEffort },
            }),
      },
    };
  },

  read: readEvent,
  readWhole: readMessage,
  models: { path: 'models?limit=1000', headers, read: readModelIds },
};

function readEvent(value: unknown): WireEvent[] | null {
  const event = objectOf(value);
  switch (event?.['type']) {
    case 'message_start':
      return startOf(objectOf(event['message']));
    case 'content_block_start':
      return blockOf(objectOf(event['content_block']));
    case 'content_block_delta':
      return deltaOf(objectOf(event['delta']));
    case 'message_delta':
      return endOf(objectOf(event['delta']), objectOf(event['usage']));
    case 'message_stop':
      return [{ type: 'done' }];
    case 'error':
      return [{ type: 'error', body: event }];
    case 'content_block_stop':
    case 'ping':
      return [];
    default:
      // The documentation says that new event types will come and are to be passed over.
      return textOf(event?.['type']) === null ? errorOf(event) : [];
  }
}

/** A gateway's own error object, which has no type. */
function errorOf(event: JsonObject | null): WireEvent[] | null {
  return objectOf(event?.['error']) === null ? null : [{ type: 'error', body: event }];
}

function readMessage(value: unknown): WireEvent[] | null {
  const message = objectOf(value);
  if (message === null) return null;
  if (message['type'] !== 'message') return readEvent(value);
  return [
    ...startOf(message),
    ...arrayOf(message['content']).flatMap((block) => blockOf(objectOf(block))),
    ...endOf(message, null),
  ];
}

function startOf(message: JsonObject | null): WireEvent[] {
  const events: WireEvent[] = [];
  const id = textOf(message?.['id']);
  if (id !== null) events.push({ type: 'request_id', id });
  const model = textOf(message?.['model']);
  if (model !== null) events.push({ type: 'model', model });
  const usage = objectOf(message?.['usage']);
  if (usage !== null) events.push({ type: 'usage', usage: usageOf(usage) });
  return events;
}

function blockOf(block: JsonObject | null): WireEvent[] {
  return pieces(textOf(block?.['text']), textOf(block?.['thinking']));
}

function deltaOf(delta: JsonObject | null): WireEvent[] {
  return pieces(textOf(delta?.['text']), textOf(delta?.['thinking']));
}

function pieces(text: string | null, thinking: string | null): WireEvent[] {
  return [
    ...(thinking === null ? [] : [{ type: 'reasoning', text: thinking } as const]),
    ...(text === null ? [] : [{ type: 'text', text } as const]),
  ];
}

function endOf(delta: JsonObject | null, usage: JsonObject | null): WireEvent[] {
  const reason = textOf(delta?.['stop_reason']);
  return [
    ...(usage === null ? [] : [{ type: 'usage', usage: usageOf(usage) } as const]),
    ...(reason === null ? [] : [{ type: 'finish', reason: finishOf(reason) } as const]),
  ];
}

function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    case 'tool_use':
      return 'tool';
    default:
      return 'other';
  }
}

/** Input is what was sent in all: new, written to the cache, and read from it. */
function usageOf(usage: JsonObject): ReportedUsage {
  const fresh = countOf(usage['input_tokens']);
  const cached = countOf(usage['cache_read_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']);
  return {
    inputTokens: fresh === null ? null : fresh + (cached ?? 0) + (written ?? 0),
    cachedInputTokens: cached,
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
  };
}
