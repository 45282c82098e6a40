import { join } from 'node:path';
import { routerManifestSchema, type RouterManifest } from '../../contracts/manifest.ts';
import { writeAtomically, type FileOperations } from '../weights/atomic-file.ts';
import { adapterRefOf, routerFiles } from './identity.ts';

/** Text of a manifest: equal manifests give equal bytes, in the order of the schema's keys. */
export function manifestText(manifest: RouterManifest): string {
  return `${JSON.stringify(routerManifestSchema.parse(manifest), null, 2)}\n`;
}

/**
 * Writes a directory's manifest atomically, with the identity of what it names.
 *
 * @returns the manifest as written
 */
export async function writeManifest(
  directory: string,
  manifest: Omit<RouterManifest, 'adapterRef'>,
  files?: FileOperations,
): Promise<RouterManifest> {
  const identified = { ...manifest, adapterRef: adapterRefOf(manifest) };
  const bytes = new TextEncoder().encode(manifestText(identified));
  await writeAtomically(join(directory, routerFiles.manifest), (sink) => sink(bytes), files);
  return identified;
}
