import {
  exactProjections,
  projectionNames,
  withExact,
  type PrecisionMap,
  type ProfileId,
  type ProjectionName,
} from '../../contracts/profiles.ts';
import type { Router } from '../../contracts/router.ts';
import type { Clock } from '../../contracts/ports.ts';
import { profilePrecisions } from '../../model-runtime/client.ts';
import { calibrate, type CalibrationResult } from './calibration.ts';
import { compareCase, type CaseComparison } from './comparison.ts';
import { EvalError } from './eval-error.ts';
import { findExactProjections } from './exact-projections.ts';
import type { Calibration, FloorsKey, FloorsStore } from './floors-store.ts';
import { comparable, type ComparableCase } from './result-source.ts';
import { runCases } from './runner.ts';
import { everyCase, selectedCases } from './selection.ts';

export interface CalibrationOptions {
  readonly suitePath: string;
  readonly key: FloorsKey;
  /** Runs `work` with the router loaded on a profile; one profile is loaded at a time. */
  readonly withProfile: <T>(
    profile: ProfileId,
    work: (router: Router) => Promise<T>,
    precision: ProfilePrecision,
  ) => Promise<T>;
  /** Whether a precision found here will be used: it is looked up by the router's identity before it is loaded. */
  readonly mayKeepExact: boolean;
  readonly store: FloorsStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told cases done on a profile, and which projections are in f32 beyond the profile's own. */
  readonly onCase: (profile: ProfileId, done: number, exact: readonly ProjectionName[]) => void;
}

/** What a profile is to read projections in, and whether it is only tried. */
export interface ProfilePrecision {
  readonly precision: PrecisionMap;
  readonly isTrial: boolean;
}

/** The profile that others are judged against. */
export const referenceProfile: ProfileId = 'cpu-f32';

/**
 * Calibrates a profile on a suite: routes every case on `cpu-f32` and on the profile, and stores floors,
 * agreement, drift and, where there are any, the reasons why it may not become the default.
 *
 * A quantised profile that would be refused is tried with projections kept in f32, and stored with the first
 * ones that have it accepted; where none have, with its own figures and reasons. What other suites needed in
 * f32 stays so.
 *
 * @throws EvalError `suite_empty`; the router's error where a profile cannot be loaded
 */
export async function calibrateProfile(options: CalibrationOptions): Promise<Calibration> {
  const { key, store, clock } = options;
  const reference = await routeSuite(options, referenceProfile, []);
  if (reference.size === 0) {
    throw new EvalError('suite_empty', 'No case of the suite could be routed on cpu-f32.');
  }
  const floors = await store.find({ ...key, profile: referenceProfile });
  const measure = async (exact: readonly ProjectionName[], isTrial = false) => {
    const isReference = key.profile === referenceProfile;
    const candidate = isReference
      ? reference
      : await routeSuite(options, key.profile, exact, isTrial);
    return calibrate(compareAll(reference, candidate), floors);
  };
  const { exact, measured } = await withExactProjections(options, measure);
  const precision = exact.length > 0 && { precision: precisionWith(key.profile, exact) };
  const calibration = { ...key, ...storedForm(measured), ...precision, calibratedAt: clock.now() };
  await store.put(calibration);
  return calibration;
}

/**
 * @throws EvalError `profile_refused` with the reasons, when a calibration forbids the profile as default
 */
export function requireUsableAsDefault(calibration: Calibration | null): void {
  const refusals = calibration?.refusals ?? [];
  if (refusals.length === 0) return;
  throw new EvalError(
    'profile_refused',
    `${calibration?.profile ?? 'The profile'} does not decide like cpu-f32 here: ${refusals.slice(0, 3).join('; ')}.`,
  );
}

/** The profile as it is when it is accepted or nothing helps, else with the projections that have it accepted. */
async function withExactProjections(
  options: CalibrationOptions,
  measure: (exact: readonly ProjectionName[], isTrial?: boolean) => Promise<CalibrationResult>,
) {
  const { profile } = options.key;
  const needed = options.mayKeepExact ? await neededElsewhere(options) : [];
  const asItIs = { exact: needed, measured: await measure(needed) };
  if (!options.mayKeepExact || asItIs.measured.refusals.length === 0) return asItIs;
  const isExact = exactProjections(precisionWith(profile, needed));
  const quantised = projectionNames.filter((name) => !isExact.includes(name));
  if (quantised.length === 0) return asItIs;
  const found = await findExactProjections(quantised, (more) =>
    measure([...needed, ...more], true),
  );
  const chosen = found === null ? asItIs : { ...found, exact: [...needed, ...found.exact] };
  // Loaded once more to be kept: its weights are then prepared for the next start, and those of the trials go.
  await options.withProfile(profile, () => Promise.resolve(), {
    precision: precisionWith(profile, chosen.exact),
    isTrial: false,
  });
  return chosen;
}

/** Projections that calibrations of this router and profile on other suites keep in f32. */
async function neededElsewhere({ key, store }: CalibrationOptions): Promise<ProjectionName[]> {
  const others = (await store.list()).filter(
    ({ adapterRef, profile, suiteHash, refusals }) =>
      adapterRef === key.adapterRef &&
      profile === key.profile &&
      suiteHash !== key.suiteHash &&
      refusals.length === 0,
  );
  const own = exactProjections(profilePrecisions[key.profile]);
  const kept = others.flatMap(({ precision }) => (precision ? exactProjections(precision) : []));
  return projectionNames.filter((name) => kept.includes(name) && !own.includes(name));
}

function precisionWith(profile: ProfileId, exact: readonly ProjectionName[]): PrecisionMap {
  return withExact(profilePrecisions[profile], exact);
}

async function routeSuite(
  options: CalibrationOptions,
  profile: ProfileId,
  exact: readonly ProjectionName[],
  isTrial = false,
): Promise<ReadonlyMap<string, ComparableCase>> {
  const route = async (router: Router) => {
    const cases = new Map<string, ComparableCase>();
    const lines = runCases(selectedCases(options.suitePath, everyCase), {
      router,
      floors: { agent: null, role: null, source: 'none' },
      snapshot: null,
      isReportOnly: true,
      determinismRuns: 1,
      tokenizer: 'typed',
      signal: options.signal,
    });
    for await (const line of lines) {
      if (line.type === 'case') cases.set(line.id, comparable(line));
      options.onCase(profile, cases.size, exact);
    }
    options.signal.throwIfAborted();
    return cases;
  };
  return options.withProfile(profile, route, { precision: precisionWith(profile, exact), isTrial });
}

function compareAll(
  reference: ReadonlyMap<string, ComparableCase>,
  candidate: ReadonlyMap<string, ComparableCase>,
): CaseComparison[] {
  return [...reference].map(([id, left]) => compareCase(id, left, candidate.get(id) ?? null, null));
}

function storedForm(result: CalibrationResult) {
  const { agentFloor, roleFloor, cases, agreeing, rmsDrift, rmsLogit, refusals } = result;
  return {
    agent: agentFloor,
    role: roleFloor,
    cases,
    agreeing,
    rmsDrift,
    rmsLogit,
    refusals: [...refusals],
  };
}
