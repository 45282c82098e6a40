import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { calibratedFloorsSchema, type MarginFloors } from '../../contracts/evals.ts';
import {
  isSamePrecision,
  precisionMapSchema,
  type PrecisionMap,
  type ProfileId,
} from '../../contracts/profiles.ts';
import { EvalError } from './eval-error.ts';
import type { Floors } from './judgement.ts';

const calibrationSchema = calibratedFloorsSchema.extend({
  rmsDrift: z.number(),
  rmsLogit: z.number(),
  refusals: z.array(z.string()),
  /** The precision that was measured, where it is not the profile's own. */
  precision: precisionMapSchema.optional(),
});
export type Calibration = z.infer<typeof calibrationSchema>;

const fileSchema = z.object({ version: z.literal(1), calibrations: z.array(calibrationSchema) });

export type FloorsKey = Pick<MarginFloors, 'adapterRef' | 'profile' | 'suiteHash'>;

/** Writes a small file so that a reader sees the old or the new one, after a crash too. */
export type WriteFileAtomically = (path: string, content: string) => Promise<void>;

/** Calibrations of this installation, one per router, profile and suite, in one JSON file. */
export class FloorsStore {
  readonly #path: string;
  readonly #write: WriteFileAtomically;

  constructor(path: string, write: WriteFileAtomically) {
    this.#path = path;
    this.#write = write;
  }

  /** @throws EvalError `floors_unreadable` when the file exists and is none of ours */
  async list(): Promise<readonly Calibration[]> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw this.#unreadable(cause);
    }
    try {
      return fileSchema.parse(JSON.parse(text)).calibrations;
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  async find(key: FloorsKey): Promise<Calibration | null> {
    return (await this.list()).find((entry) => hasKey(entry, key)) ?? null;
  }

  /** The latest calibration of a router on a profile, on whichever suite. */
  async latest({ adapterRef, profile }: Omit<FloorsKey, 'suiteHash'>): Promise<Calibration | null> {
    const own = (await this.list()).filter(
      (entry) => entry.adapterRef === adapterRef && entry.profile === profile,
    );
    return own.sort((a, b) => b.calibratedAt - a.calibratedAt)[0] ?? null;
  }

  /** What a router's projections are read in on a profile, by its latest calibration; null: the profile's own. */
  async precision(key: {
    readonly adapterRef: string;
    readonly profile: ProfileId;
  }): Promise<PrecisionMap | null> {
    return (await this.latest(key))?.precision ?? null;
  }

  /** Stores a calibration in place of an earlier one with the same key. */
  async put(calibration: Calibration): Promise<void> {
    const others = (await this.list()).filter((entry) => !hasKey(entry, calibration));
    const file = { version: 1, calibrations: [...others, calibration] };
    await this.#write(this.#path, `${JSON.stringify(file, null, 2)}\n`);
  }

  #unreadable(cause: unknown): EvalError {
    return new EvalError(
      'floors_unreadable',
      `${this.#path} is no calibration file. Move it away and calibrate again.`,
      { cause },
    );
  }
}

/**
 * Floors of an evaluation, each by itself: a flag wins, else the calibration of exactly this router, profile
 * and suite, else none. Another profile's floors are never used, nor those of another precision of the
 * profile: their margins are not the ones that were measured.
 */
export async function resolveFloors(
  flags: { readonly agent: number | null; readonly role: number | null },
  key: FloorsKey & { readonly precision?: PrecisionMap | undefined },
  store: FloorsStore,
): Promise<Floors> {
  if (flags.agent !== null && flags.role !== null) return { ...flags, source: 'flag' };
  const found = await store.find(key);
  const calibration = isSamePrecision(found?.precision, key.precision) ? found : null;
  const isFlagged = flags.agent !== null || flags.role !== null;
  if (calibration === null) return { ...flags, source: isFlagged ? 'flag' : 'none' };
  return {
    agent: flags.agent ?? calibration.agent,
    role: flags.role ?? calibration.role,
    source: isFlagged ? 'flag_and_calibration' : 'calibration',
  };
}

function hasKey(entry: FloorsKey, key: FloorsKey): boolean {
  return (
    entry.adapterRef === key.adapterRef &&
    entry.profile === key.profile &&
    entry.suiteHash === key.suiteHash
  );
}
