import { cpus } from 'node:os';
import { resolve } from 'node:path';
import type { EvalHeader } from '../../../../contracts/evals.ts';
import type { RouterClient } from '../../../../model-runtime/client.ts';
import type { EvaluationIdentity } from '../../../evals/evaluation.ts';

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
  const { adapterRef, profile, graphVersion } = await router.route(
    {
      messages: [{ role: 'user', content: '.' }],
      windowTokens: null,
      messageCharacters: null,
    },
    { signal },
  );
  return { adapterRef, profile, graphVersion, machine: machineSummary() };
}

/** Path of a bundled suite, by name, or the path given. */
export function suitePathOf(name: string, assets: string, cwd: string): string {
  return name === 'starter' ? resolve(assets, 'suites', 'starter.json') : resolve(cwd, name);
}
