/**
 * One protobuf message in the making. Pieces are kept as they come and joined once, so that a nested
 * message with megabytes of weights is not copied at every level.
 *
 * Source: the protobuf wire format (varint 0, length-delimited 2, 32-bit 5).
 */
export class ProtobufMessage {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A whole number, negative ones as 64-bit two's complement. */
  integer(field: number, value: number): this {
    return this.#append(varint(field * 8)).#append(varint(value));
  }

  /** A 32-bit float. */
  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#append(varint(field * 8 + 5)).#append(bytes);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** Length-delimited bytes. They are not copied: the caller leaves them alone until `join`. */
  bytes(field: number, value: Uint8Array): this {
    return this.#append(varint(field * 8 + 2))
      .#append(varint(value.byteLength))
      .#append(value);
  }

  message(field: number, value: ProtobufMessage): this {
    this.#append(varint(field * 8 + 2)).#append(varint(value.#length));
    for (const piece of value.#pieces) this.#append(piece);
    return this;
  }

  /** The encoded message in one buffer. */
  join(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.byteLength;
    }
    return joined;
  }

  #append(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.byteLength;
    return this;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
