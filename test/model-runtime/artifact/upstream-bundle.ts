import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';

/** Upstream's path, the checkpoint's name, and the checkpoint's shape [out, in] for the small base. */
export const upstreamTensors = [
  ['embedder.token_embedding.kernel', 'model.embed_tokens.weight', [300, 64]],
  [
    'decoder.blocks.2.self_attention.query.kernel',
    'model.layers.2.self_attn.q_proj.weight',
    [64, 64],
  ],
  [
    'decoder.blocks.2.self_attention.key.kernel',
    'model.layers.2.self_attn.k_proj.weight',
    [32, 64],
  ],
  [
    'decoder.blocks.2.self_attention.value.kernel',
    'model.layers.2.self_attn.v_proj.weight',
    [32, 64],
  ],
  [
    'decoder.blocks.2.self_attention.output.kernel',
    'model.layers.2.self_attn.o_proj.weight',
    [64, 64],
  ],
  ['decoder.blocks.2.ffn.gate.kernel', 'model.layers.2.mlp.gate_proj.weight', [192, 64]],
  ['decoder.blocks.2.ffn.intermediate.kernel', 'model.layers.2.mlp.up_proj.weight', [192, 64]],
  ['decoder.blocks.2.ffn.output.kernel', 'model.layers.2.mlp.down_proj.weight', [64, 192]],
  ['language_modeling_head.output.kernel', 'lm_head.weight', [300, 64]],
] as const;

export interface UpstreamBundle {
  readonly folder: string;
  /** bf16 bits by checkpoint name, [out, in]. */
  readonly values: ReadonlyMap<string, Uint16Array>;
  readonly head: Float32Array;
}

/** Rewrites a bundle's manifest.json after a change. */
export async function changeManifest(
  folder: string,
  edit: (manifest: Record<string, unknown>) => void,
): Promise<void> {
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  edit(manifest);
  await writeFile(path, JSON.stringify(manifest));
}

/** Writes a finished bundle of the small base in upstream's checkpoint layout. */
export async function writeUpstreamBundle(folder: string, seed = 9): Promise<UpstreamBundle> {
  const next = gaussian(seed);
  await mkdir(join(folder, 'checkpoints'), { recursive: true });
  const values = new Map<string, Uint16Array>();
  const selected = [];
  let offset = 0;
  for (const [index, [path, name, [rows, columns]]] of upstreamTensors.entries()) {
    const single = Float32Array.from({ length: rows * columns }, () => 0.1 * next());
    const bits = Uint16Array.from(new Uint32Array(single.buffer), (u) => u >>> 16);
    values.set(name, bits);
    const isTransposed = path.startsWith('decoder.');
    const stored = new Uint16Array(bits.length);
    bits.forEach((value, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      stored[isTransposed ? column * rows + row : at] = value;
    });
    const shape = isTransposed ? [columns, rows] : [rows, columns];
    const relative = `checkpoints/${String(index + 1).padStart(4, '0')}_${path}.safetensors`;
    const tensor = { name: path, dtype: 'BF16', shape, data: bytesOf(stored) } as const;
    await writeSafetensors(join(folder, relative), [tensor]);
    const span = Math.min(rows, columns);
    selected.push({
      index,
      path,
      artifact_key: path,
      shape,
      type: 'bf16',
      status: 'complete',
      offset_start: offset,
      offset_end: offset + span,
      singular_values: span,
      checkpoint_path: relative,
      checkpoint_sha256: await sha256(join(folder, relative)),
    });
    offset += span;
  }
  const head = Float32Array.from({ length: 640 }, next);
  await writeSafetensors(join(folder, 'router_head.safetensors'), [
    { name: 'trinity_router_head', dtype: 'F32', shape: [10, 64], data: bytesOf(head) },
  ]);
  const manifest: Record<string, unknown> = {
    artifact_version: 1,
    status: 'complete',
    export_complete: true,
    partial_debug_only: false,
    artifact_layout: 'checkpoint_directory',
    adapted_tensors_artifact: 'checkpoints',
    adapted_tensors_sha256: null,
    router_head_artifact: 'router_head.safetensors',
    router_head_sha256: await sha256(join(folder, 'router_head.safetensors')),
    router_head_shape: [10, 64],
    router_head_tensor_key: 'trinity_router_head',
    base_model_repo: 'Qwen/Qwen3-0.6B',
    selected_tensor_count: selected.length,
    selected_tensors: selected,
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return { folder, values, head };
}

async function sha256(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
