import type { FinishReason } from '../../../contracts/events.ts';
import { arrayOf, countOf, objectOf, textOf, type JsonObject } from './json-values.ts';
import { readModelIds } from './openai-chat.ts';
import type { ReportedUsage, WireAdapter, WireEvent } from './port.ts';

/**
 * OpenAI Responses. Nothing is stored at the provider (`store: false`): every call carries its view.
 *
 * Source: OpenAI's API reference ("Create a model response", "Streaming events"). The format has no stop
 * sequences, so a slot's are not sent.
 */
export const openAiResponses: WireAdapter = {
  format: 'openai-responses',

  payload({ view, model, parameters }) {
    return {
      path: 'responses',
      headers: {},
      body: {
        model,
        ...(view.system === '' ? {} : { instructions: view.system }),
        input: view.messages.map(({ role, content }) => ({ role, content })),
        stream: true,
        store: false,
        temperature: parameters.temperature,
        top_p: parameters.topP,
        max_output_tokens: parameters.maxTokens,
        ...(parameters.reasoningEffort === undefined
          ? {}
          : { reasoning: { effort: parameters.reasoningEffort } }),
      },
    };
  },

  read: readEvent,
  readWhole: readResponse,
  models: { path: 'models', headers: {}, read: readModelIds },
};

function readEvent(value: unknown): WireEvent[] | null {
  const event = objectOf(value);
  const type = textOf(event?.['type']);
  if (event === null || type === null) return errorOf(event);
  const response = objectOf(event['response']);
  const delta = textOf(event['delta']);
  switch (type) {
    case 'response.created':
    case 'response.in_progress':
      return namesOf(response);
    case 'response.output_text.delta':
      return delta === null ? [] : [{ type: 'text', text: delta }];
    case 'response.refusal.delta':
      return delta === null ? [] : [{ type: 'text', text: delta }, { type: 'refused' }];
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return delta === null ? [] : [{ type: 'reasoning', text: delta }];
    case 'response.completed':
    case 'response.incomplete':
      return [...namesOf(response), ...endOf(response), { type: 'done' }];
    case 'response.failed':
      return [{ type: 'error', body: response }];
    case 'error':
      return [
        { type: 'error', body: objectOf(event['error']) === null ? { error: event } : event },
      ];
    default:
      return type.startsWith('response.') ? [] : null;
  }
}

/** A gateway's own error object, which has no type. */
function errorOf(event: JsonObject | null): WireEvent[] | null {
  return objectOf(event?.['error']) === null ? null : [{ type: 'error', body: event }];
}

function readResponse(value: unknown): WireEvent[] | null {
  const response = objectOf(value);
  if (response === null) return null;
  if (!Array.isArray(response['output'])) return readEvent(value);
  if (response['status'] === 'failed') return [{ type: 'error', body: response }];
  return [
    ...namesOf(response),
    ...response['output'].flatMap((item) => itemOf(objectOf(item))),
    ...endOf(response),
  ];
}

function itemOf(item: JsonObject | null): WireEvent[] {
  const isReasoning = item?.['type'] === 'reasoning';
  const parts = [...arrayOf(item?.['summary']), ...arrayOf(item?.['content'])].map(objectOf);
  return parts.flatMap((part): WireEvent[] => {
    const text = textOf(part?.['text']);
    const refusal = textOf(part?.['refusal']);
    return [
      ...(text === null ? [] : [{ type: isReasoning ? 'reasoning' : 'text', text } as const]),
      ...(refusal === null
        ? []
        : [{ type: 'text', text: refusal } as const, { type: 'refused' } as const]),
    ];
  });
}

function namesOf(response: JsonObject | null): WireEvent[] {
  const id = textOf(response?.['id']);
  const model = textOf(response?.['model']);
  return [
    ...(id === null ? [] : [{ type: 'request_id', id } as const]),
    ...(model === null ? [] : [{ type: 'model', model } as const]),
  ];
}

function endOf(response: JsonObject | null): WireEvent[] {
  const usage = objectOf(response?.['usage']);
  return [
    ...(usage === null ? [] : [{ type: 'usage', usage: usageOf(usage) } as const]),
    { type: 'finish', reason: finishOf(response) },
  ];
}

function finishOf(response: JsonObject | null): FinishReason {
  const reason = textOf(objectOf(response?.['incomplete_details'])?.['reason']);
  if (reason === 'max_output_tokens') return 'length';
  if (reason === 'content_filter') return 'refusal';
  if (reason !== null || response?.['status'] === 'incomplete') return 'other';
  const calls = arrayOf(response?.['output']).some((item) =>
    textOf(objectOf(item)?.['type'])?.endsWith('_call'),
  );
  return calls ? 'tool' : 'stop';
}

function usageOf(usage: JsonObject): ReportedUsage {
  return {
    inputTokens: countOf(usage['input_tokens']),
    cachedInputTokens: countOf(objectOf(usage['input_tokens_details'])?.['cached_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    reasoningTokens: countOf(objectOf(usage['output_tokens_details'])?.['reasoning_tokens']),
  };
}
