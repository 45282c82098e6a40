import { join } from 'node:path';
import type { BuildRequest } from '../../contracts/build.ts';
import type { RouterManifest } from '../../contracts/manifest.ts';
import { decompositionFolder } from '../adaptation/decomposition-cache.ts';
import { workerCount, WorkerPool } from '../adaptation/worker-pool.ts';
import { removeAbandoned } from './abandoned-files.ts';
import { buildBaseHead } from './base-head.ts';
import type { BuildTools } from './build-tools.ts';
import { buildRouter } from './build.ts';
import { DigestCache } from './digest-cache.ts';
import { importBundle } from './import.ts';

/**
 * Runs a request of any kind, with worker threads where there is arithmetic.
 *
 * @param workerEntry the file that answers tasks; the worker's own when left out
 */
export async function runBuildRequest(
  request: BuildRequest,
  tools: Pick<BuildTools, 'clock' | 'emit' | 'signal' | 'files'>,
  workerEntry?: URL,
): Promise<RouterManifest | null> {
  const cache = request.cacheDirectory;
  const folder = cache === null ? null : join(cache, 'decompositions');
  for (const shared of [cache, folder]) if (shared !== null) await removeAbandoned(shared);
  const workers = request.kind === 'export' ? workerCount(request.workers) : 1;
  const pool = new WorkerPool(workers, workerEntry);
  const all: BuildTools = {
    ...tools,
    runner: pool,
    digests: new DigestCache(cache === null ? null : join(cache, 'digests.json')),
    decompositions: folder === null ? null : decompositionFolder(folder, tools.files),
  };
  try {
    switch (request.kind) {
      case 'export':
        return await buildRouter(request, all);
      case 'import':
        return await importBundle(request, all);
      case 'base+head':
        return await buildBaseHead(request, all);
    }
  } finally {
    await pool.close();
  }
}
