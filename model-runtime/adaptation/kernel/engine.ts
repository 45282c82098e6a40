import type { Machine } from './machine.ts';
import { typedArrayMachine } from './typed-arrays.ts';
import { wasmMachine } from './wasm.ts';

/** The WebAssembly kernel, or where the engine has no SIMD the typed arrays; both give the same bits. */
export function machineOfThisEngine(): Machine {
  try {
    return wasmMachine();
  } catch (error) {
    if (error instanceof Error && error.name === 'CompileError') return typedArrayMachine();
    throw error;
  }
}
