import { openRouterDirectory } from '../artifact/router-directory.ts';

/** Changes whenever the demo's bytes would: an older demo on disk is then built again. */
export const demoRevision = 'seed-1';

/** True when a demo router of this revision lies in a directory, whole. */
export async function hasDemoRouter(directory: string): Promise<boolean> {
  return openRouterDirectory(directory).then(
    ({ kind, base }) => kind === 'demo' && base.revision === demoRevision,
    () => false,
  );
}
