import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where things lie in a data directory, and where base models are looked for. */
export interface DataLayout {
  readonly dataDirectory: string;
  readonly routers: string;
  readonly models: string;
  readonly cache: string;
  readonly traces: string;
  readonly evals: string;
  /** Folders in which a base model may lie: ours, then the Hugging Face cache. */
  readonly baseFolders: readonly string[];
}

/**
 * The layout of a data directory. The Hugging Face cache follows its own variables (`HF_HUB_CACHE`, else
 * `HF_HOME`/hub, else ~/.cache/huggingface/hub).
 *
 * Source: the Hugging Face hub's documentation of its cache.
 */
export function dataLayout(
  dataDirectory: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string = homedir(),
): DataLayout {
  const hubHome = env['HF_HOME'] ?? join(home, '.cache', 'huggingface');
  const models = join(dataDirectory, 'models');
  return {
    dataDirectory,
    routers: join(dataDirectory, 'routers'),
    models,
    cache: join(dataDirectory, 'cache'),
    traces: join(dataDirectory, 'traces'),
    evals: join(dataDirectory, 'evals'),
    baseFolders: [models, env['HF_HUB_CACHE'] ?? join(hubHome, 'hub')],
  };
}
