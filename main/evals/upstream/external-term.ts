/**
 * Erlang's external term format, the part that the published evaluation hashes need: small integers,
 * floats, binaries, atoms, proper lists and maps.
 *
 * Source: the format's public description in the Erlang/OTP documentation ("External Term Format").
 */
export type Term =
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'binary'; readonly value: string }
  | { readonly kind: 'list'; readonly items: readonly Term[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [atom: string, value: Term])[] };

const tags = {
  version: 131,
  newFloat: 70,
  smallInteger: 97,
  integer: 98,
  nil: 106,
  list: 108,
  binary: 109,
  map: 116,
  smallAtomUtf8: 119,
} as const;

/**
 * Encodes a term without the leading version byte.
 *
 * @throws RangeError on an integer beyond 32 bits or an atom beyond 255 bytes
 */
export function encodeTerm(term: Term): Buffer {
  switch (term.kind) {
    case 'integer':
      return encodeInteger(term.value);
    case 'float': {
      const bytes = Buffer.alloc(9, tags.newFloat);
      bytes.writeDoubleBE(term.value, 1);
      return bytes;
    }
    case 'binary': {
      const content = Buffer.from(term.value, 'utf8');
      return Buffer.concat([tagged(tags.binary, content.length), content]);
    }
    case 'list':
      if (term.items.length === 0) return Buffer.of(tags.nil);
      return Buffer.concat([
        tagged(tags.list, term.items.length),
        ...term.items.map(encodeTerm),
        Buffer.of(tags.nil),
      ]);
    case 'map':
      return Buffer.concat([
        tagged(tags.map, term.entries.length),
        ...term.entries.flatMap(([atom, value]) => [encodeAtom(atom), encodeTerm(value)]),
      ]);
  }
}

/** A term with its version byte, uncompressed. */
export function encodeVersioned(term: Term): Buffer {
  return Buffer.concat([Buffer.of(tags.version), encodeTerm(term)]);
}

function encodeInteger(value: number): Buffer {
  if (Number.isInteger(value) && value >= 0 && value <= 255) {
    return Buffer.of(tags.smallInteger, value);
  }
  const bytes = Buffer.alloc(5, tags.integer);
  bytes.writeInt32BE(value, 1);
  return bytes;
}

function encodeAtom(name: string): Buffer {
  const content = Buffer.from(name, 'utf8');
  return Buffer.concat([Buffer.of(tags.smallAtomUtf8), u8(content.length), content]);
}

function u8(value: number): Buffer {
  const bytes = Buffer.alloc(1);
  bytes.writeUInt8(value);
  return bytes;
}

function tagged(tag: number, length: number): Buffer {
  const bytes = Buffer.alloc(5, tag);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}
