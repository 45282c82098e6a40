import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../../main/providers/failure.ts';
import { parseRehearsalScript } from '../../../../main/providers/rehearsal/script.ts';
import { SecretForms } from '../../../../main/providers/secret-forms.ts';
import { AnswerReader } from '../../../../main/providers/wire/answer-reader.ts';
import { anthropicMessages } from '../../../../main/providers/wire/anthropic-messages.ts';
import { errorAnswer, streamedError } from '../../../../main/providers/wire/error-answer.ts';
import { googleGemini } from '../../../../main/providers/wire/google-gemini.ts';
import { openAiChat } from '../../../../main/providers/wire/openai-chat.ts';
import { openAiResponses } from '../../../../main/providers/wire/openai-responses.ts';
import { anthropicMessagesFormat } from '../../../servers/anthropic-messages.ts';
import { plainAnswer } from '../../../servers/answers.ts';
import { googleGeminiFormat } from '../../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../../../servers/openai-responses.ts';

const secret = 'sk-planted-0123456789';
const secrets = new SecretForms([secret]);
const formats = [
  ['Chat Completions', openAiChat, openAiChatFormat],
  ['Responses', openAiResponses, openAiResponsesFormat],
  ['Anthropic Messages', anthropicMessages, anthropicMessagesFormat],
  ['Gemini', googleGemini, googleGeminiFormat],
] as const;

/** JSON with the names that the formats use, so that it gets far into the readers. */
const nearly = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, -1, 3, 1e300, '', 'stop', 'text', 'message', 'error', secret),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        ...'choices delta message content text type usage error code candidates parts finishReason'.split(
          ' ',
        ),
        ...'response output item status thinking finish_reason stop_reason model id data'.split(
          ' ',
        ),
      ),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
})).value;

describe.each(formats)('the reader of %s', (_name, adapter, format) => {
  it('takes any JSON value without throwing', () => {
    fc.assert(
      fc.property(nearly, (value) => {
        adapter.read(value, null);
        adapter.readWhole(value);
        adapter.models?.read(value);
      }),
      { numRuns: 1_500 },
    );
  });

  it('ends every stream of damaged bytes with text and either an end or a named failure', () => {
    const good = Buffer.from(
      format.frames({ ...plainAnswer, reasoning: ['Hm 😀'], text: ['Four', ' ☃'] }).join(''),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255), cut: fc.boolean() }), {
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 97 }),
        fc.constantFrom('text/event-stream', 'application/json', null),
        (damages, size, contentType) => {
          let bytes = Buffer.from(good);
          for (const { at, byte, cut } of damages) {
            if (at >= bytes.length) continue;
            if (cut) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
            else bytes[at] = byte;
          }
          const reader = new AnswerReader(adapter, secrets, contentType, null);
          const events = [];
          for (let at = 0; at < bytes.length && !reader.isDone; at += size) {
            events.push(...reader.push(bytes.subarray(at, at + size)));
          }
          events.push(...reader.end());
          const ends = events.filter(({ type }) => type === 'ended').length;
          expect(ends).toBe(reader.failure === null ? 1 : 0);
          if (damages.length === 0) expect(reader.failure).toBeNull();
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe('error answers', () => {
  it('of any kind become a named error of ours that repeats nothing of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 599 }),
        fc.oneof(
          fc.string({ maxLength: 300 }),
          nearly.map((value) => JSON.stringify(value)),
          fc
            .string()
            .map((text) => JSON.stringify({ error: { message: `${text} ${secret}`, code: text } })),
        ),
        (status, body) => {
          const error = errorAnswer({ status, headers: new Headers(), body }, secrets, 0);
          expect(error).toBeInstanceOf(ProviderError);
          expect(error.httpStatus).toBe(status);
          expect(secrets.foundIn(`${error.message} ${error.detail ?? ''}`)).toBe(false);
          expect(error.message).toMatch(/^[A-Z][^\n]*\(HTTP \d{3}[A-Za-z_, ]*\)$/);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it.each([
    [401, '{"error":{"message":"no"}}', 'key_refused'],
    [403, '{"error":{"status":"PERMISSION_DENIED"}}', 'access_denied'],
    [
      403,
      '{"error":{"message":"User location is not supported for the API use."}}',
      'region_blocked',
    ],
    [451, '', 'region_blocked'],
    [402, '{"error":{"message":"Insufficient Balance"}}', 'no_credit'],
    [404, '{"error":"model \\"m\\" not found, try pulling it first"}', 'model_not_found'],
    [404, '{"error":{"code":"DeploymentNotFound","message":"x"}}', 'model_not_found'],
    [400, '{"error":{"message":"m is not a valid model ID"}}', 'model_not_found'],
    [404, '<html>', 'address_not_found'],
    [405, '', 'address_not_found'],
    [413, '', 'context_too_long'],
    [400, '{"error":{"code":"context_length_exceeded"}}', 'context_too_long'],
    [
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}',
      'context_too_long',
    ],
    [400, '{"error":{"message":"temperature: must be below 1"}}', 'request_refused'],
    [422, '{"detail":[{"msg":"Extra inputs are not permitted"}]}', 'request_refused'],
    [408, '', 'request_timeout'],
    [429, '', 'rate_limited'],
    [500, '', 'server_error'],
    [502, '<html>', 'server_error'],
    [503, '', 'overloaded'],
    [529, '{"type":"error","error":{"type":"overloaded_error"}}', 'overloaded'],
  ] as const)('%i %s is %s', (status, body, code) => {
    expect(errorAnswer({ status, headers: new Headers(), body }, secrets, 0).code).toBe(code);
  });

  it('inside a stream are read the same way', () => {
    expect(streamedError({ error: { type: 'overloaded_error', message: 'x' } }, secrets).code).toBe(
      'overloaded',
    );
    expect(streamedError({ error: { code: 429, message: 'x' } }, secrets).code).toBe(
      'rate_limited',
    );
    expect(streamedError({ error: { message: 'something' } }, secrets).code).toBe('stream_error');
    expect(streamedError('what', secrets).code).toBe('stream_error');
  });
});

describe('a rehearsal script', () => {
  it('of any text is used or refused by name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseRehearsalScript(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'script_invalid' });
        }
      }),
      { numRuns: 500 },
    );
  });
});
