import { join, resolve } from 'node:path';
import type { RouterSummary } from '../../contracts/manifest.ts';
import { RuntimeError } from '../runtime-error.ts';
import { summarise } from './router-directory.ts';
import { sourceKind } from './router-source.ts';

/** Id and name of the demo router. */
export const demoName = 'demo';

/** A router that a name stands for. `summary` is null where there is nothing to summarise yet. */
export interface NamedRouter {
  readonly kind: 'demo' | 'router' | 'upstream' | 'base+head';
  readonly directory: string;
  readonly summary: RouterSummary | null;
}

/**
 * The router that a name stands for, tried in this order: `demo`; an id of `models list`, which is the name of
 * a folder of `routersDirectory`; a path to a router directory, an upstream bundle, or a checkpoint with
 * `config.json` and `router_head.safetensors`. Relative paths are taken from the working directory.
 *
 * @throws RuntimeError `router_not_found` saying what was tried, `router_invalid`
 */
export async function resolveRouter(name: string, routersDirectory: string): Promise<NamedRouter> {
  if (name === demoName) {
    const directory = join(routersDirectory, demoName);
    return { kind: 'demo', directory, summary: await summarise(directory, demoName) };
  }
  if (isPlainName(name)) {
    const directory = join(routersDirectory, name);
    const summary = await summarise(directory, name);
    if (summary !== null) return { kind: 'router', directory, summary };
  }
  return atPath(name);
}

async function atPath(name: string): Promise<NamedRouter> {
  const directory = resolve(name);
  try {
    const kind = await sourceKind(directory);
    const summary = kind === 'router' ? await summarise(directory, directory) : null;
    return { kind, directory, summary };
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'router_not_found') throw error;
    throw new RuntimeError(
      'router_not_found',
      `There is no router ${JSON.stringify(name)}: it is not "demo", not an id of \`trinity models list\`, and no path to a router.`,
      { cause: error },
    );
  }
}

/** An id never leaves the folder of routers. */
function isPlainName(name: string): boolean {
  return name !== '' && !name.startsWith('.') && !/[\\/:\0]/.test(name);
}
