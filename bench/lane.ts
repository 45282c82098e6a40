/** One measured row: what, and numbers by column, with their units in the names. */
export interface BenchRow {
  readonly name: string;
  readonly values: Readonly<Record<string, number | string>>;
}

/** A promise about a measurement, judged in the run that measured it. */
export interface BenchBar {
  readonly name: string;
  readonly value: number;
  /** The bar holds when value <= limit. */
  readonly limit: number;
  /** Why the bar is not judged on this machine; null where it is. */
  readonly waived: string | null;
}

export interface BenchReport {
  readonly rows: readonly BenchRow[];
  readonly bars: readonly BenchBar[];
}

export interface BenchContext {
  /** Folder for files worth keeping between runs, such as full-size checkpoints. */
  readonly workFolder: string;
  /** Repetitions of each timing. */
  readonly repetitions: number;
  readonly say: (line: string) => void;
}

/** A benchmark that can be asked for by name. */
export interface BenchLane {
  readonly name: string;
  readonly about: string;
  run(context: BenchContext): Promise<BenchReport>;
}

/** True for a bar that is judged and does not hold. A value that is no number never holds. */
export function isBroken({ value, limit, waived }: BenchBar): boolean {
  return waived === null && !(value <= limit);
}
