import type { Answer } from './answers.ts';
import { frame, type ProviderFormat } from './provider-server.ts';

/**
 * Messages from the server's side.
 *
 * Source: Anthropic's API reference, "Streaming Messages": `message_start` with empty content, blocks that
 * start, grow by deltas and stop, `message_delta` with stop reason and output tokens, `message_stop`;
 * `ping` anywhere. "Errors": `{type: error, error: {type, message}, request_id}`.
 */
export const anthropicMessagesFormat: ProviderFormat = {
  preset: 'anthropic',
  basePath: '/v1',
  // The API takes a key either way: its reference shows `x-api-key`, its own client sends a bearer.
  isAuthorised: ({ headers }, key) =>
    headers['x-api-key'] === key || headers['authorization'] === `Bearer ${key}`,
  wantsStream: ({ json }) => (json as { stream?: boolean }).stream === true,

  frames(answer) {
    const event = (type: string, members: object = {}): string => frame({ type, ...members }, type);
    const block = (index: number, start: object, deltas: readonly object[]): string[] => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
    const thoughts =
      answer.reasoning.length === 0
        ? []
        : block(0, { type: 'thinking', thinking: '', signature: '' }, [
            ...answer.reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
            { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
          ]);
    const text =
      answer.text.length === 0
        ? []
        : block(
            thoughts.length === 0 ? 0 : 1,
            { type: 'text', text: '' },
            answer.text.map((piece) => ({ type: 'text_delta', text: piece })),
          );
    const { input, output, reasoning } = answer.usage ?? { input: 0, output: 0, reasoning: 0 };
    return [
      event('message_start', {
        message: { ...messageOf(answer, []), stop_reason: null, usage: usageOf(input, 1, 0) },
      }),
      event('ping'),
      ...thoughts,
      ...text,
      event('message_delta', {
        delta: { stop_reason: stopWords[answer.finish], stop_sequence: null },
        usage: usageOf(input, output, reasoning),
      }),
      event('message_stop'),
    ];
  },

  whole(answer) {
    const { input, output, reasoning } = answer.usage ?? { input: 0, output: 0, reasoning: 0 };
    const thinking = answer.reasoning.join('');
    const content = [
      ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' }]),
      { type: 'text', text: answer.text.join('') },
    ];
    return {
      ...messageOf(answer, content),
      stop_reason: stopWords[answer.finish],
      usage: usageOf(input, output, reasoning),
    };
  },

  fault: (kind) => faults[kind],
  modelList: {
    data: [
      {
        type: 'model',
        id: 'test-model',
        display_name: 'Test',
        created_at: '2026-01-01T00:00:00Z',
      },
    ],
    has_more: false,
    first_id: 'test-model',
    last_id: 'test-model',
  },
};

const stopWords = {
  stop: 'end_turn',
  length: 'max_tokens',
  refusal: 'refusal',
  tool: 'tool_use',
  other: 'pause_turn',
} as const;

function messageOf(answer: Answer, content: readonly object[]): object {
  return {
    id: answer.id,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_sequence: null,
  };
}

function usageOf(input: number, output: number, thinking: number): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: thinking },
  };
}

const faults: Readonly<
  Record<Parameters<ProviderFormat['fault']>[0], { status: number; body: object }>
> = {
  bad_key: fault(401, 'authentication_error', 'invalid x-api-key'),
  no_model: fault(404, 'not_found_error', 'model: no-model'),
  rate_limit: fault(429, 'rate_limit_error', 'This request would exceed your rate limit.'),
  no_credit: fault(
    400,
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API.',
  ),
  server_error: fault(500, 'api_error', 'Internal server error'),
};

function fault(status: number, type: string, message: string): { status: number; body: object } {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_1' } };
}
