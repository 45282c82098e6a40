import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EvalHeader } from '../../../../contracts/evals.ts';
import type { RouterClient } from '../../../../model-runtime/client.ts';
import type { EvaluationIdentity } from '../../../evals/evaluation.ts';
import { evalPlaces } from '../../../evals/places.ts';
import type { DataLayout } from '../../data-layout.ts';

/** What the header of a results file says of the machine. */
export function machineSummary(): EvalHeader['machine'] {
  const all = cpus();
  return {
    platform: process.platform,
    arch: process.arch,
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
  };
}

/**
 * Identity of a loaded router, asked with a route of its own, because the profile that answers may be
 * another than the one asked for.
 */
export async function identify(
  router: RouterClient,
  signal: AbortSignal,
): Promise<EvaluationIdentity> {
  const { adapterRef, profile, precision, graphVersion } = await router.route(
    {
      messages: [{ role: 'user', content: '.' }],
      windowTokens: null,
      messageCharacters: null,
    },
    { signal },
  );
  const calibrated = precision === undefined ? {} : { precision };
  return { adapterRef, profile, ...calibrated, graphVersion, machine: machineSummary() };
}

const assetsFolder = fileURLToPath(new URL('../../../../assets', import.meta.url));

/** Path of a suite: the bundled `starter`, the cases `saved` from conversations, or the path given. */
export function suitePathOf(name: string, layout: DataLayout, cwd: string): string {
  if (name === 'starter') return resolve(assetsFolder, 'suites', 'starter.json');
  if (name === 'saved') return evalPlaces(layout.evals).savedCases;
  return resolve(cwd, name);
}
