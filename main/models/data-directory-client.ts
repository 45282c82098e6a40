import { join } from 'node:path';
import type { Clock, ProcessLauncher } from '../../contracts/ports.ts';
import {
  createRouterClient,
  type CalibratedPrecision,
  type RouterClient,
} from '../../model-runtime/client.ts';

/** The runtime's client over the routers, models and caches of a data directory. */
export function dataDirectoryClient(parts: {
  readonly dataDirectory: string;
  readonly launcher: ProcessLauncher;
  readonly clock: Clock;
  /** Folders in which base models may lie; by default the data directory's own. */
  readonly baseFolders?: readonly string[];
  /** The precision that a calibration found; null or left out: each profile's own. */
  readonly calibratedPrecision?: CalibratedPrecision;
  /** Native logs of the child processes, line by line. */
  readonly onLog?: (line: string) => void;
}): RouterClient {
  const { dataDirectory, launcher, clock, calibratedPrecision, onLog } = parts;
  return createRouterClient({
    launcher,
    clock,
    routersDirectory: join(dataDirectory, 'routers'),
    baseFolders: parts.baseFolders ?? [join(dataDirectory, 'models')],
    cacheDirectory: join(dataDirectory, 'cache'),
    calibratedPrecision,
    onLog,
  });
}
