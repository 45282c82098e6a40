import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { RouterManifest } from '../../contracts/manifest.ts';
import { isSamePrecision } from '../../contracts/profiles.ts';
import { findBase } from '../artifact/base-library.ts';
import { DigestCache } from '../artifact/digest-cache.ts';
import { routerFiles } from '../artifact/identity.ts';
import { openRouterSource } from '../artifact/router-source.ts';
import type { InlineTensor } from '../graph/graph-weights.ts';
import { buildRouterGraph, type RouterGraph } from '../graph/router-graph.ts';
import type { LoadSpec } from '../process/protocol.ts';
import { RuntimeError } from '../runtime-error.ts';
import { isAllF32 } from '../weights/precision.ts';
import { readQwen3Config, type Qwen3Config } from '../weights/qwen3-config.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { GraphRunner } from './graph-runner.ts';
import { loadOnnxRuntime, type NativeLoader } from './native.ts';
import { PrefixCache } from './prefix-cache.ts';
import { profiles } from './profiles.ts';
import { openQuantisedWeights, type QuantisedWeightsSpec } from './quantised-weights.ts';
import { RouterSession } from './router-session.ts';
import { loadTokenizer } from './tokenizer.ts';

/** Tokens of a transcript at most, where the model allows as many. */
const longestTranscript = 32_768;

/** A router's files, found and checked, the weights open. Close them when the graph is built. */
export interface OpenRouter {
  readonly manifest: RouterManifest;
  readonly config: Qwen3Config;
  readonly tokenizerPath: string;
  readonly quantised: QuantisedWeightsSpec;
  close(): Promise<void>;
}

/**
 * Finds a router's base by content, checks its tensor files against the manifest and opens the weights.
 *
 * @throws RuntimeError `router_not_found`, `router_invalid`, `base_not_found`; WeightsError of the base's
 *   files or configuration
 */
export async function openRouter(spec: LoadSpec): Promise<OpenRouter> {
  const digests = new DigestCache(
    spec.cacheDirectory === null ? null : join(spec.cacheDirectory, 'digests.json'),
  );
  const manifest = await openRouterSource(spec.directory, digests);
  await checkFiles(spec.directory, manifest, digests);
  const base = await findBase(manifest.base, [spec.directory, ...spec.baseFolders], digests);
  const config = await readQwen3Config(join(base, 'config.json'));
  const weights = await openWeights(spec.directory, base, manifest);
  return {
    manifest,
    config,
    tokenizerPath: join(base, 'tokenizer.json'),
    quantised: {
      config,
      weights,
      precision: spec.precision ?? profiles[spec.profile].precision,
      sourceDigest: sourceDigest(manifest),
      cacheDirectory: spec.cacheDirectory,
      ...(spec.isTrial === true && { isTrial: true }),
    },
    close: async () => {
      for (const file of weights) await file.close();
    },
  };
}

/**
 * A router ready to route.
 *
 * @throws RuntimeError as `openRouter`, and `native_unavailable`, `load_failed`, `tokenizer_invalid`;
 *   GraphError where weights and head do not fit together
 */
export async function loadRouter(
  spec: LoadSpec,
  native?: NativeLoader,
): Promise<{ readonly session: RouterSession; readonly manifest: RouterManifest }> {
  const ort = await loadOnnxRuntime(native);
  const router = await openRouter(spec);
  const { manifest, config } = router;
  const { precision } = router.quantised;
  const maxPositions = Math.min(config.maxPositions, longestTranscript);
  const profile = profiles[spec.profile];
  try {
    const tokenizer = await loadTokenizer(router.tokenizerPath);
    const graph = await buildGraph(spec, router);
    const threads = spec.threads ?? Math.min(availableParallelism(), 4);
    const runner = await GraphRunner.create(ort, graph, config, { profile, threads });
    const session = new RouterSession({
      runner,
      tokenizer,
      cache: new PrefixCache(spec.prefixCacheBytes),
      profile: spec.profile,
      ...(!isSamePrecision(precision, profile.precision) && { precision }),
      callTokens: profile.callTokens,
      adapterRef: manifest.adapterRef,
      graphVersion: graph.graphVersion,
      agentCount: manifest.agents.count,
      keyValueHeads: config.keyValueHeads,
      vocabSize: config.vocabSize,
      maxPositions,
    });
    return { session, manifest };
  } finally {
    await router.close();
  }
}

async function buildGraph(
  spec: LoadSpec,
  { manifest, config, quantised }: OpenRouter,
): Promise<RouterGraph> {
  const { precision } = quantised;
  const isExact = isAllF32(precision, config.layers);
  const cache = isExact ? null : await openQuantisedWeights(quantised);
  if (!isExact && cache === null) {
    const sentence = 'The weights of this profile have not been prepared yet.';
    throw new RuntimeError('load_failed', sentence, { retryable: true });
  }
  try {
    return await buildRouterGraph({
      config,
      weights: cache === null ? quantised.weights : [cache],
      precision,
      headNorm: profiles[spec.profile].headNorm,
      product: profiles[spec.profile].product,
      head: { spec: manifest.head, weights: await soleTensor(spec.directory, routerFiles.head) },
      adapted: await adaptedTensors(spec.directory, manifest),
      ...(has(manifest, routerFiles.embeddingM) && {
        embeddingMap: await soleTensor(spec.directory, routerFiles.embeddingM),
      }),
    });
  } finally {
    await cache?.close();
  }
}

async function checkFiles(
  directory: string,
  manifest: RouterManifest,
  digests: DigestCache,
): Promise<void> {
  const read = [
    routerFiles.adapted,
    routerFiles.embeddingM,
    routerFiles.head,
    routerFiles.embedding,
  ];
  for (const { path, sha256 } of manifest.files) {
    if (!read.some((name) => name === path)) continue;
    if ((await digests.sha256(join(directory, path))) !== sha256) {
      const fault = `${join(directory, path)} is damaged: its content is not what the manifest names.`;
      throw new RuntimeError('router_invalid', fault);
    }
  }
}

/** By their real paths: ONNX Runtime refuses links that leave the folder it reads from. */
async function openWeights(
  directory: string,
  base: string,
  manifest: RouterManifest,
): Promise<SafetensorsFile[]> {
  const names = manifest.base.files.map(({ path }) => path);
  const paths = names
    .filter((path) => path.endsWith('.safetensors'))
    .map((path) => join(base, path));
  if (has(manifest, routerFiles.embedding)) paths.unshift(join(directory, routerFiles.embedding));
  const files: SafetensorsFile[] = [];
  try {
    for (const path of paths) files.push(await SafetensorsFile.open(await realpath(path)));
    return files;
  } catch (error) {
    for (const file of files) await file.close();
    throw error;
  }
}

function sourceDigest(manifest: RouterManifest): string {
  const files = [...manifest.base.files, ...manifest.files].filter(
    ({ path }) =>
      path === routerFiles.embedding ||
      (path.endsWith('.safetensors') && manifest.base.files.some((file) => file.path === path)),
  );
  return createHash('sha256')
    .update(files.map(({ sha256 }) => sha256).join(' '))
    .digest('hex');
}

async function soleTensor(directory: string, name: string): Promise<Float32Array<ArrayBuffer>> {
  const path = join(directory, name);
  const file = await SafetensorsFile.open(path);
  try {
    const [tensor, second] = file.tensors.keys();
    if (tensor !== undefined && second === undefined) return await file.readF32(tensor);
    throw new RuntimeError('router_invalid', `${path} does not hold exactly one tensor.`);
  } finally {
    await file.close();
  }
}

async function adaptedTensors(
  directory: string,
  manifest: RouterManifest,
): Promise<Map<string, InlineTensor>> {
  const tensors = new Map<string, InlineTensor>();
  if (!has(manifest, routerFiles.adapted)) return tensors;
  const file = await SafetensorsFile.open(join(directory, routerFiles.adapted));
  try {
    for (const { name, dtype, shape } of file.tensors.values()) {
      if (dtype !== 'BF16' && dtype !== 'F32') {
        throw new RuntimeError('router_invalid', `${file.path}: ${name} is ${dtype}.`);
      }
      tensors.set(name, { dtype, shape, bytes: await file.read(name) });
    }
  } finally {
    await file.close();
  }
  return tensors;
}

function has(manifest: RouterManifest, name: string): boolean {
  return manifest.files.some(({ path }) => path === name);
}
