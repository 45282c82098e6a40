import { describe, expect, it } from 'vitest';
import { toFailure, TypedError } from '../../contracts/failure.ts';
import { manifestPathSchema, routerManifestSchema } from '../../contracts/manifest.ts';
import { budgetsSchema } from '../../contracts/budgets.ts';
import { settingsSchema } from '../../contracts/settings.ts';
import { baseUrlSchema, slotBindingSchema } from '../../contracts/slots.ts';

describe('manifestPathSchema', () => {
  it('takes relative paths that stay inside', () => {
    for (const path of ['manifest.json', 'checkpoints/0001_a.safetensors', 'ключ.bin', '..a/b']) {
      expect(manifestPathSchema.safeParse(path).success, path).toBe(true);
    }
  });
  it('refuses paths that leave, are absolute or are ambiguous', () => {
    const bad = [
      '',
      '/etc/passwd',
      '../a',
      'a/../b',
      'a/..',
      './a',
      'a//b',
      'C:a',
      'a\\b',
      'a\0b',
      'a/',
    ];
    for (const path of bad) expect(manifestPathSchema.safeParse(path).success, path).toBe(false);
  });
});

describe('a router manifest', () => {
  it('holds no label that could steer a terminal', () => {
    const { labels } = routerManifestSchema.shape.agents.shape;
    expect(labels.safeParse(['gpt-5', 'Qwen/Qwen3-32B (direct)', '東京']).success).toBe(true);
    for (const label of ['\u001b[31mred', 'a\u0007', 'a\nb', '\u009b0m']) {
      expect(labels.safeParse([label]).success, JSON.stringify(label)).toBe(false);
    }
  });
});

describe('baseUrlSchema', () => {
  it('takes http and https URLs with a path', () => {
    for (const url of [
      'https://api.example.com/v1',
      'http://127.0.0.1:8080',
      'http://[::1]:11434/v1',
    ]) {
      expect(baseUrlSchema.safeParse(url).success, url).toBe(true);
    }
  });
  it('refuses credentials, queries, fragments and other schemes', () => {
    const bad = [
      'https://user:secret@api.example.com',
      'https://user@api.example.com',
      'https://api.example.com/?key=1',
      'https://api.example.com/#x',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'api.example.com',
      '',
    ];
    for (const url of bad) expect(baseUrlSchema.safeParse(url).success, url).toBe(false);
  });
});

describe('defaults', () => {
  it('give a slot its timeouts, concurrency and no key', () => {
    const slot = slotBindingSchema.parse({ index: 0, name: 'A', provider: 'ollama', model: 'm' });
    expect(slot).toMatchObject({
      keyRef: null,
      headers: {},
      concurrency: 4,
      enabled: true,
      timeouts: { connectMs: 15_000, firstTokenMs: 120_000, idleMs: 60_000, totalMs: 600_000 },
    });
  });
  it('give settings a demo router, rehearsal agents, five turns and no update check', () => {
    const settings = settingsSchema.parse({ version: 1 });
    expect(settings).toMatchObject({
      router: 'demo',
      profile: 'cpu-f32',
      agents: 'rehearsal',
      windowTokens: 2048,
      checkForUpdates: false,
      budgets: { maxTurns: 5, allowUnknownPrices: false },
      traces: { enabled: true, content: 'hash' },
      coordinator: { guardVerifier: true, acceptWord: 'ACCEPT', reviseWord: 'REVISE' },
    });
  });
  it('limit nothing but the turns of a run', () => {
    expect(budgetsSchema.parse({})).toEqual({ maxTurns: 5, allowUnknownPrices: false });
  });
});

describe('toFailure', () => {
  it('keeps code, retryable and sentence of a typed error and never its cause', () => {
    const error = new TypedError('limited', 'Try again in a minute.', {
      retryable: true,
      cause: new Error('secret'),
    });
    expect(toFailure(error)).toEqual({
      code: 'limited',
      retryable: true,
      message: 'Try again in a minute.',
    });
  });
  it('calls anything else internal', () => {
    expect(toFailure('boom')).toEqual({ code: 'internal', retryable: false, message: 'boom' });
  });
});
