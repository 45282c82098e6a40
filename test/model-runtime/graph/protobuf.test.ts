import { describe, expect, it } from 'vitest';
import { ProtobufMessage } from '../../../model-runtime/graph/protobuf.ts';

const hex = (message: ProtobufMessage): string => Buffer.from(message.join()).toString('hex');

describe('a protobuf message', () => {
  // The examples of the encoding guide of Protocol Buffers.
  it('writes whole numbers as varints', () => {
    expect(hex(new ProtobufMessage().integer(1, 150))).toBe('089601');
  });

  it('writes texts with their length', () => {
    expect(hex(new ProtobufMessage().text(2, 'testing'))).toBe('120774657374696e67');
  });

  it('writes nested messages with their length', () => {
    const inner = new ProtobufMessage().integer(1, 150);
    expect(hex(new ProtobufMessage().message(3, inner))).toBe('1a03089601');
  });

  it('writes negative numbers in ten bytes and numbers beyond 32 bits exactly', () => {
    expect(hex(new ProtobufMessage().integer(1, -2))).toBe('08feffffffffffffffff01');
    expect(hex(new ProtobufMessage().integer(1, 2 ** 40))).toBe('08808080808020');
  });

  it('writes floats in four bytes and large field numbers in two', () => {
    expect(hex(new ProtobufMessage().float(2, 1))).toBe('150000803f');
    expect(hex(new ProtobufMessage().integer(20, 1))).toBe('a00101');
  });
});
