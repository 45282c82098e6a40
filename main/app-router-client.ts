import type { RouterClient } from '../model-runtime/client.ts';
import type { AppParts } from './app-parts.ts';
import type { EvalService } from './evals/eval-service.ts';
import { dataDirectoryClient } from './models/data-directory-client.ts';

/** The runtime's client of an app: the host's, else one over its data directory that heeds its calibrations. */
export function routerClientOf(parts: AppParts, evals: () => EvalService): RouterClient {
  if (parts.routerClient !== undefined) return parts.routerClient;
  return dataDirectoryClient({
    ...parts,
    calibratedPrecision: (key) => evals().calibratedPrecision(key),
  });
}
