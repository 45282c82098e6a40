import type { Notice } from '../../contracts/app/settings.ts';
import type { CalibratedPrecision, RouterClient } from '../../model-runtime/client.ts';
import { adapterRefOf } from './adapter-ref.ts';
import { DefaultProfiles, type DefaultChoice } from './default-profile.ts';
import {
  FloorsStore,
  type Calibration,
  type FloorsKey,
  type WriteFileAtomically,
} from './floors-store.ts';
import { evalPlaces } from './places.ts';
import { SavedCases } from './saved-cases.ts';

export interface EvalServiceParts {
  /** Folder of everything that evaluations keep. */
  readonly folder: string;
  readonly write: WriteFileAtomically;
  readonly routers: Pick<RouterClient, 'list'>;
}

/** What evaluations keep in one data directory, and what follows from it for the app. */
export class EvalService {
  readonly saved: SavedCases;
  readonly #defaults: DefaultProfiles;
  readonly #calibrations: FloorsStore;
  #notices: readonly Notice[] = [];

  constructor({ folder, write, routers }: EvalServiceParts) {
    const places = evalPlaces(folder);
    this.saved = new SavedCases(places.savedCases, write);
    this.#calibrations = new FloorsStore(places.calibrations, write);
    this.#defaults = new DefaultProfiles({
      calibrations: this.#calibrations,
      adapterRefOf: (name) => adapterRefOf(routers, name),
    });
  }

  /** What opening had to say. */
  get notices(): readonly Notice[] {
    return this.#notices;
  }

  /** What margins of a router on a profile are measured by; null before a calibration. @throws EvalError `floors_unreadable` */
  floors(key: Omit<FloorsKey, 'suiteHash'>): Promise<Calibration | null> {
    return this.#calibrations.latest(key);
  }

  /** The precision that the latest calibration of a router on a profile found. @throws EvalError `floors_unreadable` */
  readonly calibratedPrecision: CalibratedPrecision = (key) => this.#calibrations.precision(key);

  /** @throws EvalError `profile_refused` with the reason; `floors_unreadable` */
  readonly requireDefault = (choice: DefaultChoice): Promise<void> =>
    this.#defaults.require(choice);

  /** The stored choice, with `cpu-f32` in the place of a profile that was refused since; then `notices` says so. */
  async usableDefault(stored: DefaultChoice): Promise<DefaultChoice> {
    const { choice, notices } = await this.#defaults.usable(stored);
    this.#notices = notices;
    return choice;
  }
}
