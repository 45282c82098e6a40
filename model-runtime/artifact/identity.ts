import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import type { FileDigest, RouterManifest } from '../../contracts/manifest.ts';

/** Files of a router directory. Those that routing does not read are no part of a router's identity. */
export const routerFiles = {
  manifest: 'manifest.json',
  adapted: 'adapted.safetensors',
  embeddingM: 'embed_m.safetensors',
  head: 'router_head.safetensors',
  embedding: 'embed_tokens.safetensors',
  lmHead: 'lm_head.safetensors',
  singularValues: 'singular_values.safetensors',
  buildLog: 'build-log.jsonl',
} as const;

/** What a router's identity is taken over. */
export type IdentityParts = Pick<RouterManifest, 'base' | 'head' | 'files'> & {
  readonly adaptation: Pick<
    RouterManifest['adaptation'],
    'embedding' | 'vectorSha256' | 'algorithm'
  >;
};

/**
 * The identity of a router: lower-case hex sha256 over the digests of the base's weights, the adaptation
 * (reading of the embedding, algorithm, vector digest), the head's form and the digests of every tensor
 * file that routing reads. Names, labels, paths and the language head do not enter.
 */
export function adapterRefOf(parts: IdentityParts): string {
  const identity = {
    format: 'trinity-router',
    version: 1,
    base: digests(parts.base.files.filter(({ path }) => path.endsWith('.safetensors'))),
    adaptation: {
      embedding: parts.adaptation.embedding,
      vectorSha256: parts.adaptation.vectorSha256,
      algorithm: parts.adaptation.algorithm,
    },
    head: parts.head,
    tensors: digests(parts.files.filter(({ path }) => readByRouting.has(path))),
  };
  return createHash('sha256').update(canonicalJson(identity)).digest('hex');
}

const readByRouting: ReadonlySet<string> = new Set([
  routerFiles.adapted,
  routerFiles.embeddingM,
  routerFiles.head,
  routerFiles.embedding,
]);

function digests(files: readonly FileDigest[]): { path: string; sha256: string }[] {
  return files
    .map(({ path, sha256 }) => ({ path, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
