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
  refuseTelemetry();
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

/**
 * Official builds of ONNX Runtime send usage events to their maker, with an identifier kept on disk, on Linux and
 * macOS too since 1.29. The library reads this variable once, when it is loaded; its API comes too late, because
 * the first event is sent before it can be called.
 */
function refuseTelemetry(): void {
  // eslint-disable-next-line no-restricted-syntax -- Not a setting that is read: one that a library reads.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}
