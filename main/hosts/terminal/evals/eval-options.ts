import { InvalidArgumentError } from 'commander';
import type { ProfileId } from '../../../../contracts/profiles.ts';
import type { CaseSelection } from '../../../evals/selection.ts';
import type { GlobalOptions } from '../active-router.ts';

/** Options of `trinity eval` as commander gives them. */
export interface EvalCommandOptions extends GlobalOptions {
  readonly suite: string;
  readonly router: string;
  readonly profile: ProfileId;
  readonly base?: string;
  readonly snapshot?: string;
  readonly snapshotOut?: string;
  readonly recordBaseline?: boolean;
  readonly determinismRuns: number;
  readonly minAgentMargin?: number;
  readonly minRoleMargin?: number;
  readonly case: readonly string[];
  readonly tag: readonly string[];
  readonly match?: string;
  readonly reportOnly?: boolean;
  readonly plain?: boolean;
  readonly out?: string;
  readonly resume?: boolean;
  readonly calibrate?: boolean;
  readonly listCases?: boolean;
  readonly json?: boolean;
  readonly junit?: string;
  readonly html?: string;
}

export function selectionOf(options: EvalCommandOptions): CaseSelection {
  return { ids: options.case, tags: options.tag, pattern: options.match ?? null };
}

/** Commander's parser of an option that may be given several times. */
export function collected(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

/** A whole number of at least one. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a number from 1 up');
  return value;
}

/** A finite number of at least 0. */
export function nonNegative(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('a number from 0 up');
  return value;
}
