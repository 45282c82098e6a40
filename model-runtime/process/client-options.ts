import type { Clock, ProcessLauncher } from '../../contracts/ports.ts';
import type { PrecisionMap, ProfileId } from '../../contracts/profiles.ts';

/** What a host gives the runtime's client. */
export interface RouterClientOptions {
  readonly launcher: ProcessLauncher;
  readonly clock: Clock;
  /** Folder of router directories: each folder in it with a manifest is a router. */
  readonly routersDirectory: string;
  /** Folders in which bases may lie, looked through one level down and as Hugging Face caches. */
  readonly baseFolders: readonly string[];
  /** Folder for digests of large files and quantised weights; null keeps none. */
  readonly cacheDirectory: string | null;
  /** The route process ends after this long without a request; null keeps it. 15 minutes when left out. */
  readonly idleMs?: number | null;
  /** Threads of one operator; left out, the machine's cores, four at most. */
  readonly threads?: number;
  readonly prefixCacheBytes?: number;
  /**
   * The precision that a calibration of this router found for a quantised profile; null: the profile's own.
   * Asked before a router is prepared.
   */
  readonly calibratedPrecision?: CalibratedPrecision;
  /** Native logs of the child processes, line by line. */
  readonly onLog?: (line: string) => void;
}

export type CalibratedPrecision = (key: {
  readonly adapterRef: string;
  readonly profile: ProfileId;
}) => Promise<PrecisionMap | null>;
