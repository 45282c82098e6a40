/**
 * Times several subjects so that what else the machine does meets all of them alike: round after round,
 * each subject once a round, the order turned by one each time.
 *
 * @param measure gives one timing in milliseconds
 * @returns all timings by subject
 */
export async function interleaved<Subject>(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject) => Promise<number>,
): Promise<Map<Subject, number[]>> {
  const samples = new Map<Subject, number[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + turn) % subjects.length]!;
      samples.get(subject)!.push(await measure(subject));
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median of the ratios round by round: what disturbs a round disturbs both of its timings. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, round) => value / below[round]!));
}
