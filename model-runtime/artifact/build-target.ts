import type { RouterManifest } from '../../contracts/manifest.ts';
import {
  hasManifest,
  isThere,
  realDirectory,
  recoverSwap,
  removeRouter,
  stagingOf,
  swapIn,
} from './build-directory.ts';
import { BuildError, explainWriteFault } from './build-error.ts';
import { throwIfStopped, type BuildTools } from './build-tools.ts';
import { lockDirectory } from './directory-lock.ts';

/**
 * Runs a build with its directory locked. Where a router is to be replaced, the build is made in a sibling
 * folder, which takes the router's place when it is complete: until then the old one stays usable.
 *
 * @throws BuildError `build_in_progress`, `not_a_router`, `disk_full`, `not_writable`, `cancelled`
 */
export async function intoDirectory(
  request: { readonly out: string; readonly force: boolean },
  tools: BuildTools,
  build: (directory: string) => Promise<RouterManifest>,
): Promise<RouterManifest> {
  const out = await realDirectory(request.out);
  try {
    const lock = lockDirectory(out);
    try {
      await recoverSwap(out);
      if (!request.force || !(await isThere(out))) return await build(out);
      return await replace(out, tools, build);
    } finally {
      lock.release();
    }
  } catch (error) {
    // A worker that was stopped rejects with the signal's own reason.
    throwIfStopped(tools.signal);
    throw explainWriteFault(error, out);
  }
}

async function replace(
  out: string,
  tools: BuildTools,
  build: (directory: string) => Promise<RouterManifest>,
): Promise<RouterManifest> {
  if (!(await hasManifest(out))) {
    const text = `${out} is no router: it is not replaced. Choose another --out.`;
    throw new BuildError('not_a_router', text);
  }
  const staging = stagingOf(out);
  const manifest = await build(staging).catch(async (error: unknown) => {
    if (!(error instanceof BuildError) || error.code !== 'inputs_changed') throw error;
    // An earlier forced build of other inputs was cut short there.
    await removeRouter(staging);
    return build(staging);
  });
  if (manifest.status === 'complete') await swapIn(out, tools.files);
  return manifest;
}
