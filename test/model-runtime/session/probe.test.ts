import { describe, expect, it } from 'vitest';
import type { OnnxRuntime } from '../../../model-runtime/session/native.ts';
import { probeProvider } from '../../../model-runtime/session/probe.ts';
import { ProfileProbes } from '../../../model-runtime/process/profile-probes.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { ScriptedLauncher } from '../../fakes/scripted-process.ts';

/** A runtime with these providers, whose product of 3 with itself is `product`. */
function runtime(
  providers: readonly string[],
  product: number | Error,
): () => Promise<OnnxRuntime> {
  const session = {
    run: () => Promise.resolve({ y: { data: Float32Array.of(Number(product)) } }),
    release: () => Promise.resolve(),
  };
  const fake = {
    listSupportedBackends: () => providers.map((name) => ({ name, bundled: true })),
    InferenceSession: {
      create: () => (product instanceof Error ? Promise.reject(product) : Promise.resolve(session)),
    },
    Tensor: class {},
  };
  return () => Promise.resolve(fake as unknown as OnnxRuntime);
}

describe('the probe of a provider', () => {
  it('passes where the provider computes', async () => {
    await expect(probeProvider('cuda', runtime(['cpu', 'cuda'], 9))).resolves.toBeUndefined();
  });

  it.each([
    ['is not part of this build', runtime(['cpu'], 9), /is not part of ONNX Runtime for/],
    ['computes wrong numbers', runtime(['cuda'], 8), /computes wrong numbers/],
    [
      'cannot be set up',
      runtime(['cuda'], new Error('/src/cuda.cc:1 Init was false. No device found\n')),
      /does not work here: No device found$/,
    ],
  ])('says in plain words that it %s', async (_, native, message) => {
    await expect(probeProvider('cuda', native)).rejects.toMatchObject({
      code: 'profile_unavailable',
      message: expect.stringMatching(message),
    });
  });

  it('says that ONNX Runtime itself cannot be loaded', async () => {
    const broken = () => Promise.reject(new Error('no such library'));
    await expect(probeProvider('cuda', broken)).rejects.toMatchObject({
      code: 'native_unavailable',
    });
  });
});

describe('the profiles of a machine', () => {
  it('include a provider of another system as unavailable, without trying it', async () => {
    const launcher = new ScriptedLauncher({ onMessage: () => undefined });
    const probes = new ProfileProbes({ launcher, clock: new ManualClock(), platform: 'linux' });
    expect(await probes.probe('directml')).toMatchObject({
      state: 'unavailable',
      reason: 'GPU through DirectML exists on Windows, not on Linux.',
    });
    expect(launcher.started).toBe(0);
  });

  it('say of a working provider whether we test it, and of a silent one that it hangs', async () => {
    const clock = new ManualClock();
    const launcher = new ScriptedLauncher({
      onMessage: (message, child) => {
        if (message.type === 'probe' && message.profile === 'cuda') {
          child.say({ type: 'done', id: message.id, result: null });
        }
      },
    });
    const probes = new ProfileProbes({ launcher, clock, platform: 'linux' });
    expect(await probes.probe('cuda')).toEqual({ state: 'available', tested: false });
    const silent = probes.probe('webgpu');
    for (let step = 0; step < 10; step += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    expect(await silent).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('no sign of life'),
    });
    expect(launcher.alive).toBe(0);
  });
});
