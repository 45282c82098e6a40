import { fileURLToPath } from 'node:url';
import type { About, StartOverrides } from '../contracts/app/settings.ts';
import type {
  Clock,
  HttpClient,
  KeyVault,
  ProcessLauncher,
  RandomSource,
} from '../contracts/ports.ts';
import type { RouterClient } from '../model-runtime/client.ts';

/** What a host gives the app. */
export interface AppParts {
  readonly host: About['host'];
  readonly dataDirectory: string;
  readonly launcher: ProcessLauncher;
  readonly vault: KeyVault;
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Folder of the program's assets; by default the one beside the sources. */
  readonly assets?: string;
  /** Folders in which base models may lie; by default the data directory's own. */
  readonly baseFolders?: readonly string[];
  /** The runtime's client; by default one that starts processes with the launcher. */
  readonly routerClient?: RouterClient;
  /** Told the native logs of the child processes, line by line; by default nobody is. */
  readonly onLog?: (line: string) => void;
  /** Settings of this start alone: used and not stored. */
  readonly overrides?: StartOverrides;
  /** Keeps conversations in memory and forgets them. What calls cost is counted all the same. */
  readonly isEphemeral?: boolean;
  /** Where the trace of a run that starts goes: a file, null for nowhere, undefined as the settings say. */
  readonly traceFile?: () => string | null | undefined;
  /** How rehearsal agents speak; by default at a pace that a person can watch, without a script. */
  readonly rehearsal?: { readonly paceMs: number; readonly script: string | null };
}

/** The program's assets, beside the sources. */
export const assetsFolder = fileURLToPath(new URL('../assets', import.meta.url));
/** Pause between two pieces of a rehearsed answer. */
export const watchablePaceMs = 25;
