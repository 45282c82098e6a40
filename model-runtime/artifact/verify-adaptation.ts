import { join } from 'node:path';
import type { AdaptedTensor, RouterManifest } from '../../contracts/manifest.ts';
import { normalisation, scalingFactors } from '../adaptation/scaling.ts';
import { readRouterVector, type RouterVector } from '../adaptation/vector.ts';
import { bytesOf } from '../weights/safetensors-writer.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { sha256Of } from './build-part.ts';
import { spanNames } from './build-plan.ts';
import { routerFiles } from './identity.ts';

/** What two computations of one sum may differ by. */
const tolerance = 1e-9;

/**
 * What a manifest says of its adapted tensors and the numbers contradict: the singular values S with their
 * count, ends and sum, and, given the vector, c = sum(S) / sum(S (1 + d)).
 *
 * @param vectorPath the router vector that the router was built from; null leaves c unchecked
 * @returns null when everything holds, or nothing is recorded
 * @throws AdaptationError, WeightsError of a vector or file that cannot be read
 */
export async function adaptationProblem(
  directory: string,
  manifest: RouterManifest,
  vectorPath: string | null,
): Promise<string | null> {
  const tensors = manifest.adaptation.tensors.filter(({ singularValues: s }) => s !== null);
  const vector = vectorPath === null ? null : await readRouterVector(vectorPath);
  if (vector !== null && vector.sha256 !== manifest.adaptation.vectorSha256) {
    return `${vectorPath} is not the vector that the router was built from`;
  }
  if (tensors.length === 0) return null;
  const file = await SafetensorsFile.open(join(directory, routerFiles.singularValues));
  try {
    for (const tensor of tensors) {
      file.entry(tensor.name, { dtypes: ['F64'] });
      const values = new Float64Array((await file.read(tensor.name)).buffer);
      const problem =
        singularProblem(tensor, values) ??
        (vector === null ? null : normalisationProblem(tensor, values, vector, manifest));
      if (problem !== null) return problem;
    }
  } finally {
    await file.close();
  }
  return null;
}

function singularProblem(
  { name, singularValues }: AdaptedTensor,
  values: Float64Array<ArrayBuffer>,
): string | null {
  if (singularValues === null) return null;
  if (sha256Of(bytesOf(values)) !== singularValues.sha256) {
    return `the singular values of ${name} are not those that the manifest records`;
  }
  const found = {
    count: values.length,
    largest: values[0] ?? 0,
    smallest: values.at(-1) ?? 0,
    sum: values.reduce((sum, value) => sum + value, 0),
  };
  for (const key of ['count', 'largest', 'smallest', 'sum'] as const) {
    if (isNear(singularValues[key], found[key])) continue;
    return `"${key}" of the singular values of ${name} is ${singularValues[key]} in the manifest; they give ${found[key]}`;
  }
  return null;
}

function normalisationProblem(
  { name, c }: AdaptedTensor,
  values: Float64Array,
  vector: RouterVector,
  { adaptation }: RouterManifest,
): string | null {
  if (c === null || adaptation.embedding === null) return null;
  const spans = spanNames(name, adaptation.embedding).map((of) => {
    const [start, end] = adaptation.tensors.find((tensor) => tensor.name === of)?.offsets ?? [0, 0];
    return vector.values.subarray(start, end);
  });
  if (spans.some((span) => span.length !== values.length)) {
    return `the offsets of ${name} are not as many as its singular values`;
  }
  const expected = normalisation(values, scalingFactors(spans), name);
  if (isNear(c, expected)) return null;
  return `c of ${name} is ${c} in the manifest; its singular values and the vector give ${expected}`;
}

function isNear(stored: number, found: number): boolean {
  return Math.abs(stored - found) <= tolerance * Math.abs(found);
}
