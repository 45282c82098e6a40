import { join } from 'node:path';
import type { FloorsKey } from './floors-store.ts';

/** Characters of a hash that name a file. */
const shortHash = 16;

/** Where evaluations keep their files below the folder that a host gives them. */
export interface EvalPlaces {
  readonly calibrations: string;
  readonly savedCases: string;
  /** The snapshot of exactly this router, profile and suite. */
  snapshot(key: FloorsKey): string;
}

export function evalPlaces(folder: string): EvalPlaces {
  return {
    calibrations: join(folder, 'calibrations.json'),
    savedCases: join(folder, 'saved-cases.jsonl'),
    snapshot: ({ adapterRef, profile, suiteHash }) =>
      join(
        folder,
        'snapshots',
        `${adapterRef.slice(0, shortHash)}-${profile}-${suiteHash.slice(3, 3 + shortHash)}.json`,
      ),
  };
}
