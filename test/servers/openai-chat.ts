import { plainAnswer, type Answer } from './answers.ts';
import {
  startScriptedServer,
  type RecordedRequest,
  type Reply,
  type ScriptedServer,
} from './scripted-server.ts';

/**
 * The chunks of a streamed chat completion.
 *
 * Source: OpenAI's API reference, "The chat completion chunk object": a first chunk with the role, one
 * chunk a delta, a last one with `finish_reason`, then usage with empty `choices` when it was asked for.
 */
export function openAiChatChunks(answer: Answer): string[] {
  const base = {
    id: answer.id,
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: answer.model,
    system_fingerprint: 'fp_test',
  };
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const usage =
    answer.usage === null ? [] : [{ ...base, choices: [], usage: usageOf(answer.usage) }];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...answer.reasoning.map((text) => chunk({ reasoning_content: text })),
    ...answer.text.map((text) => chunk({ content: text })),
    ...answer.refusal.map((text) => chunk({ refusal: text })),
    chunk({}, finishWords[answer.finish]),
    ...usage,
  ].map((value) => JSON.stringify(value));
}

/** The same answer as one JSON object, for clients that do not stream. */
export function openAiChatWhole(answer: Answer): object {
  return {
    id: answer.id,
    object: 'chat.completion',
    created: 1_790_000_000,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text.join(''),
          refusal: answer.refusal.length === 0 ? null : answer.refusal.join(''),
          ...(answer.reasoning.length === 0
            ? {}
            : { reasoning_content: answer.reasoning.join('') }),
        },
        logprobs: null,
        finish_reason: finishWords[answer.finish],
      },
    ],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
  };
}

const finishWords = {
  stop: 'stop',
  length: 'length',
  refusal: 'content_filter',
  tool: 'tool_calls',
  other: 'insufficient_system_resource',
} as const;

function usageOf({ input, output, reasoning }: NonNullable<Answer['usage']>): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** A reply that streams server-sent events, one write each, and ends them the way OpenAI does. */
export function openAiChatReply(answer: Answer): Reply {
  return {
    headers: { 'content-type': 'text/event-stream', 'x-request-id': `req-${answer.id}` },
    steps: [
      ...openAiChatChunks(answer).map((data) => ({ write: `data: ${data}\n\n` })),
      { write: 'data: [DONE]\n\n' },
      { end: true },
    ],
  };
}

/**
 * A local server of the Chat Completions format. `answer` says what a request gets; a key is demanded
 * when one is named.
 */
export function startOpenAiChatServer(options: {
  readonly answer?: (request: RecordedRequest, nth: number) => Answer | Reply;
  readonly key?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}): Promise<ScriptedServer> {
  return startScriptedServer((request, nth) => {
    if (options.key !== undefined && request.headers['authorization'] !== `Bearer ${options.key}`) {
      return jsonReply(401, {
        error: {
          message: 'Incorrect API key provided.',
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_api_key',
        },
      });
    }
    if (request.path.endsWith('/models')) {
      return jsonReply(200, {
        object: 'list',
        data: [{ id: 'test-model', object: 'model', created: 1, owned_by: 'test' }],
      });
    }
    const answer = options.answer?.(request, nth) ?? plainAnswer;
    if ('steps' in answer) return answer;
    const streams = (request.json as { stream?: boolean } | null)?.stream === true;
    return streams ? openAiChatReply(answer) : jsonReply(200, openAiChatWhole(answer));
  }, options.tls ?? null);
}

export function jsonReply(
  status: number,
  value: object,
  headers: Record<string, string> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [{ write: JSON.stringify(value) }, { end: true }],
  };
}
