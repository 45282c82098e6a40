import type { Answer } from './answers.ts';
import { faults } from './openai-chat.ts';
import { frame, type ProviderFormat } from './provider-server.ts';

/**
 * Responses from the server's side.
 *
 * Source: OpenAI's API reference, "Streaming events": named events with sequence numbers; an output item
 * is added, its content part is added, deltas follow, each is done, and the whole response closes the
 * stream.
 */
export const openAiResponsesFormat: ProviderFormat = {
  preset: 'openai',
  basePath: '/v1',
  isAuthorised: ({ headers }, key) => headers['authorization'] === `Bearer ${key}`,
  wantsStream: ({ json }) => (json as { stream?: boolean }).stream === true,

  frames(answer) {
    let sequence = 0;
    const event = (type: string, members: object): string =>
      frame({ type, sequence_number: sequence++, ...members }, type);
    const isRefusal = answer.finish === 'refusal';
    const text = answer.text.join('');
    const part = isRefusal ? { type: 'refusal', refusal: text } : outputText(text);
    const empty = isRefusal ? { type: 'refusal', refusal: '' } : outputText('');
    const kind = isRefusal ? 'refusal' : 'output_text';
    const place = { output_index: 1, content_index: 0, item_id: 'msg_1' };
    const thought = { output_index: 0, summary_index: 0, item_id: 'rs_1' };
    const item = messageItem([]);
    const begun = responseOf(answer, 'in_progress', []);
    return [
      event('response.created', { response: begun }),
      event('response.in_progress', { response: begun }),
      ...answer.reasoning.map((delta) =>
        event('response.reasoning_summary_text.delta', { ...thought, delta }),
      ),
      event('response.output_item.added', { output_index: 1, item }),
      event('response.content_part.added', { ...place, part: empty }),
      ...answer.text.map((delta) =>
        event(`response.${kind}.delta`, {
          ...place,
          delta,
          ...(isRefusal ? {} : { logprobs: [] }),
        }),
      ),
      event(`response.${kind}.done`, { ...place, [isRefusal ? 'refusal' : 'text']: text }),
      event('response.content_part.done', { ...place, part }),
      event('response.output_item.done', { output_index: 1, item: messageItem([part]) }),
      event(answer.finish === 'length' ? 'response.incomplete' : 'response.completed', {
        response: responseOf(answer, statusOf(answer), outputOf(answer)),
      }),
    ];
  },

  whole: (answer) => responseOf(answer, statusOf(answer), outputOf(answer)),
  fault: (kind) => faults[kind],
  modelList: {
    object: 'list',
    data: [{ id: 'test-model', object: 'model', created: 1, owned_by: 'test' }],
  },
};

function statusOf({ finish }: Answer): string {
  return finish === 'length' || finish === 'other' ? 'incomplete' : 'completed';
}

function outputOf(answer: Answer): object[] {
  const text = answer.text.join('');
  const part = answer.finish === 'refusal' ? { type: 'refusal', refusal: text } : outputText(text);
  return [
    ...(answer.reasoning.length === 0
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: answer.reasoning.join('') }],
          },
        ]),
    messageItem([part]),
    ...(answer.finish === 'tool'
      ? [{ type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' }]
      : []),
  ];
}

function messageItem(content: readonly object[]): object {
  return { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content };
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function responseOf(answer: Answer, status: string, output: readonly object[]): object {
  const reason = { length: 'max_output_tokens', other: 'steered' }[answer.finish as string];
  return {
    id: answer.id,
    object: 'response',
    created_at: 1_790_000_000,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    model: answer.model,
    output,
    parallel_tool_calls: true,
    tools: [],
    tool_choice: 'auto',
    usage:
      status === 'in_progress' || answer.usage === null
        ? null
        : {
            input_tokens: answer.usage.input,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: answer.usage.output,
            output_tokens_details: { reasoning_tokens: answer.usage.reasoning },
            total_tokens: answer.usage.input + answer.usage.output,
          },
  };
}
