import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../contracts/ports.ts';
import { routerFiles } from './identity.ts';

/** One line of a build log. */
export type BuildLogEntry = Readonly<Record<string, string | number | boolean | null>> & {
  readonly event: string;
};

/** Takes the entries of a build. */
export type BuildLog = (entry: BuildLogEntry) => Promise<void>;

/**
 * The log of a router directory: timings and progress as JSON lines with the time, beside the manifest, so
 * that equal inputs give an equal manifest. A log that cannot be written never fails a build.
 */
export async function openBuildLog(
  directory: string,
  clock: Pick<Clock, 'now'>,
): Promise<BuildLog> {
  const path = join(directory, routerFiles.buildLog);
  // A killed build may have left half a line.
  const before = await readFile(path).catch(() => null);
  let start = before !== null && before.length > 0 && before.at(-1) !== 0x0a ? '\n' : '';
  return async (entry) => {
    const line = `${start}${JSON.stringify({ at: clock.now(), ...entry })}\n`;
    start = '';
    await appendFile(path, line, { mode: 0o600 }).catch(() => undefined);
  };
}
