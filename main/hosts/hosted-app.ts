import type { AnyRouter } from '@orpc/server';
import type { AppParts } from '../app-parts.ts';

/** What a long-lived host gives the app. */
export type HostParts = Pick<
  AppParts,
  'dataDirectory' | 'launcher' | 'vault' | 'httpClient' | 'clock' | 'random' | 'assets' | 'onLog'
> & { readonly host: 'electron' | 'browser' };

/** What a long-lived host serves. */
export interface HostedApp {
  readonly router: AnyRouter;
  /** Ends runs, keeping their partial text, and child processes. May be called twice. */
  close(): Promise<void>;
}

export type CreateApp = (parts: HostParts) => Promise<HostedApp>;
