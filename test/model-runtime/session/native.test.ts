import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOnnxRuntime, type OnnxRuntime } from '../../../model-runtime/session/native.ts';

const name = 'ORT_DISABLE_TELEMETRY';
let before: string | undefined;
beforeEach(() => (before = process.env[name]));
afterEach(() => {
  if (before === undefined) delete process.env[name];
  else process.env[name] = before;
});

describe('ONNX Runtime', () => {
  it.each([undefined, '0'])(
    'is told to send nothing to its maker before it is loaded, whatever was said before (%s)',
    async (said) => {
      if (said === undefined) delete process.env[name];
      else process.env[name] = said;
      let atLoad: string | undefined;
      await loadOnnxRuntime(() => {
        atLoad = process.env[name];
        return Promise.resolve({} as OnnxRuntime);
      });
      expect(atLoad).toBe('1');
    },
  );

  it('that cannot be loaded is a named error with the reason', async () => {
    const broken = () => Promise.reject(new Error('no such library'));
    await expect(loadOnnxRuntime(broken)).rejects.toMatchObject({
      code: 'native_unavailable',
      message: expect.stringContaining('no such library'),
    });
  });
});
