import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protocol } from 'electron';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePage } from '../../../../main/hosts/electron/page-scheme.ts';
import { loadPageFiles } from '../../../../main/hosts/page-files.ts';

let root: string;
let answer: (request: { url: string; method: string }) => Response;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'trinity-scheme-'));
  mkdirSync(join(root, 'page', 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'page', 'index.html'), '<title>page</title>');
  writeFileSync(join(root, 'page', 'assets', 'a.css'), 'a{}');
  const protocol = {
    handle: (_scheme: string, handler: typeof answer) => (answer = handler),
  } as unknown as Pick<Protocol, 'handle'>;
  servePage(protocol, loadPageFiles(join(root, 'page')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const get = (url: string, method = 'GET'): Response => answer({ url, method });

describe('app://', () => {
  it('serves the page with its policy', async () => {
    const response = get('app://bundle/');
    expect(await response.text()).toBe('<title>page</title>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toContain('unsafe');
  });

  it('serves its assets, with or without a query', () => {
    expect(get('app://bundle/assets/a.css').headers.get('content-type')).toContain('text/css');
    expect(get('app://bundle/assets/a.css?x=1#y').status).toBe(200);
    expect(get('app://bundle').status).toBe(200);
  });

  it.each([
    'app://bundle/../secret.txt',
    'app://bundle/%2e%2e/secret.txt',
    'app://bundle/..%2fsecret.txt',
    'app://bundle/assets/..%5c..%5csecret.txt',
    'app://bundle//etc/passwd',
    'app://bundle/%252e%252e/secret.txt',
  ])('refuses %s', async (url) => {
    const response = get(url);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('secret');
  });

  it('has one host and one way to ask', () => {
    expect(get('app://other/').status).toBe(421);
    expect(get('app://bundle.evil/').status).toBe(421);
    expect(get('app://bundle/', 'POST').status).toBe(405);
    expect(get('app://bundle/none.js').status).toBe(404);
  });
});
