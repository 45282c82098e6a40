import type { AnyRouter } from '@orpc/server';
import type {
  Clock,
  HttpClient,
  KeyVault,
  ProcessLauncher,
  RandomSource,
} from '../../contracts/ports.ts';

/** What a long-lived host gives the app. */
export interface HostParts {
  readonly host: 'electron' | 'browser';
  readonly dataDirectory: string;
  readonly launcher: ProcessLauncher;
  readonly vault: KeyVault;
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Folder of the program's assets, where it is not beside the sources. */
  readonly assets?: string;
}

/** What a long-lived host serves. */
export interface HostedApp {
  readonly router: AnyRouter;
  /** Ends runs, keeping their partial text, and child processes. May be called twice. */
  close(): Promise<void>;
}

export type CreateApp = (parts: HostParts) => Promise<HostedApp>;
