import type { ExportRequest, PlannedTensor } from '../../contracts/build.ts';
import type { AdaptedTensor, HeadSpec } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { AdaptationError } from '../adaptation/adaptation-error.ts';
import {
  embeddingName,
  lmHeadName,
  offsetCount,
  selectTensors,
  type SelectedTensor,
} from '../adaptation/selection.ts';
import type { MatrixLocation } from '../adaptation/tasks.ts';
import {
  offsetsL1,
  readRouterVector,
  splitVector,
  type RouterVector,
} from '../adaptation/vector.ts';
import { openBase, type BaseCheckpoint } from './base-checkpoint.ts';
import { BuildError } from './build-error.ts';
import { agentLabels, checkedLabels } from './published-router.ts';

/** A tensor of a build: where it lies, and the spans of offsets that scale it, first applied first. */
export interface PlannedPart {
  readonly tensor: SelectedTensor;
  readonly matrix: MatrixLocation;
  readonly spans: readonly Float32Array[];
  /** False for the language head where only routing is wanted. */
  readonly isWanted: boolean;
  readonly dtype: 'BF16' | 'F32';
}

/** Everything a build was asked, checked against base and vector. */
export interface BuildPlan {
  readonly request: ExportRequest;
  readonly base: BaseCheckpoint;
  readonly vector: RouterVector;
  readonly head: { readonly values: Float32Array<ArrayBuffer>; readonly spec: HeadSpec };
  readonly labels: readonly string[];
  readonly parts: readonly PlannedPart[];
}

/**
 * Reads base and vector and checks that they fit: nothing is written.
 *
 * @throws AdaptationError, WeightsError, BuildError; see readRouterVector(), selectTensors(), splitVector()
 */
export async function planBuild(request: ExportRequest): Promise<BuildPlan> {
  const base = await openBase(request.base);
  const layers = request.layers ?? [Math.max(0, base.config.layers - 2)];
  const selection = selectTensors(base.tensors, layers, base.config.tiedEmbedding);
  checkEmbedding(request, base, selection);
  const vector = await readRouterVector(request.vector);
  const shape: [number, number] = [request.agents + roleNames.length, base.config.hiddenSize];
  const { offsets, head } = splitVector(vector, offsetCount(selection), shape);
  const spanOf = (name: string) => {
    const [start, end] = selection.find((tensor) => tensor.name === name)!.offsets;
    return offsets.subarray(start, end);
  };
  const only = request.onlyTensor;
  if (only !== null && !selection.some(({ name }) => name === only)) {
    const names = selection.map(({ name }) => name).join(', ');
    throw new BuildError(
      'unknown_tensor',
      `There is no tensor ${only} to build. There are: ${names}.`,
    );
  }
  return {
    request,
    base,
    vector,
    head: { values: head, spec: { kind: 'linear', shape } },
    labels: checkedLabels(request.labels, request.agents) ?? agentLabels(request.agents),
    parts: selection.map((tensor) => ({
      tensor,
      matrix: { ...tensor, path: base.weightsPath },
      spans: spanNames(tensor.name, request.embedding).map(spanOf),
      isWanted: tensor.part !== 'lm_head' || request.withLmHead || only === tensor.name,
      dtype: tensor.part === 'embedding' ? 'F32' : request.dtype,
    })),
  };
}

/** The plan's tensors as a manifest lists them before any is built. */
export function pendingTensors(plan: BuildPlan): AdaptedTensor[] {
  return plan.parts.map(({ tensor, isWanted, dtype, spans }) => ({
    name: tensor.name,
    shape: [tensor.rows, tensor.columns],
    dtype,
    offsets: [tensor.offsets[0], tensor.offsets[1]],
    status: isWanted ? 'pending' : 'skipped',
    c: null,
    sha256: null,
    singularValues: null,
    offsetsL1: spans.length === 0 ? null : spans.map(offsetsL1).reduce((sum, value) => sum + value),
  }));
}

/** The plan's tensors for the event that announces a build. */
export function announced(
  plan: BuildPlan,
  isKept: (name: string) => boolean = () => false,
): PlannedTensor[] {
  const only = plan.request.onlyTensor;
  return pendingTensors(plan).map(({ name, shape, offsets, offsetsL1: l1, status }) => {
    const isLeftOut = status === 'skipped' || (only !== null && only !== name);
    return {
      name,
      shape,
      offsets,
      offsetsL1: l1,
      action: isLeftOut ? 'skip' : isKept(name) ? 'keep' : 'build',
    };
  });
}

/** Tensors whose spans scale a tensor, in order. Embedding and language head share a matrix in the base. */
export function spanNames(name: string, reading: ExportRequest['embedding']): readonly string[] {
  if (name !== embeddingName && name !== lmHeadName) return [name];
  switch (reading) {
    case 'untied':
      return [name];
    case 'overwritten':
      return [lmHeadName];
    case 'compounded':
      return [embeddingName, lmHeadName];
  }
}

function checkEmbedding(
  { embedding: reading }: ExportRequest,
  base: BaseCheckpoint,
  selection: readonly SelectedTensor[],
): void {
  const embedding = selection.find(({ part }) => part === 'embedding')!;
  const { vocabSize, hiddenSize } = base.config;
  for (const part of selection.filter((tensor) => tensor.part !== 'layer')) {
    if (part.rows !== vocabSize || part.columns !== hiddenSize) {
      throw new AdaptationError(
        'wrong_shape',
        `${part.name} has the shape [${part.rows},${part.columns}]; config.json says [${vocabSize},${hiddenSize}].`,
      );
    }
  }
  if (reading === 'untied' || base.config.tiedEmbedding) return;
  throw new AdaptationError(
    'not_tied',
    `The reading "${reading}" is for bases that tie ${embedding.name} and the language head; this one does not ` +
      '(tie_word_embeddings in config.json).',
  );
}
