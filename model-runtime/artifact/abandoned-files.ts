import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes half-written files that killed processes left in a shared folder. Those of a living process stay:
 * it may be writing them.
 */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = writerOf(name);
    if (pid !== null && !isAlive(pid)) await rm(join(folder, name), { force: true });
  }
}

/** Process that a temporary file of writeAtomically() belongs to; null for any other name. */
export function writerOf(name: string): number | null {
  const found = /^\..+\.(\d+)-\d+\.tmp$/.exec(name);
  return found ? Number(found[1]) : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of someone else answers EPERM: it is alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
