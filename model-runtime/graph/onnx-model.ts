import { ProtobufMessage } from './protobuf.ts';

/** Element types of ONNX that this runtime writes. */
const elementTypes = {
  F32: 1,
  U8: 2,
  I8: 3,
  I32: 6,
  I64: 7,
  BF16: 16,
} as const;
export type OnnxType = keyof typeof elementTypes;

/** Name of a value that flows through the graph. */
export type Value = string;

/**
 * An attribute says its type, because ONNX tells 1 from 1.0 and a whole number written as an integer where
 * a float is expected is refused at load.
 */
export type Attribute =
  { readonly float: number } | { readonly int: number } | { readonly ints: readonly number[] };

export interface NodeSpec {
  readonly op: string;
  /** `com.microsoft` operators are ONNX Runtime's own. */
  readonly domain?: 'com.microsoft';
  /** An empty name leaves an optional input out. */
  readonly inputs: readonly Value[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** An input or output; a text as dimension is a free one. */
export interface PortSpec {
  readonly name: string;
  readonly type: OnnxType;
  readonly shape: readonly (number | string)[];
}

/** Bytes of a file in the external folder. */
export interface ExternalRange {
  readonly location: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * An ONNX model in the making: opset 21, IR 10, with ONNX Runtime's operator domain. Nodes are added in
 * the order in which they run.
 *
 * Source: onnx.proto of ONNX 1.16.
 */
export class OnnxModel {
  readonly #graph = new ProtobufMessage();
  readonly #initializers = new Set<string>();
  #nodes = 0;

  input(port: PortSpec): Value {
    this.#graph.message(11, portMessage(port));
    return port.name;
  }

  output(port: PortSpec): void {
    this.#graph.message(12, portMessage(port));
  }

  /** Adds a node with one output and returns that output's name; `output` fixes the name. */
  node(spec: NodeSpec, output?: Value): Value {
    const name = output ?? `v${this.#nodes}`;
    this.nodeWithOutputs(spec, [name]);
    return name;
  }

  /** Adds a node with several outputs; an empty name leaves an optional output out. */
  nodeWithOutputs(spec: NodeSpec, outputs: readonly Value[]): void {
    const message = new ProtobufMessage();
    for (const input of spec.inputs) message.text(1, input);
    for (const output of outputs) message.text(2, output);
    message.text(3, `${spec.op}_${this.#nodes}`).text(4, spec.op);
    for (const [name, value] of Object.entries(spec.attributes ?? {})) {
      message.message(5, attributeMessage(name, value));
    }
    if (spec.domain !== undefined) message.text(7, spec.domain);
    this.#graph.message(1, message);
    this.#nodes += 1;
  }

  /** A constant whose bytes travel in the model. A name given twice is the same constant. */
  constant(
    name: string,
    type: OnnxType,
    shape: readonly number[],
    bytes: ArrayBufferView<ArrayBufferLike>,
  ): Value {
    if (this.#initializers.has(name)) return name;
    this.#initializers.add(name);
    const raw = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#graph.message(5, tensorMessage(name, type, shape).bytes(9, raw));
    return name;
  }

  /** A constant that ONNX Runtime reads from the external folder. */
  external(name: string, type: OnnxType, shape: readonly number[], range: ExternalRange): Value {
    if (this.#initializers.has(name)) return name;
    this.#initializers.add(name);
    const tensor = tensorMessage(name, type, shape);
    for (const [key, value] of Object.entries(range)) {
      tensor.message(13, new ProtobufMessage().text(1, key).text(2, String(value)));
    }
    this.#graph.message(5, tensor.integer(14, 1));
    return name;
  }

  encode(): Uint8Array<ArrayBuffer> {
    const opset = new ProtobufMessage().text(1, '').integer(2, 21);
    const contrib = new ProtobufMessage().text(1, 'com.microsoft').integer(2, 1);
    return new ProtobufMessage()
      .integer(1, 10)
      .text(2, 'trinity')
      .message(7, this.#graph.text(2, 'router'))
      .message(8, opset)
      .message(8, contrib)
      .join();
  }
}

function tensorMessage(name: string, type: OnnxType, shape: readonly number[]): ProtobufMessage {
  const tensor = new ProtobufMessage();
  for (const size of shape) tensor.integer(1, size);
  return tensor.integer(2, elementTypes[type]).text(8, name);
}

function portMessage({ name, type, shape }: PortSpec): ProtobufMessage {
  const dimensions = new ProtobufMessage();
  for (const size of shape) {
    const dimension = new ProtobufMessage();
    if (typeof size === 'number') dimension.integer(1, size);
    else dimension.text(2, size);
    dimensions.message(1, dimension);
  }
  const tensorType = new ProtobufMessage().integer(1, elementTypes[type]).message(2, dimensions);
  return new ProtobufMessage()
    .text(1, name)
    .message(2, new ProtobufMessage().message(1, tensorType));
}

function attributeMessage(name: string, value: Attribute): ProtobufMessage {
  const message = new ProtobufMessage().text(1, name);
  if ('float' in value) return message.float(2, value.float).integer(20, 1);
  if ('int' in value) return message.integer(3, value.int).integer(20, 2);
  for (const int of value.ints) message.integer(8, int);
  return message.integer(20, 7);
}
