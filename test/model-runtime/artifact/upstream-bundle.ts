import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';

/** A matrix of a bundle as the checkpoint has it: bf16 bits, [out, in]. */
export interface BundleMatrix {
  readonly shape: readonly [rows: number, columns: number];
  readonly bits: Uint16Array;
}

/** Upstream's path and the checkpoint's name of each tensor, in upstream's order. */
const upstreamNames = (layer: number) =>
  [
    ['embedder.token_embedding.kernel', 'model.embed_tokens.weight'],
    ...[
      ['self_attention.query', 'self_attn.q_proj'],
      ['self_attention.key', 'self_attn.k_proj'],
      ['self_attention.value', 'self_attn.v_proj'],
      ['self_attention.output', 'self_attn.o_proj'],
      ['ffn.gate', 'mlp.gate_proj'],
      ['ffn.intermediate', 'mlp.up_proj'],
      ['ffn.output', 'mlp.down_proj'],
    ].map(([theirs, ours]) => [
      `decoder.blocks.${layer}.${theirs}.kernel`,
      `model.layers.${layer}.${ours}.weight`,
    ]),
    ['language_modeling_head.output.kernel', 'lm_head.weight'],
  ] as [string, string][];

/** Random matrices of the small base's shapes. */
export function randomMatrices(seed = 9): (name: string) => BundleMatrix {
  const next = gaussian(seed);
  const shapes: readonly (readonly [RegExp, readonly [number, number]])[] = [
    [/embed|lm_head/, [300, 64]],
    [/[qo]_proj/, [64, 64]],
    [/[kv]_proj/, [32, 64]],
    [/gate|up/, [192, 64]],
    [/down/, [64, 192]],
  ];
  return (name) => {
    const [, shape] = shapes.find(([pattern]) => pattern.test(name))!;
    const single = Float32Array.from({ length: shape[0] * shape[1] }, () => 0.1 * next());
    return { shape, bits: Uint16Array.from(new Uint32Array(single.buffer), (u) => u >>> 16) };
  };
}

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

/** Writes a finished bundle in upstream's checkpoint layout. */
export async function writeUpstreamBundle(
  folder: string,
  {
    matrix = randomMatrices(),
    layer = 2,
    head = Float32Array.from({ length: 640 }, gaussian(4)),
  }: {
    readonly matrix?: (name: string) => BundleMatrix;
    readonly layer?: number;
    readonly head?: Float32Array;
  } = {},
): Promise<UpstreamBundle> {
  await mkdir(join(folder, 'checkpoints'), { recursive: true });
  const values = new Map<string, Uint16Array>();
  const selected = [];
  let offset = 0;
  for (const [index, [path, name]] of upstreamNames(layer).entries()) {
    const { shape: inBase, bits } = matrix(name);
    const [rows, columns] = inBase;
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
  const shape = [10, head.length / 10];
  await writeSafetensors(join(folder, 'router_head.safetensors'), [
    { name: 'trinity_router_head', dtype: 'F32', shape, data: bytesOf(head) },
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
    router_head_shape: shape,
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
