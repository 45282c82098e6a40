import type { Answer } from './answers.ts';
import { frame, type ProviderFormat } from './provider-server.ts';

/**
 * `streamGenerateContent` from the server's side.
 *
 * Source: the Gemini API reference, "GenerateContentResponse": every chunk is a whole response with a
 * part of the content; the last one carries `finishReason`, and the connection's end is the stream's.
 */
export const googleGeminiFormat: ProviderFormat = {
  preset: 'google',
  basePath: '/v1beta',
  isAuthorised: ({ headers }, key) => headers['x-goog-api-key'] === key,
  wantsStream: ({ path }) => path.includes(':streamGenerateContent'),

  frames(answer) {
    const chunks = [
      ...answer.reasoning.map((text) => ({ text, thought: true })),
      ...answer.text.map((text) => ({ text })),
    ].map((part) => chunkOf(answer, [part]));
    const last = {
      ...chunkOf(answer, [{ text: '' }], finishWords[answer.finish]),
      ...(answer.usage === null ? {} : { usageMetadata: usageOf(answer.usage) }),
    };
    return [...chunks, last].map((chunk) => frame(chunk));
  },

  whole: (answer) => ({
    ...chunkOf(
      answer,
      [
        ...(answer.reasoning.length === 0
          ? []
          : [{ text: answer.reasoning.join(''), thought: true }]),
        { text: answer.text.join('') },
      ],
      finishWords[answer.finish],
    ),
    ...(answer.usage === null ? {} : { usageMetadata: usageOf(answer.usage) }),
  }),

  fault: (kind) => faults[kind],
  modelList: {
    models: [{ name: 'models/test-model', supportedGenerationMethods: ['generateContent'] }],
  },
};

const finishWords = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  tool: 'UNEXPECTED_TOOL_CALL',
  other: 'LANGUAGE',
} as const;

function chunkOf(answer: Answer, parts: readonly object[], finishReason?: string): object {
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        index: 0,
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

/** Thoughts are counted beside the candidates' tokens. */
function usageOf({ input, output, reasoning }: NonNullable<Answer['usage']>): object {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + output,
  };
}

const faults: Readonly<
  Record<Parameters<ProviderFormat['fault']>[0], { status: number; body: object }>
> = {
  bad_key: fault(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
  ]),
  no_model: fault(404, 'NOT_FOUND', 'models/no-model is not found for API version v1beta.'),
  rate_limit: fault(
    429,
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
    [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.05s' }],
  ),
  no_credit: fault(402, 'FAILED_PRECONDITION', 'Billing is not enabled for this project.'),
  server_error: fault(500, 'INTERNAL', 'An internal error has occurred.'),
};

function fault(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): { status: number; body: object } {
  return { status: code, body: { error: { code, message, status, details } } };
}
