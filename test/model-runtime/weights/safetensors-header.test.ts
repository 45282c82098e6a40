import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSafetensorsHeader } from '../../../model-runtime/weights/safetensors-header.ts';
import { WeightsError } from '../../../model-runtime/weights/weights-error.ts';

const elementSizes = { F64: 8, F32: 4, BF16: 2, F16: 2, I64: 8, I32: 4, U8: 1, I8: 1, BOOL: 1 };

describe('the header of a safetensors file', () => {
  it('gives tensors with their places in the file, and the metadata', () => {
    const header = parse(
      '{"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]},' +
        '"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}   ',
      28,
    );
    const start = header.tensors.get('a')!.start;
    expect([...header.tensors.keys()]).toEqual(['a', 'b']);
    expect(header.tensors.get('b')).toEqual({
      name: 'b',
      dtype: 'F32',
      shape: [2, 3],
      start: start + 4,
      end: start + 28,
    });
    expect(header.metadata.get('format')).toBe('pt');
  });

  it('may name a tensor in any script, with escapes, or like an object member', () => {
    const names = ['权重', '\\u0041\\n', '__proto__', 'constructor'];
    const entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
    const { tensors } = parse(`{${names.map((name) => `"${name}":${entry}`).join()}}`, 0);
    expect([...tensors.keys()].sort()).toEqual(['A\n', '__proto__', 'constructor', '权重'].sort());
  });

  it('may hold a scalar and nothing at all', () => {
    const scalar = '{"s":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}';
    expect(parse(scalar, 8).tensors.get('s')!.shape).toEqual([]);
    expect(parse('{}', 0).tensors.size).toBe(0);
  });

  const entry = (changes: object): string =>
    JSON.stringify({ t: { dtype: 'F32', shape: [2], data_offsets: [0, 8], ...changes } });
  const two = (a: [number, number], b: [number, number]): string =>
    JSON.stringify({
      a: { dtype: 'U8', shape: [a[1] - a[0]], data_offsets: a },
      b: { dtype: 'U8', shape: [b[1] - b[0]], data_offsets: b },
    });
  const refused: [what: string, code: string, header: string | Uint8Array, dataBytes: number][] = [
    ['text that is no object', 'malformed', '[]', 0],
    ['text that stops', 'malformed', '{"t":{"dtype":"F32"', 0],
    ['text after the object', 'malformed', '{}x', 0],
    ['bytes that are no UTF-8', 'malformed', Uint8Array.of(0x7b, 0x22, 0xff, 0x22), 0],
    ['a byte order mark', 'malformed', '\ufeff{}', 0],
    ['an unknown member', 'malformed', entry({ extra: [1] }), 8],
    ['an entry without a shape', 'malformed', '{"t":{"dtype":"F32","data_offsets":[0,0]}}', 0],
    ['one offset', 'malformed', entry({ data_offsets: [0] }), 8],
    ['three offsets', 'malformed', entry({ data_offsets: [0, 8, 8] }), 8],
    ['a negative size', 'malformed', entry({ shape: [-2] }), 8],
    ['a fractional size', 'malformed', entry({ shape: [2.5] }), 8],
    [
      'a size in powers',
      'malformed',
      '{"t":{"dtype":"U8","shape":[1e3],"data_offsets":[0,1000]}}',
      1000,
    ],
    [
      'a size beyond 2^53',
      'malformed',
      '{"t":{"dtype":"U8","shape":[99999999999999999],"data_offsets":[0,0]}}',
      0,
    ],
    ['nine dimensions', 'malformed', entry({ shape: [2, 1, 1, 1, 1, 1, 1, 1, 1] }), 8],
    ['nested lists', 'malformed', `{"t":{"dtype":"F32","shape":${'['.repeat(5000)}`, 0],
    ['metadata that is no text', 'malformed', '{"__metadata__":{"a":1}}', 0],
    ['a tensor given twice', 'duplicate_key', `{"t":${entry({}).slice(5, -1)},"\\u0074":{}}`, 8],
    ['a dtype given twice', 'duplicate_key', '{"t":{"dtype":"F32","dtype":"F64"}}', 8],
    ['metadata given twice', 'duplicate_key', '{"__metadata__":{},"__metadata__":{}}', 0],
    ['an unknown dtype', 'unknown_dtype', entry({ dtype: 'F128' }), 8],
    ['a dtype named like an object member', 'unknown_dtype', entry({ dtype: 'toString' }), 8],
    ['a product beyond 2^53', 'bad_shape', entry({ shape: [2 ** 40, 2 ** 40] }), 8],
    ['offsets that are too short', 'bad_offsets', entry({ data_offsets: [0, 4] }), 8],
    ['offsets that run backwards', 'bad_offsets', entry({ data_offsets: [8, 0] }), 8],
    ['overlapping tensors', 'bad_offsets', two([0, 6], [4, 8]), 8],
    ['equal places', 'bad_offsets', two([0, 4], [0, 4]), 4],
    ['a hole', 'bad_offsets', two([0, 3], [4, 8]), 8],
    ['bytes after the last tensor', 'bad_offsets', entry({}), 9],
    ['a tensor beyond the file', 'truncated', entry({}), 7],
    ['too many tensors', 'too_large', manyTensors(20_001), 0],
    ['a name of 1,001 characters', 'malformed', entry({}).replace('t', 't'.repeat(1001)), 8],
  ];
  for (const [what, code, header, dataBytes] of refused) {
    it(`is refused for ${what}`, () => {
      expect(() => parse(header, dataBytes)).toThrow(
        expect.objectContaining({ code, message: expect.stringMatching(/^w\.safetensors: ./) }),
      );
    });
  }
});

describe('any header', () => {
  const tensor = fc.record({
    name: fc.string({ unit: 'binary', maxLength: 12 }).filter((name) => name !== '__metadata__'),
    dtype: fc.constantFrom(...(Object.keys(elementSizes) as (keyof typeof elementSizes)[])),
    shape: fc.array(fc.nat(9), { maxLength: 4 }),
  });
  const tensors = fc.uniqueArray(tensor, { maxLength: 8, selector: ({ name }) => name });

  it('written by JSON.stringify reads back', () => {
    fc.assert(
      fc.property(tensors, fc.constantFrom(0, 2), (list, indent) => {
        const { json, bytes } = headerOf(list, indent);
        const { tensors: found } = parse(json, bytes);
        const shown = [...found.values()].map(({ name, dtype, shape }) => ({ name, dtype, shape }));
        const byName = (a: { name: string }, b: { name: string }): number =>
          a.name < b.name ? -1 : 1;
        expect(shown.sort(byName)).toEqual(list.toSorted(byName));
      }),
    );
  });

  it('with some bytes changed reads or is refused with a typed error', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    fc.assert(
      fc.property(tensors, fc.array(change, { minLength: 1, maxLength: 6 }), (list, changes) => {
        const { json, bytes } = headerOf(list, 0);
        const damaged = new TextEncoder().encode(json);
        for (const { at, byte } of changes) damaged[at % damaged.length] = byte;
        expectReadOrTyped(() => parse(damaged, bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('of words that headers are made of reads or is refused with a typed error', () => {
    const word = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '"t"', '"dtype"', '"F32"', '"shape"', '0', '7'],
      ...[
        '"data_offsets"',
        '"__metadata__"',
        '[0,8]',
        '-1',
        '1e9',
        'null',
        ' ',
        '\n',
        '\u0000',
        '"\\ud800"',
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.nat(64), (words, dataBytes) => {
        expectReadOrTyped(() => parse(words.join(''), dataBytes));
      }),
      { numRuns: 3000 },
    );
  });
});

function parse(header: string | Uint8Array, dataBytes: number) {
  const json = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const file = { path: 'w.safetensors', bytes: 8 + json.byteLength + dataBytes };
  return parseSafetensorsHeader(json, file);
}

function headerOf(
  list: readonly { name: string; dtype: keyof typeof elementSizes; shape: readonly number[] }[],
  indent: number,
): { json: string; bytes: number } {
  let bytes = 0;
  const members = list.map(({ name, dtype, shape }): [string, object] => {
    const length = shape.reduce((product, size) => product * size, elementSizes[dtype]);
    bytes += length;
    return [name, { dtype, shape, data_offsets: [bytes - length, bytes] }];
  });
  return { json: JSON.stringify(Object.fromEntries(members), null, indent), bytes };
}

function manyTensors(count: number): string {
  const entry = '{"dtype":"U8","shape":[0],"data_offsets":[0,0]}';
  return `{${Array.from({ length: count }, (_, i) => `"${i}":${entry}`).join()}}`;
}

function expectReadOrTyped(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(WeightsError);
  }
}
