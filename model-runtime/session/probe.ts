import type { ProfileId } from '../../contracts/profiles.ts';
import { OnnxModel } from '../graph/onnx-model.ts';
import { RuntimeError } from '../runtime-error.ts';
import { loadOnnxRuntime, type NativeLoader } from './native.ts';
import { profiles } from './profiles.ts';

/**
 * Finds out whether a profile's execution provider works here, by running a product of two numbers on it.
 * Drivers can end the process: to be called in one started for this.
 *
 * @throws RuntimeError `profile_unavailable` with the reason, `native_unavailable`
 */
export async function probeProvider(id: ProfileId, native?: NativeLoader): Promise<void> {
  const { provider, name } = profiles[id];
  const ort = await loadOnnxRuntime(native);
  const backends = ort.listSupportedBackends?.() ?? [];
  if (!backends.some((backend) => backend.name === provider)) {
    const sentence = `${name} is not part of ONNX Runtime for ${process.platform}-${process.arch}.`;
    throw new RuntimeError('profile_unavailable', sentence);
  }
  try {
    const session = await ort.InferenceSession.create(probeModel(), {
      executionProviders: [provider],
      logSeverityLevel: 3,
      enableCpuMemArena: false,
    });
    const x = new ort.Tensor('float32', Float32Array.of(3), [1]);
    const { y } = await session.run({ x });
    await session.release();
    if (y?.data[0] === 9) return;
  } catch (error) {
    const sentence = `${name} does not work here: ${plainReason(error)}`;
    throw new RuntimeError('profile_unavailable', sentence, { cause: error });
  }
  throw new RuntimeError('profile_unavailable', `${name} computes wrong numbers here.`);
}

/** The last sentence of ONNX Runtime's reason: source files and conditions before it help nobody. */
function plainReason(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return (
    reason
      .trim()
      .split(/ was false\. |\n/)
      .filter(Boolean)
      .at(-1) ?? reason
  );
}

/** y = x * x for one number. */
function probeModel(): Uint8Array<ArrayBuffer> {
  const model = new OnnxModel();
  model.input({ name: 'x', type: 'F32', shape: [1] });
  model.output({ name: 'y', type: 'F32', shape: [1] });
  model.node({ op: 'Mul', inputs: ['x', 'x'] }, 'y');
  return model.encode();
}
