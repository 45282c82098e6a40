/**
 * Ridge regression: the weights W [outputs, features] that minimise |X Wᵀ - Y|² + λ |W|².
 *
 * @param rows    X, one array of features for each sample
 * @param targets Y, one array of outputs for each sample
 * @param lambda  above 0, so that a solution always exists
 * @returns W as rows, in float64
 */
export function ridge(
  rows: readonly (readonly number[])[],
  targets: readonly (readonly number[])[],
  lambda: number,
): number[][] {
  const features = rows[0]?.length ?? 0;
  const outputs = targets[0]?.length ?? 0;
  const gram = Array.from({ length: features }, (_, i) =>
    Array.from({ length: features }, (_, j) => {
      const sum = rows.reduce((total, row) => total + row[i]! * row[j]!, 0);
      return i === j ? sum + lambda : sum;
    }),
  );
  const factor = cholesky(gram);
  return Array.from({ length: outputs }, (_, output) => {
    const right = Array.from({ length: features }, (_, i) =>
      rows.reduce((total, row, sample) => total + row[i]! * targets[sample]![output]!, 0),
    );
    return solve(factor, right);
  });
}

/** L with L Lᵀ = A, for a symmetric positive definite A. */
function cholesky(matrix: readonly (readonly number[])[]): number[][] {
  const lower: number[][] = matrix.map((row) => row.map(() => 0));
  matrix.forEach((row, i) => {
    for (let j = 0; j <= i; j += 1) {
      let rest = row[j]!;
      for (let k = 0; k < j; k += 1) rest -= lower[i]![k]! * lower[j]![k]!;
      lower[i]![j] = i === j ? Math.sqrt(rest) : rest / lower[j]![j]!;
    }
  });
  return lower;
}

/** x with L Lᵀ x = b. */
function solve(lower: readonly (readonly number[])[], right: readonly number[]): number[] {
  const half: number[] = [];
  right.forEach((value, i) => {
    let rest = value;
    for (let k = 0; k < i; k += 1) rest -= lower[i]![k]! * half[k]!;
    half.push(rest / lower[i]![i]!);
  });
  const result = new Array<number>(right.length).fill(0);
  for (let i = right.length - 1; i >= 0; i -= 1) {
    let rest = half[i]!;
    for (let k = i + 1; k < right.length; k += 1) rest -= lower[k]![i]! * result[k]!;
    result[i] = rest / lower[i]![i]!;
  }
  return result;
}
