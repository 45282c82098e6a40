import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AdaptedTensor } from '../../contracts/manifest.ts';
import { AdaptationError } from '../adaptation/adaptation-error.ts';
import { applyRanges } from '../adaptation/apply.ts';
import { decompose } from '../adaptation/decomposition.ts';
import type { Eigensystem } from '../adaptation/eigen.ts';
import { normalisation, scalingFactors, singularValues } from '../adaptation/scaling.ts';
import { bytesOf, writeSafetensors } from '../weights/safetensors-writer.ts';
import { sha256Of, storedTensor, writePart } from './build-part.ts';
import type { PlannedPart } from './build-plan.ts';
import type { BuildProgress } from './build-progress.ts';
import { throwIfStopped, type BuildTools } from './build-tools.ts';
import { routerFiles } from './identity.ts';

/** What a tensor's build works with. */
export interface TensorBuild {
  readonly directory: string;
  readonly part: PlannedPart;
  readonly pending: AdaptedTensor;
  readonly tools: BuildTools;
  readonly progress: BuildProgress;
  readonly signal: AbortSignal;
  /** Decompositions that parts of one build share: a tied language head has the embedding's matrix. */
  readonly shared: Map<string, Promise<Eigensystem>>;
}

/**
 * Builds one tensor and writes it: a part for a layer or M, its own file for the language head.
 *
 * @returns the tensor's entry of the manifest, complete, and whether its decomposition was kept
 */
export async function buildTensor(
  build: TensorBuild,
): Promise<{ readonly entry: AdaptedTensor; readonly fromCache: boolean }> {
  const { part, pending, tools, progress, signal } = build;
  const { name } = part.tensor;
  const { system, fromCache } = await decomposition(build);
  throwIfStopped(signal);
  const singular = singularValues(system.values);
  const factors = scalingFactors(part.spans);
  const c = normalisation(singular, factors, name);
  const combineTask = { kind: 'combine', vectors: system.vectors, factors } as const;
  const m = await tools.runner.run(combineTask, { signal });
  progress.report(name, 'combine', 1);
  const written =
    part.tensor.part === 'lm_head'
      ? await writeLanguageHead(build, singular, m, c)
      : await writeSmall(build, singular, m, c);
  progress.report(name, 'write', 1);
  const entry: AdaptedTensor = {
    ...pending,
    status: 'complete',
    c,
    sha256: written,
    singularValues: {
      count: singular.length,
      largest: singular[0]!,
      smallest: singular.at(-1)!,
      sum: singular.reduce((sum, value) => sum + value, 0),
      sha256: sha256Of(bytesOf(singular)),
    },
  };
  return { entry, fromCache };
}

async function decomposition({
  part,
  tools,
  progress,
  signal,
  shared,
}: TensorBuild): Promise<{ readonly system: Eigensystem; readonly fromCache: boolean }> {
  const { matrix, tensor } = part;
  const { name } = tensor;
  const bytes = matrix.rows * matrix.columns * (matrix.dtype === 'BF16' ? 2 : 4);
  const sha256 = await tools.runner.run(
    { kind: 'digest', matrix },
    { signal, report: (done) => progress.report(name, 'digest', done / bytes) },
  );
  const identity = { sha256, rows: matrix.rows, columns: matrix.columns, dtype: matrix.dtype };
  const kept = (await tools.decompositions?.get(identity)) ?? null;
  const other = shared.get(sha256);
  if (kept !== null || other !== undefined) {
    progress.drop(name, ['gram', 'eigen']);
    return { system: kept ?? (await other!), fromCache: true };
  }
  const report = (stage: 'gram' | 'eigen', fraction: number) =>
    progress.report(name, stage, fraction);
  const computed = decompose(tools.runner, matrix, { signal, report });
  if (tensor.part !== 'layer') shared.set(sha256, computed);
  const system = await computed;
  await tools.decompositions?.put(identity, system);
  return { system, fromCache: false };
}

/** A layer's matrix, or c M for the embedding, as a part. Returns the digest of its bytes. */
async function writeSmall(
  build: TensorBuild,
  singular: Float64Array<ArrayBuffer>,
  m: Float64Array,
  c: number,
): Promise<string> {
  const { directory, part, pending, tools, signal } = build;
  const value =
    part.tensor.part === 'embedding'
      ? bytesOf(scaledMap(m, c))
      : await joined(adaptedPieces(build, m, c));
  throwIfStopped(signal);
  await writePart(directory, pending, { singular, value }, tools.files);
  return sha256Of(value);
}

/** The language head is large: it goes to its own file as it is computed. */
async function writeLanguageHead(
  build: TensorBuild,
  singular: Float64Array<ArrayBuffer>,
  m: Float64Array,
  c: number,
): Promise<string> {
  const { directory, pending, tools } = build;
  const hash = createHash('sha256');
  async function* data() {
    for await (const piece of adaptedPieces(build, m, c)) {
      hash.update(piece);
      yield piece;
    }
  }
  const path = join(directory, routerFiles.lmHead);
  await writeSafetensors(
    path,
    [{ ...storedTensor(pending), data }],
    tools.files && { files: tools.files },
  );
  await writePart(directory, pending, { singular, value: null }, tools.files);
  return hash.digest('hex');
}

/** Adapted rows in order, computed a few pieces ahead. */
async function* adaptedPieces(
  { part, tools, progress, signal }: TensorBuild,
  m: Float64Array,
  c: number,
): AsyncGenerator<Uint8Array> {
  const { matrix, dtype, tensor } = part;
  const ranges = [...applyRanges(matrix)];
  const total = Math.max(matrix.rows, matrix.columns);
  const done = new Map<number, number>();
  const start = (rows: { readonly first: number; readonly end: number }) => {
    const task = { kind: 'adapt', matrix, m, c, rows, dtype } as const;
    const report = (count: number) => {
      done.set(rows.first, count);
      const sum = [...done.values()].reduce((all, value) => all + value, 0);
      progress.report(tensor.name, 'apply', Math.min(1, sum / total));
    };
    const piece = tools.runner.run(task, { signal, report });
    // Awaited below in order; a failure of a later piece must not count as unhandled meanwhile.
    piece.catch(() => undefined);
    return piece;
  };
  const ahead = ranges.splice(0, tools.runner.width + 1).map(start);
  while (ahead.length > 0) {
    const piece = await ahead.shift()!;
    const next = ranges.shift();
    if (next !== undefined) ahead.push(start(next));
    yield piece;
  }
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const list: Uint8Array[] = [];
  for await (const piece of pieces) list.push(piece);
  return Buffer.concat(list);
}

function scaledMap(m: Float64Array, c: number): Float32Array<ArrayBuffer> {
  const scaled = Float32Array.from(m, (value) => c * value);
  if (scaled.every(Number.isFinite)) return scaled;
  throw new AdaptationError(
    'non_finite',
    'The scaling matrix of the embedding is beyond f32. The vector does not fit this base.',
  );
}
