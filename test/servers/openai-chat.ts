import type { Answer } from './answers.ts';
import {
  frame,
  startProviderServer,
  type ProviderFormat,
  type ProviderServerOptions,
} from './provider-server.ts';
import type { ScriptedServer } from './scripted-server.ts';

const created = 1_790_000_000;

/**
 * Chat Completions from the server's side.
 *
 * Source: OpenAI's API reference, "The chat completion chunk object": a first chunk with the role, one
 * chunk a delta, one with `finish_reason`, usage with empty `choices` when it was asked for, `[DONE]`.
 */
export const openAiChatFormat: ProviderFormat = {
  preset: 'openai-compatible',
  basePath: '/v1',
  isAuthorised: ({ headers }, key) => headers['authorization'] === `Bearer ${key}`,
  wantsStream: ({ json }) => (json as { stream?: boolean }).stream === true,

  frames(answer) {
    const base = { id: answer.id, object: 'chat.completion.chunk', created, model: answer.model };
    const chunk = (delta: object, finish: string | null = null): object => ({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
    return [
      chunk({ role: 'assistant', content: '', refusal: null }),
      ...answer.reasoning.map((text) => chunk({ reasoning_content: text })),
      ...answer.text.map((text) =>
        chunk(answer.finish === 'refusal' ? { refusal: text } : { content: text }),
      ),
      chunk({}, finishWord(answer)),
      ...(answer.usage === null ? [] : [{ ...base, choices: [], usage: usageOf(answer.usage) }]),
    ]
      .map((value) => frame(value))
      .concat('data: [DONE]\n\n');
  },

  whole: (answer) => ({
    id: answer.id,
    object: 'chat.completion',
    created,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.finish === 'refusal' ? null : answer.text.join(''),
          refusal: answer.finish === 'refusal' ? answer.text.join('') : null,
          ...(answer.reasoning.length === 0
            ? {}
            : { reasoning_content: answer.reasoning.join('') }),
        },
        logprobs: null,
        finish_reason: finishWord(answer),
      },
    ],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
  }),

  fault: (kind) => faults[kind],
  modelList: {
    object: 'list',
    data: [{ id: 'test-model', object: 'model', created, owned_by: 'test' }],
  },
};

export function startOpenAiChatServer(
  options: ProviderServerOptions = {},
): Promise<ScriptedServer> {
  return startProviderServer(openAiChatFormat, options);
}

/** OpenAI ends a refusal with `stop` and puts its text into a member of its own. */
function finishWord({ finish }: Answer): string {
  const words = { stop: 'stop', length: 'length', refusal: 'stop', tool: 'tool_calls' } as const;
  return finish === 'other' ? 'insufficient_system_resource' : words[finish];
}

function usageOf({ input, output, reasoning }: NonNullable<Answer['usage']>): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** The error object of OpenAI's two formats. */
export const faults: Readonly<
  Record<Parameters<ProviderFormat['fault']>[0], { status: number; body: object }>
> = {
  bad_key: fault(401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key'),
  no_model: fault(
    404,
    'The model `no-model` does not exist or you do not have access to it.',
    'invalid_request_error',
    'model_not_found',
  ),
  rate_limit: fault(429, 'Rate limit reached for requests.', 'requests', 'rate_limit_exceeded'),
  no_credit: fault(
    429,
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
    'insufficient_quota',
  ),
  server_error: fault(500, 'The server had an error.', 'server_error', null),
};

function fault(
  status: number,
  message: string,
  type: string,
  code: string | null,
): { status: number; body: object } {
  return { status, body: { error: { message, type, param: null, code } } };
}
