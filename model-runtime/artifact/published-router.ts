import { BuildError } from './build-error.ts';

/** Training metadata of the published router, in checkpoint order. What a slot calls is what the person bound to it. */
export const publishedAgentLabels: readonly string[] = [
  'gpt-5',
  'claude-sonnet-4-20250514',
  'gemini-2.5-pro',
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B',
  'google/gemma-3-27b-it',
  'Qwen/Qwen3-32B (reasoning)',
  'Qwen/Qwen3-32B (direct)',
];

/** Labels where none were given: the published ones for seven agents. */
export function agentLabels(count: number): readonly string[] {
  if (count === publishedAgentLabels.length) return publishedAgentLabels;
  return Array.from({ length: count }, (_, index) => `agent ${index}`);
}

/** Labels that were given, one for each agent; null when none were. Throws BuildError `head_invalid`. */
export function checkedLabels(
  labels: readonly string[] | null,
  count: number,
): readonly string[] | null {
  if (labels === null || labels.length === count) return labels;
  const text = `${labels.length} labels were given for ${count} agents.`;
  throw new BuildError('head_invalid', text);
}

/** Published bases by the digest of their model.safetensors. */
const knownBases: Readonly<Record<string, BaseOrigin>> = {
  f47f71177f32bcd101b7573ec9171e6a57f4f4d31148d38e382306f42996874b: {
    repo: 'Qwen/Qwen3-0.6B',
    revision: 'c1899de289a04d12100db370d81485cdf75e47ca',
  },
};

/** Where a base is published. */
export interface BaseOrigin {
  readonly repo: string;
  readonly revision: string;
}

/** Origin of a base by the digest of its weights; null when it is not a known one. */
export function originOf(weightsSha256: string): BaseOrigin | null {
  return knownBases[weightsSha256] ?? null;
}
