import type * as onnxRuntime from 'onnxruntime-node';
import { RuntimeError } from '../runtime-error.ts';

export type OnnxRuntime = typeof onnxRuntime;

/** Loads ONNX Runtime's binding. Passed in, so that a broken one can be had in a test. */
export type NativeLoader = () => Promise<OnnxRuntime>;

/**
 * ONNX Runtime, loaded when it is first needed and never in the main process: a library that is missing,
 * blocked or built for another system must not keep the program from starting.
 *
 * @throws RuntimeError `native_unavailable` with the system's reason
 */
export async function loadOnnxRuntime(
  load: NativeLoader = () => import('onnxruntime-node'),
): Promise<OnnxRuntime> {
  try {
    return await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RuntimeError(
      'native_unavailable',
      `ONNX Runtime cannot be loaded on this machine (${process.platform}-${process.arch}): ${reason}`,
      { cause: error },
    );
  }
}
