import { defineConfig } from 'vitest/config';

/** Some tests load ONNX Runtime themselves: no usage events to its maker from them either. */
const env = { ORT_DISABLE_TELEMETRY: '1' };

/**
 * Three vitest projects. `unit` is fast and touches no network; `integration` runs real ONNX Runtime,
 * real HTTP on loopback, real SQLite and real files; `renderer` runs components in happy-dom.
 */
export default defineConfig({
  test: {
    clearMocks: false,
    projects: [
      {
        test: {
          name: 'unit',
          env,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/**/*.integration.test.ts',
            'test/renderer/**',
            'test/e2e/**',
            'test/long/**',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          env,
          include: ['test/**/*.integration.test.ts'],
          exclude: ['test/long/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['test/renderer/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'long',
          env,
          include: ['test/long/**/*.test.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          pool: 'forks',
        },
      },
    ],
  },
});
