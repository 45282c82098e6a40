import type { Notice } from '../../contracts/app/settings.ts';
import type { ProfileId } from '../../contracts/profiles.ts';
import { referenceProfile, requireUsableAsDefault } from './calibrate-profile.ts';
import { EvalError } from './eval-error.ts';
import type { FloorsStore } from './floors-store.ts';

/** Which router decides, with which profile. */
export interface DefaultChoice {
  readonly router: string;
  readonly profile: ProfileId;
}

export interface DefaultProfileParts {
  readonly calibrations: FloorsStore;
  /** Identity of the router that a name stands for; null where it is not built yet. */
  readonly adapterRefOf: (router: string) => Promise<string | null>;
}

/** Keeps profiles that a calibration refused from becoming the default, on whichever suite it did. */
export class DefaultProfiles {
  readonly #parts: DefaultProfileParts;

  constructor(parts: DefaultProfileParts) {
    this.#parts = parts;
  }

  /** @throws EvalError `profile_refused` with the reason; `floors_unreadable` */
  async require({ router, profile }: DefaultChoice): Promise<void> {
    // The reference needs no proof, and stays eligible when the calibrations cannot be read.
    if (profile === referenceProfile) return;
    const adapterRef = await this.#parts.adapterRefOf(router);
    for (const calibration of await this.#parts.calibrations.list()) {
      const isOfChoice = calibration.adapterRef === adapterRef && calibration.profile === profile;
      if (isOfChoice) requireUsableAsDefault(calibration);
    }
  }

  /**
   * The choice of an earlier start, with `cpu-f32` in the place of a profile that was refused since, and what
   * there is to say about it.
   */
  async usable(
    choice: DefaultChoice,
  ): Promise<{ readonly choice: DefaultChoice; readonly notices: readonly Notice[] }> {
    try {
      await this.require(choice);
      return { choice, notices: [] };
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      const { code, message } = error;
      return {
        choice: { router: choice.router, profile: referenceProfile },
        notices: [{ code, message: `${message} ${referenceProfile} is used instead.` }],
      };
    }
  }
}
