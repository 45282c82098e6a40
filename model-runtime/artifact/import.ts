import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ImportRequest } from '../../contracts/build.ts';
import type { AdaptedTensor, FileDigest, RouterManifest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { embeddingName, lmHeadName } from '../adaptation/selection.ts';
import { elementBytes } from '../weights/dtypes.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { writeSafetensors, type TensorSource } from '../weights/safetensors-writer.ts';
import { baseIdentity, openBase, placeBase, type BaseCheckpoint } from './base-checkpoint.ts';
import { prepareDirectory } from './build-directory.ts';
import { BuildError } from './build-error.ts';
import type { ManifestDraft } from './build-inputs.ts';
import { intoDirectory } from './build-target.ts';
import { throwIfStopped, type BuildTools } from './build-tools.ts';
import { readHead, writeHead } from './head-file.ts';
import { routerFiles } from './identity.ts';
import { writeManifest } from './manifest-file.ts';
import { agentLabels } from './published-router.ts';
import { readManifest } from './router-directory.ts';
import {
  bundleFile,
  readUpstreamManifest,
  type UpstreamManifest,
  type UpstreamTensor,
} from './upstream-bundle.ts';
import { upstreamTarget } from './upstream-names.ts';

/** A tensor of a bundle, found and checked against the base. */
interface FoundTensor {
  readonly entry: UpstreamTensor;
  readonly name: string;
  readonly isTransposed: boolean;
  readonly path: string;
  readonly key: string;
  /** In the base: [out, in]. */
  readonly shape: [number, number];
  readonly dtype: 'BF16' | 'F32';
}

/**
 * Makes a router directory of an adapted bundle in upstream's format: layers transposed to the base's
 * orientation by their names, the adapted embedding as its own file, the head as it is. ONNX Runtime reads large
 * tensors from one real folder, so the base is linked (where that fails, copied) beside the embedding.
 *
 * @throws BuildError `bundle_invalid`, `bundle_path`, `bundle_incomplete`, `bundle_damaged`, `already_there`, and
 *   those of intoDirectory(); WeightsError
 */
export async function importBundle(
  request: ImportRequest,
  tools: BuildTools,
): Promise<RouterManifest> {
  const startedAt = tools.clock.monotonic();
  const base = await openBase(request.base);
  const bundle = await readUpstreamManifest(request.bundle);
  const manifest = await intoDirectory(request, tools, async (directory) => {
    await refuseFinished(directory, tools);
    await prepareDirectory(directory);
    const tensors = await findTensors(request, bundle, base);
    const asked = { repo: request.baseRepo, revision: request.baseRevision };
    const identity = await baseIdentity(base, tools.digests, asked);
    return writeRouter(directory, { request, bundle, base, tensors, identity }, tools);
  });
  tools.emit({ type: 'finished', ms: tools.clock.monotonic() - startedAt, manifest });
  return manifest;
}

/** Refuses a directory with a finished router; what a cut-short import left is done again. */
export async function refuseFinished(directory: string, tools: BuildTools): Promise<void> {
  throwIfStopped(tools.signal);
  const found = await readManifest(directory).catch(() => null);
  if (found?.status !== 'complete') return;
  throw new BuildError(
    'already_there',
    `${directory} holds a finished router. Choose another --out, or replace it with --force.`,
  );
}

async function findTensors(
  request: ImportRequest,
  bundle: UpstreamManifest,
  base: BaseCheckpoint,
): Promise<FoundTensor[]> {
  const found: FoundTensor[] = [];
  for (const entry of bundle.selected_tensors) {
    const target = upstreamTarget(entry.path);
    if (target === null) {
      throw new BuildError(
        'bundle_invalid',
        `The bundle adapts ${entry.path}, which Qwen3 does not have.`,
      );
    }
    if (target.name === lmHeadName && !request.withLmHead) continue;
    if (found.some(({ name }) => name === target.name)) {
      throw new BuildError('bundle_invalid', `The bundle lists ${entry.path} twice.`);
    }
    const isSingle = bundle.artifact_layout === 'single_file';
    const relative = isSingle ? bundle.adapted_tensors_artifact : (entry.checkpoint_path ?? '');
    const sha256 = isSingle ? bundle.adapted_tensors_sha256 : entry.checkpoint_sha256;
    const path = await bundleFile(request.bundle, relative, sha256);
    const key = entry.artifact_key ?? entry.path;
    found.push({ entry, ...target, path, key, ...(await fitting(path, key, entry, target, base)) });
  }
  return found;
}

async function fitting(
  path: string,
  key: string,
  entry: UpstreamTensor,
  target: { readonly name: string; readonly isTransposed: boolean },
  base: BaseCheckpoint,
): Promise<{ shape: [number, number]; dtype: 'BF16' | 'F32' }> {
  const file = await SafetensorsFile.open(path);
  try {
    const { dtype } = file.entry(key, { dtypes: ['BF16', 'F32'], shape: entry.shape });
    if (entry.type !== null && entry.type !== dtype) {
      throw new BuildError(
        'bundle_invalid',
        `The type of ${entry.path} is ${entry.type} in the manifest; ${path} holds ${dtype}.`,
      );
    }
    const stored = target.isTransposed ? entry.shape.toReversed() : entry.shape;
    const isTied = target.name === lmHeadName && !base.tensors.has(lmHeadName);
    const inBase = base.tensors.get(isTied ? embeddingName : target.name);
    if (inBase?.shape.join() !== stored.join()) {
      throw new BuildError(
        'bundle_invalid',
        `${entry.path} is [${entry.shape.join()}]: that does not fit the base's ${target.name}, ` +
          `[${inBase?.shape.join() ?? 'not there'}]. Is it a bundle for another base?`,
      );
    }
    return { shape: [stored[0]!, stored[1]!], dtype: dtype as 'BF16' | 'F32' };
  } finally {
    await file.close();
  }
}

interface ImportParts {
  readonly request: ImportRequest;
  readonly bundle: UpstreamManifest;
  readonly base: BaseCheckpoint;
  readonly tensors: readonly FoundTensor[];
  readonly identity: RouterManifest['base'];
}

async function writeRouter(
  directory: string,
  { request, bundle, base, tensors, identity }: ImportParts,
  tools: BuildTools,
): Promise<RouterManifest> {
  const headPath = await bundleFile(
    request.bundle,
    bundle.router_head_artifact,
    bundle.router_head_sha256,
  );
  const head = await readHead(headPath, base.config.hiddenSize, bundle.router_head_tensor_key);
  if (head.shape.join() !== bundle.router_head_shape.join()) {
    throw new BuildError(
      'bundle_invalid',
      `router_head_shape is [${bundle.router_head_shape.join()}], the head is [${head.shape.join()}].`,
    );
  }
  const count = head.shape[0] - roleNames.length;
  const draft: ManifestDraft = {
    format: 'trinity-router',
    version: 1,
    status: 'partial',
    kind: 'imported',
    base: identity,
    agents: { count, labels: [...agentLabels(count)] },
    roles: [...roleNames],
    head: { kind: 'linear', shape: head.shape },
    adaptation: { embedding: 'untied', vectorSha256: null, algorithm: 'imported', tensors: [] },
    files: [],
  };
  await writeManifest(directory, draft, tools.files);
  await placeBase(base, identity, directory);
  const files: FileDigest[] = [await writeHead(directory, head, tools.files)];
  const entries: AdaptedTensor[] = [];
  for (const [name, held] of groups(tensors)) {
    throwIfStopped(tools.signal);
    const sources = held.map((tensor) => tensorSource(tensor, entries));
    const options = tools.files && { files: tools.files };
    const { bytes, sha256 } = await writeSafetensors(join(directory, name), sources, options);
    files.push({ path: name, bytes, sha256 });
  }
  const adaptation = { ...draft.adaptation, tensors: entries };
  return writeManifest(directory, { ...draft, status: 'complete', adaptation, files }, tools.files);
}

function groups(tensors: readonly FoundTensor[]): [file: string, tensors: FoundTensor[]][] {
  const of = (test: (name: string) => boolean) => tensors.filter(({ name }) => test(name));
  const all: [string, FoundTensor[]][] = [
    [routerFiles.adapted, of((name) => name !== embeddingName && name !== lmHeadName)],
    [routerFiles.embedding, of((name) => name === embeddingName)],
    [routerFiles.lmHead, of((name) => name === lmHeadName)],
  ];
  return all.filter(([, held]) => held.length > 0);
}

/** A tensor in the base's orientation. Its manifest entry is added when its bytes have gone by. */
function tensorSource(tensor: FoundTensor, entries: AdaptedTensor[]): TensorSource {
  const { entry, name, shape, dtype } = tensor;
  return {
    name,
    dtype,
    shape,
    data: async function* () {
      const hash = createHash('sha256');
      for await (const piece of orientedPieces(tensor)) {
        hash.update(piece);
        yield piece;
      }
      entries.push({
        name,
        shape,
        dtype,
        offsets: [entry.offset_start, entry.offset_end],
        status: 'complete',
        c: null,
        sha256: hash.digest('hex'),
        singularValues: null,
        offsetsL1: null,
      });
    },
  };
}

async function* orientedPieces(tensor: FoundTensor): AsyncGenerator<Uint8Array> {
  const file = await SafetensorsFile.open(tensor.path);
  try {
    if (tensor.isTransposed) {
      const width = elementBytes(tensor.dtype);
      yield transposed(await file.read(tensor.key), tensor.shape, width);
      return;
    }
    for await (const { bytes } of file.rowChunks(tensor.key, 1024)) yield bytes;
  } finally {
    await file.close();
  }
}

/** Bytes of a matrix stored [columns, rows], as [rows, columns]. */
export function transposed(
  bytes: Uint8Array<ArrayBuffer>,
  [rows, columns]: readonly [number, number],
  width: 2 | 4 | number,
): Uint8Array {
  const from = width === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  const to = width === 2 ? new Uint16Array(from.length) : new Uint32Array(from.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      to[row * columns + column] = from[column * rows + row]!;
    }
  }
  return new Uint8Array(to.buffer);
}
