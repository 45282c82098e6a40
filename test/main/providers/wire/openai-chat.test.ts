import { describe, expect, it } from 'vitest';
import { SecretForms } from '../../../../main/providers/secret-forms.ts';
import { AnswerReader } from '../../../../main/providers/wire/answer-reader.ts';
import { openAiChat } from '../../../../main/providers/wire/openai-chat.ts';

/** What compatible servers have been seen to send, read to its end. */
function read(body: string, contentType = 'text/event-stream') {
  const reader = new AnswerReader(openAiChat, new SecretForms([]), contentType, null);
  const events = [...reader.push(Buffer.from(body)), ...reader.end()];
  const of = (type: 'text' | 'reasoning'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return {
    text: of('text'),
    reasoning: of('reasoning'),
    ended: events.find((event) => event.type === 'ended'),
    failure: reader.failure,
  };
}

const chunk = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (members: object, finish: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: members, finish_reason: finish }] });
const done = 'data: [DONE]\n\n';

describe('what compatible servers send', () => {
  it.each([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.', reasoning_details: [{ text: 'Hm.' }] }],
    ['both spellings', { reasoning: 'Hm.', reasoning_content: 'Hm.' }],
    [
      'thinking parts',
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
    ],
    ['thinking text', { content: [{ type: 'thinking', thinking: 'Hm.' }] }],
  ])('reasoning as %s, once', (_name, members) => {
    const { text, reasoning } = read(delta(members) + delta({ content: 'Yes.' }, 'stop') + done);
    expect({ text, reasoning }).toEqual({ text: 'Yes.', reasoning: 'Hm.' });
  });

  it('text in parts', () => {
    expect(read(delta({ content: [{ type: 'text', text: 'Yes.' }] }, 'stop')).text).toBe('Yes.');
  });

  it('whole messages in a stream', () => {
    const body = chunk({ choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }] });
    expect(read(body).text).toBe('Yes.');
  });

  it('completions of the older kind', () => {
    expect(read(chunk({ choices: [{ text: 'Yes.', finish_reason: 'stop' }] })).text).toBe('Yes.');
  });

  it('usage in the last content chunk, in a chunk of its own, or where one provider puts it', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5 };
    const bodies = [
      chunk({ choices: [{ delta: { content: 'Y' }, finish_reason: 'stop' }], usage }),
      delta({ content: 'Y' }, 'stop') + chunk({ choices: [], usage }) + done,
      chunk({ choices: [{ delta: { content: 'Y' }, finish_reason: 'stop' }], x_groq: { usage } }),
      delta({ content: 'Y' }, 'stop') + chunk({ usage }),
    ];
    for (const body of bodies) {
      expect(read(body).ended).toMatchObject({ usage: { inputTokens: 3, outputTokens: 5 } });
    }
  });

  it('null and odd members where others send none', () => {
    const body =
      chunk({
        id: null,
        model: 7,
        usage: null,
        choices: [{ delta: { content: null, role: 'assistant', tool_calls: null } }],
      }) +
      delta({ content: 'Yes.' }) +
      chunk({ choices: [{ delta: null, finish_reason: 'stop' }] });
    expect(read(body)).toMatchObject({ text: 'Yes.', ended: { skippedChunks: 0, usage: null } });
  });

  it('events without blank lines between them', () => {
    const body = `data: {"choices":[{"delta":{"content":"Y"}}]}\ndata: {"choices":[{"delta":{"content":"es"},"finish_reason":"stop"}]}\ndata: [DONE]\n`;
    expect(read(body)).toMatchObject({ text: 'Yes', ended: { skippedChunks: 0 } });
  });

  it('comments, names, retry hints, carriage returns and a byte order mark', () => {
    const body =
      '\ufeff: OPENROUTER PROCESSING\r\n\r\nretry: 3000\r\nevent: message\r\ndata: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\r\n\r\n';
    expect(read(body)).toMatchObject({ text: 'Yes.', ended: { skippedChunks: 0 } });
  });

  it('a stream without a reason, closed by its mark', () => {
    expect(read(delta({ content: 'Yes.' }) + done).ended).toMatchObject({ finishReason: 'other' });
  });

  it('an error in the middle, after which nothing counts', () => {
    const { text, failure } = read(
      delta({ content: 'Y' }) +
        chunk({ error: { message: 'overloaded', code: 503 } }) +
        delta({ content: 'es' }, 'stop'),
    );
    expect(text).toBe('Y');
    expect(failure?.code).toBe('overloaded');
  });

  it.each([
    ['stop', 'stop'],
    ['eos', 'stop'],
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'tool'],
    ['something_new', 'other'],
  ])('the reason %s', (word, reason) => {
    expect(read(delta({ content: 'Y' }, word)).ended).toMatchObject({ finishReason: reason });
  });

  it('an early end, told from a late one', () => {
    expect(read(delta({ content: 'Y' })).failure?.code).toBe('stream_cut');
    expect(read('').failure?.code).toBe('connection_lost');
    expect(read(': only comments\n\n').failure?.code).toBe('connection_lost');
    expect(read('{"choices":[{"del', 'application/json').failure?.code).toBe('malformed_answer');
    expect(read('{"hello":1}', 'application/json').failure?.code).toBe('malformed_answer');
    expect(read('<html>', 'text/plain').failure?.code).toBe('wrong_content_type');
    expect(read('Hello!', 'text/plain').failure?.code).toBe('malformed_answer');
  });

  it('passes over blanks before the first character, however many there are', () => {
    const reader = new AnswerReader(openAiChat, new SecretForms([]), 'text/event-stream', null);
    const blanks = Buffer.from('\n'.repeat(64 * 1024));
    // Kept and looked through again at every piece, these would take many minutes.
    for (let piece = 0; piece < 800; piece += 1) expect(reader.push(blanks)).toEqual([]);
    const chunk = { choices: [{ index: 0, delta: { content: 'late' } }] };
    const events = reader.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
    expect([...events, ...reader.end()]).toContainEqual({ type: 'text', text: 'late' });
  });
});
