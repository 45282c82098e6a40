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
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  compare('the selected tensors', names(before), names(after));
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

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
