import { join } from 'node:path';
import type { FileDigest } from '../../contracts/manifest.ts';
import { hashFile } from '../artifact/digest-cache.ts';
import { openRouterDirectory } from '../artifact/router-directory.ts';

/** Changes whenever the demo's bytes would: an older demo on disk is then built again. */
export const demoRevision = 'seed-1';

/**
 * True when a demo router of this revision lies in a directory, whole: its base, which is nobody's but
 * ours, is compared by digest, so that a damaged demo is built again instead of being refused.
 */
export async function hasDemoRouter(directory: string): Promise<boolean> {
  try {
    const { kind, base } = await openRouterDirectory(directory);
    if (kind !== 'demo' || base.revision !== demoRevision) return false;
    const isWhole = await Promise.all(base.files.map((file) => isIntact(directory, file)));
    return isWhole.every(Boolean);
  } catch {
    // Whatever is wrong with it, it is not there whole.
    return false;
  }
}

async function isIntact(directory: string, { path, sha256 }: FileDigest): Promise<boolean> {
  return (await hashFile(join(directory, path))) === sha256;
}
