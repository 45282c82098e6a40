import type { Machine } from './machine.ts';
import { kernelBase64 } from './module.ts';

const pageBytes = 65_536;

/** The part of the engine's WebAssembly that is used; the project's library types have none. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

type Operations = Omit<Machine, 'name' | 'reserve'>;

/**
 * The WebAssembly SIMD kernel with a memory of its own, compiled from the .as files beside this one.
 * No relaxed SIMD: fused multiply-add is not everywhere, and a router's digest must not depend on the CPU.
 *
 * @throws WebAssembly.CompileError where the engine has no SIMD
 */
export function wasmMachine(): Machine {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(Buffer.from(kernelBase64, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return {
    ...(exports as Operations),
    name: 'wasm-simd',
    reserve: (bytes) => {
      const missing = bytes - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
      return memory.buffer;
    },
  };
}
