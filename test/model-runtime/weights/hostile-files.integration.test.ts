import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { safetensorsBytes } from '../../fixtures/safetensors-bytes.ts';

const reader = new URL('../../fixtures/read-weights-file.ts', import.meta.url).pathname;
const allowance = 64 * 1024 * 1024;

let folder: string;
let emptyRss: Readonly<Record<Kind, number>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-hostile-'));
  const rssOf = async (kind: Kind): Promise<number> => (await read(kind, new Uint8Array(0))).rss;
  emptyRss = {
    safetensors: await rssOf('safetensors'),
    npy: await rssOf('npy'),
    config: await rssOf('config'),
  };
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

type Kind = 'safetensors' | 'npy' | 'config';
const entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
const fourMiB = 4 * 1024 * 1024;

const hostile: Record<string, [kind: Kind, bytes: () => Uint8Array]> = {
  'as many tensors as a header may have room for': [
    'safetensors',
    () => header(`{${numbered(fourMiB / 70, (i) => `"${i}":${entry}`)}}`),
  ],
  'twenty thousand tensors of eight dimensions, and a hole': [
    'safetensors',
    () => {
      const full = '{"dtype":"U8","shape":[1,1,1,1,1,1,1,0],"data_offsets":[1,1]}';
      return header(`{${numbered(20_000, (i) => `"${i}":${full}`)}}`);
    },
  ],
  'a tensor of 200,000 dimensions': [
    'safetensors',
    () => header(`{"t":{"dtype":"U8","shape":[${'1,'.repeat(200_000)}1],"data_offsets":[0,1]}}`),
  ],
  'four million open brackets': ['safetensors', () => header('['.repeat(fourMiB - 16))],
  'a name of four million escapes': [
    'safetensors',
    () => header(`{"${'\\n'.repeat(fourMiB / 2 - 100)}":${entry}}`),
  ],
  'as much metadata as a header may have room for': [
    'safetensors',
    () => header(`{"__metadata__":{${numbered(fourMiB / 16, (i) => `"${i}":""`)}}}`),
  ],
  'a header of 2^63 bytes': [
    'safetensors',
    () => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x80, ...new Uint8Array(64)),
  ],
  'an array of 10^18 numbers': [
    'npy',
    () => npy("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999, 999999999)}"),
  ],
  'a header of commas': ['npy', () => npy(','.repeat(60_000))],
  'a configuration of brackets': ['config', () => Buffer.from('['.repeat(256 * 1024))],
  'a configuration of ten megabytes': ['config', () => Buffer.alloc(10_000_000, '{"a":')],
};

describe('a hostile file', () => {
  for (const [what, [kind, bytes]] of Object.entries(hostile)) {
    it(`with ${what} ends in a typed error and takes no memory`, async () => {
      const content = bytes();
      const { error, rss } = await read(kind, content);
      expect(error).toMatch(/^[a-z_]+: .*hostile: ./);
      expect(rss - emptyRss[kind]).toBeLessThanOrEqual(content.byteLength + allowance);
    });
  }
});

/** Reads a file in a process of its own: its typed error and its largest resident size, in bytes. */
async function read(kind: Kind, bytes: Uint8Array): Promise<{ error: string; rss: number }> {
  const path = join(folder, 'hostile');
  await writeFile(path, bytes);
  expect((await stat(path)).size).toBe(bytes.byteLength);
  const run = promisify(execFile)(process.execPath, [reader, kind, path], { timeout: 60_000 });
  return JSON.parse((await run).stdout) as { error: string; rss: number };
}

function header(json: string): Uint8Array {
  return safetensorsBytes(json, new Uint8Array(0));
}

function numbered(count: number, member: (index: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, i) => member(i)).join(',');
}

function npy(text: string): Uint8Array {
  const prefix = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 0, 0]);
  prefix.writeUInt16LE(text.length, 8);
  return Buffer.concat([prefix, Buffer.from(text)]);
}
