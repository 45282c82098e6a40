/** Where a tensor of an upstream bundle belongs in the base, and how it lies. */
export interface UpstreamTarget {
  /** Checkpoint name. */
  readonly name: string;
  /** Whether the bundle stores [in, out]: by the name, because a square matrix's shape cannot tell. */
  readonly isTransposed: boolean;
}

const attention: Readonly<Record<string, string>> = {
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  output: 'o_proj',
};
const feedForward: Readonly<Record<string, string>> = {
  gate: 'gate_proj',
  intermediate: 'up_proj',
  output: 'down_proj',
};

/**
 * The checkpoint's name for a parameter path of upstream's model; null for one it does not adapt.
 *
 * Source: the tensor table of upstream's exporter.
 */
export function upstreamTarget(path: string): UpstreamTarget | null {
  if (path === 'embedder.token_embedding.kernel') {
    return { name: 'model.embed_tokens.weight', isTransposed: false };
  }
  if (path === 'language_modeling_head.output.kernel') {
    return { name: 'lm_head.weight', isTransposed: false };
  }
  const found = /^decoder\.blocks\.(\d{1,4})\.(self_attention|ffn)\.([a-z]+)\.kernel$/.exec(path);
  if (found === null) return null;
  const [, layer, room, part] = found as unknown as [string, string, string, string];
  const projection = room === 'ffn' ? feedForward[part] : attention[part];
  if (projection === undefined) return null;
  const group = room === 'ffn' ? 'mlp' : 'self_attn';
  return {
    name: `model.layers.${Number(layer)}.${group}.${projection}.weight`,
    isTransposed: true,
  };
}
