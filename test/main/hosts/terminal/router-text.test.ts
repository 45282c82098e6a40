import { describe, expect, it } from 'vitest';
import { routerManifestSchema, type RouterManifest } from '../../../../contracts/manifest.ts';
import { manifestText, routerTable } from '../../../../main/hosts/terminal/router-text.ts';

const hostile = '\u001b]0;owned\u0007\u001b[2Jred\u202e\nfile         nothing';
const digest = 'a'.repeat(64);

function manifest(name: string): RouterManifest {
  return {
    format: 'trinity-router',
    version: 1,
    status: 'complete',
    adapterRef: digest,
    kind: 'imported',
    base: { repo: name, revision: name, files: [{ path: 'x', bytes: 1, sha256: digest }] },
    agents: { count: 1, labels: ['one'] },
    roles: [name],
    head: { kind: 'linear', shape: [4, 8] },
    adaptation: { embedding: null, vectorSha256: null, algorithm: name, tensors: [] },
    files: [],
  };
}

describe('the text of a manifest', () => {
  it('lets no control sequence and no line of its own through', () => {
    const text = manifestText('/routers/x', manifest(hostile));
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    expect(text.match(/^file/gm)).toBeNull();
    expect(manifestText('/routers/x', manifest('Qwen/Qwen3-0.6B'))).toContain(
      'base         Qwen/Qwen3-0.6B at Qwen/Qwen3-0.6B',
    );
  });
});

describe('the table of routers', () => {
  it('lets no control sequence of a folder or its manifest through', () => {
    const router = { directory: '/x', kind: 'built', status: 'broken', adapterRef: null } as const;
    const more = { agentCount: 7, agentLabels: [], bytes: 1 };
    const text = routerTable([{ id: hostile, problem: hostile, ...router, ...more }]);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('a manifest', () => {
  it('is refused for a name with a control character, or one that fills a screen', () => {
    expect(routerManifestSchema.safeParse(manifest('Qwen/Qwen3-0.6B')).success).toBe(true);
    for (const name of [hostile, '\u0000', 'x'.repeat(501)]) {
      expect(routerManifestSchema.safeParse(manifest(name)).success).toBe(false);
    }
  });
});
