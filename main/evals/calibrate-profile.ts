import type { ProfileId } from '../../contracts/profiles.ts';
import type { Router } from '../../contracts/router.ts';
import type { Clock } from '../../contracts/ports.ts';
import { calibrate, type CalibrationResult } from './calibration.ts';
import { compareCase, type CaseComparison } from './comparison.ts';
import { EvalError } from './eval-error.ts';
import type { Calibration, FloorsKey, FloorsStore } from './floors-store.ts';
import { comparable, type ComparableCase } from './result-source.ts';
import { runCases } from './runner.ts';
import { everyCase, selectedCases } from './selection.ts';

export interface CalibrationOptions {
  readonly suitePath: string;
  readonly key: FloorsKey;
  /** Runs `work` with the router loaded on a profile; one profile is loaded at a time. */
  readonly withProfile: <T>(profile: ProfileId, work: (router: Router) => Promise<T>) => Promise<T>;
  readonly store: FloorsStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onCase: (profile: ProfileId, done: number) => void;
}

/** The profile that others are judged against. */
export const referenceProfile: ProfileId = 'cpu-f32';

/**
 * Calibrates a profile on a suite: routes every case on `cpu-f32` and on the profile, and stores floors,
 * agreement, drift and, where there are any, the reasons why it may not become the default.
 *
 * @throws EvalError `suite_empty`; the router's error where a profile cannot be loaded
 */
export async function calibrateProfile(options: CalibrationOptions): Promise<Calibration> {
  const { key, store, clock } = options;
  const reference = await routeSuite(options, referenceProfile);
  const candidate =
    key.profile === referenceProfile ? reference : await routeSuite(options, key.profile);
  if (reference.size === 0) {
    throw new EvalError('suite_empty', 'No case of the suite could be routed on cpu-f32.');
  }
  const own = await store.find({ ...key, profile: referenceProfile });
  const result = calibrate(compareAll(reference, candidate), own);
  const calibration = { ...key, ...storedForm(result), calibratedAt: clock.now() };
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

async function routeSuite(
  options: CalibrationOptions,
  profile: ProfileId,
): Promise<ReadonlyMap<string, ComparableCase>> {
  return options.withProfile(profile, async (router) => {
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
      options.onCase(profile, cases.size);
    }
    options.signal.throwIfAborted();
    return cases;
  });
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
