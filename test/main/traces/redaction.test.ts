import { describe, expect, it } from 'vitest';
import { Redaction } from '../../../main/traces/redaction.ts';

const secret = 'sk-Zebra/77+"ü" x';
const redaction = new Redaction({
  secrets: [secret, 'abc'],
  addresses: ['https://llm.example.test:8443/v1/tenant'],
});

describe('Redaction.text', () => {
  it.each([
    ['plain', secret],
    ['base64', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['base64 inside another text', Buffer.from(`x${secret}y`).toString('base64')],
    ['base64url', Buffer.from(`xy${secret}`).toString('base64url')],
    ['URL-encoded', encodeURIComponent(secret)],
    ['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['JSON-escaped', JSON.stringify(secret)],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
  ])('removes a known secret that is %s', (_, form) => {
    const clean = redaction.text(`before ${form} after`);
    expect(clean).toContain('[redacted]');
    expect(clean).not.toMatch(/zebra/i);
    expect(clean.startsWith('before ') && clean.endsWith(' after')).toBe(true);
  });

  it('leaves everything else as it is, also words as short as a short secret', () => {
    const text = 'abc: see https://example.org/a?b=1, password is a word, 4096 tokens';
    expect(redaction.text(text)).toBe(text);
  });
});

describe('Redaction.message', () => {
  it.each([
    ['api_key=hunter22', 'api_key=[redacted]'],
    ['"apiKey": "hunter22"', '"apiKey": "[redacted]"'],
    ['api-key: hunter22,', 'api-key: [redacted],'],
    ['Authorization: Bearer eyJhbGciOi.J9', 'Authorization: [redacted]'],
    ['password=hunter22&x=1', 'password=[redacted]&x=1'],
    ['client_secret: hunter22', 'client_secret: [redacted]'],
    ['access_token=hunter22', 'access_token=[redacted]'],
    ['refresh-token: hunter22', 'refresh-token: [redacted]'],
    ['Set-Cookie: session=abcd', 'Set-Cookie: [redacted]'],
    ['sent Bearer eyJhbGciOi.J9 there', 'sent Bearer [redacted] there'],
    ['GET https://u:p@host.test/v1?key=1 failed', 'GET [address] failed'],
    ['connect ECONNREFUSED 127.0.0.1:8080', 'connect ECONNREFUSED [address]'],
    ['connect to localhost:11434', 'connect to [address]'],
    ['no route to [fe80::1]:80', 'no route to [address]'],
    ['getaddrinfo ENOTFOUND api.example.com', 'getaddrinfo ENOTFOUND [address]'],
    ['certificate of llm.example.test:8443 expired', 'certificate of [address] expired'],
  ])('makes %j %j', (text, clean) => {
    expect(redaction.message(text)).toBe(clean);
  });

  it.each([
    'max_tokens: 200',
    'total tokens 4096, limit 8192',
    'password: 12',
    'The model stopped after 3 seconds.',
    'temperature 0.7 is above 0.5',
  ])('leaves %j', (text) => {
    expect(redaction.message(text)).toBe(text);
  });
});

describe('Redaction.name', () => {
  it.each(['gpt-4.1-mini', 'Qwen/Qwen3-32B (direct)', 'models/gemini-2.5-pro', 'llama3.2:3b'])(
    'keeps %j',
    (name) => {
      expect(redaction.name(name)).toBe(name);
    },
  );

  it('removes addresses, known ones without their scheme too', () => {
    expect(redaction.name('https://a.test/m')).toBe('[address]');
    expect(redaction.name('m@llm.example.test:8443')).toBe('m@[address]');
  });
});
