import type { AdaptedTensor, RouterManifest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { algorithmVersion } from '../adaptation/algorithm.ts';
import { pendingTensors, type BuildPlan } from './build-plan.ts';

/** A manifest without its identity, which is computed when it is written. */
export type ManifestDraft = Omit<RouterManifest, 'adapterRef'>;

/** The manifest of a build before anything is built. */
export function draftOf(plan: BuildPlan, base: RouterManifest['base']): ManifestDraft {
  return {
    format: 'trinity-router',
    version: 1,
    status: 'partial',
    kind: 'built',
    base,
    agents: { count: plan.request.agents, labels: [...plan.labels] },
    roles: [...roleNames],
    head: plan.head.spec,
    adaptation: {
      embedding: plan.request.embedding,
      vectorSha256: plan.vector.sha256,
      algorithm: algorithmVersion,
      tensors: pendingTensors(plan),
    },
    files: [],
  };
}

/**
 * What differs between the inputs of the build that a directory holds and those of a new one, as words for a
 * person; empty when the build can go on. Whether the language head is wanted is no difference.
 */
export function changedInputs(found: RouterManifest, wanted: ManifestDraft): string[] {
  const changes: string[] = [];
  const compare = (what: string, before: unknown, after: unknown) => {
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    changes.push(`${what} (${shown(before)} there, ${shown(after)} asked for)`);
  };
  compare('the kind of router', found.kind, wanted.kind);
  for (const file of wanted.base.files) {
    const before = found.base.files.find(({ path }) => path === file.path);
    compare(`the base's ${file.path}`, before?.sha256, file.sha256);
  }
  compare('the vector', found.adaptation.vectorSha256, wanted.adaptation.vectorSha256);
  compare('the reading of the embedding', found.adaptation.embedding, wanted.adaptation.embedding);
  compare('the algorithm', found.adaptation.algorithm, wanted.adaptation.algorithm);
  compare('the head', found.head, wanted.head);
  compare('the number of agents', found.agents.count, wanted.agents.count);
  compare('the labels', found.agents.labels, wanted.agents.labels);
  const form = ({ name, shape, dtype, offsets }: AdaptedTensor) => ({
    name,
    shape,
    dtype,
    offsets,
  });
  const before = found.adaptation.tensors.map(form);
  const after = wanted.adaptation.tensors.map(form);
  const selection = changedSelection(
    before.map(({ name }) => name),
    after.map(({ name }) => name),
  );
  if (selection !== null) changes.push(`the selected tensors (${selection})`);
  after.forEach((tensor, i) => {
    if (before[i]?.name === tensor.name) compare(`the form of ${tensor.name}`, before[i], tensor);
  });
  return changes;
}

/** The tensors of a new build with what an earlier one, of the same inputs, has finished. */
export function carriedOver(
  found: readonly AdaptedTensor[],
  wanted: readonly AdaptedTensor[],
): AdaptedTensor[] {
  return wanted.map((tensor) => {
    const before = found.find(({ name }) => name === tensor.name);
    return before?.status === 'complete' ? before : tensor;
  });
}

/** Which tensors a selection gained and lost; null where it holds the same ones. */
function changedSelection(before: readonly string[], after: readonly string[]): string | null {
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  const parts = [
    ...(added.length === 0 ? [] : [`asked for and not there: ${byLayer(added)}`]),
    ...(removed.length === 0 ? [] : [`there and not asked for: ${byLayer(removed)}`]),
  ];
  return parts.length === 0 ? null : parts.join('; ');
}

/** Names of tensors, those of one layer as the layer. */
function byLayer(names: readonly string[]): string {
  const groups = Map.groupBy(names, (name) => /^model\.layers\.(\d+)\./.exec(name)?.[1] ?? name);
  return [...groups]
    .map(([key, held]) => {
      if (held.length === 1) return held[0];
      return `the ${held.length} tensors of layer ${key}`;
    })
    .join(', ');
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
