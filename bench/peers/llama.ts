import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** What is used of node-llama-cpp, whose types are not installed with the program. */
interface LlamaModule {
  getLlama(options: object): Promise<{
    readonly systemInfo: string;
    loadModel(options: object): Promise<{
      createEmbeddingContext(options: object): Promise<{
        getEmbeddingFor(ids: number[]): Promise<{ readonly vector: readonly number[] }>;
        dispose(): Promise<void>;
      }>;
      dispose(): Promise<void>;
    }>;
  }>;
}

/** A model in llama.cpp that gives the hidden vector of the last token. */
export interface LlamaRouter {
  hidden(ids: readonly number[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Installs node-llama-cpp into this folder when it is not there. */
export function installLlama(say: (line: string) => void): void {
  if (existsSync(join(folder, 'node_modules', 'node-llama-cpp'))) return;
  say('installing node-llama-cpp into bench/peers (700 MB, once)');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/** Opens llama.cpp on the CPU with two threads. */
export async function openLlama(): Promise<{
  readonly systemInfo: string;
  load(path: string): Promise<LlamaRouter>;
}> {
  const entry = join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaModule;
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 2, logLevel: 'error' });
  return {
    systemInfo: llama.systemInfo,
    load: async (modelPath) => {
      const model = await llama.loadModel({ modelPath, useMmap: true, gpuLayers: 0 });
      const context = await model.createEmbeddingContext({
        contextSize: 1024,
        batchSize: 1024,
        threads: 2,
      });
      return {
        hidden: async (ids) => (await context.getEmbeddingFor([...ids])).vector,
        close: async () => {
          await context.dispose();
          await model.dispose();
        },
      };
    },
  };
}
