import { join } from 'node:path';
import type { Clock, ProcessLauncher } from '../../contracts/ports.ts';
import { createRouterClient, type RouterClient } from '../../model-runtime/client.ts';

/** The runtime's client over the routers, models and caches of a data directory. */
export function dataDirectoryClient(parts: {
  readonly dataDirectory: string;
  readonly launcher: ProcessLauncher;
  readonly clock: Clock;
  /** More folders in which base models may lie. */
  readonly baseFolders?: readonly string[];
}): RouterClient {
  const { dataDirectory, launcher, clock, baseFolders = [] } = parts;
  return createRouterClient({
    launcher,
    clock,
    routersDirectory: join(dataDirectory, 'routers'),
    baseFolders: [join(dataDirectory, 'models'), ...baseFolders],
    cacheDirectory: join(dataDirectory, 'cache'),
  });
}
