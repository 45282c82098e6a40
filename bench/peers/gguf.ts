import { open } from 'node:fs/promises';

/** Element types of GGUF that are written here. */
const types = { F32: 0, Q8_0: 8, BF16: 30 } as const;
export type GgufType = keyof typeof types;

export interface GgufTensor {
  readonly name: string;
  /** Innermost dimension first, as ggml counts. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  readonly bytes: number;
  readonly data: () => AsyncIterable<Uint8Array>;
}

export type GgufValue =
  | { readonly u32: number }
  | { readonly f32: number }
  | { readonly flag: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] };

const alignment = 32;

/**
 * Writes a GGUF file, version 3.
 *
 * Source: the format's description in ggml (docs/gguf.md).
 */
export async function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Promise<void> {
  const handle = await open(path, 'w');
  try {
    const header = headerOf(metadata, tensors);
    await handle.write(padded(header));
    for (const tensor of tensors) {
      for await (const piece of tensor.data()) await handle.write(piece);
      await handle.write(new Uint8Array(gap(tensor.bytes)));
    }
  } finally {
    await handle.close();
  }
}

function headerOf(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Buffer {
  const entries = Object.entries(metadata);
  let offset = 0;
  const infos = tensors.map(({ name, shape, type, bytes }) => {
    const info = [text(name), u32(shape.length), ...shape.map(u64), u32(types[type]), u64(offset)];
    offset += bytes + gap(bytes);
    return Buffer.concat(info);
  });
  return Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.map(([key, value]) => Buffer.concat([text(key), encoded(value)])),
    ...infos,
  ]);
}

function encoded(value: GgufValue): Buffer {
  if ('u32' in value) return Buffer.concat([u32(4), u32(value.u32)]);
  if ('text' in value) return Buffer.concat([u32(8), text(value.text)]);
  if ('flag' in value) return Buffer.concat([u32(7), Buffer.of(value.flag ? 1 : 0)]);
  if ('texts' in value) {
    const { texts } = value;
    return Buffer.concat([u32(9), u32(8), u64(texts.length), ...texts.map(text)]);
  }
  const float = Buffer.alloc(4);
  float.writeFloatLE(value.f32);
  return Buffer.concat([u32(6), float]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(gap(bytes.byteLength))]);
}

function gap(bytes: number): number {
  return (alignment - (bytes % alignment)) % alignment;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.byteLength), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
