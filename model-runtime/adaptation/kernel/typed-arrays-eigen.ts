import { panelColumns, type GrowingMemory, type Machine } from './machine.ts';

type EigenOperations = Pick<Machine, 'tridiagonalise' | 'sweep' | 'reflectPanel' | 'rotatePanel'>;

/** The eigensolver's operations in plain typed arrays; see eigen.as for what each does. */
export function eigenOperations(memory: GrowingMemory): EigenOperations {
  return {
    tridiagonalise: (a, n, diagonal, off, tau, work) =>
      tridiagonalise(memory.f64, a / 8, n, diagonal / 8, off / 8, tau / 8, work / 8),
    sweep: (diagonal, off, n, start, sweepsBefore, record, capacity, progress) =>
      sweep(
        memory.f64,
        { diagonal: diagonal / 8, off: off / 8, n },
        { start, sweeps: sweepsBefore },
        { at: record / 8, capacity },
        progress / 8,
      ),
    reflectPanel: (a, n, tau, panel) => reflectPanel(memory.f64, a / 8, n, tau / 8, panel / 8),
    rotatePanel: (record, used, panel) => rotatePanel(memory.f64, record / 8, used, panel / 8),
  };
}

function dot(m: Float64Array, x: number, y: number, count: number): number {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  const whole = count - (count % 4);
  for (let i = 0; i < whole; i += 4) {
    sums[0] += m[x + i]! * m[y + i]!;
    sums[1] += m[x + i + 1]! * m[y + i + 1]!;
    sums[2] += m[x + i + 2]! * m[y + i + 2]!;
    sums[3] += m[x + i + 3]! * m[y + i + 3]!;
  }
  let total = sums[0] + sums[2] + (sums[1] + sums[3]);
  for (let i = whole; i < count; i++) total += m[x + i]! * m[y + i]!;
  return total;
}

function tridiagonalise(
  m: Float64Array,
  a: number,
  n: number,
  diagonal: number,
  off: number,
  tau: number,
  work: number,
): void {
  let v = work;
  const w = work + n;
  let x = work + 2 * n;
  const p = work + 3 * n;
  m.fill(0, work, work + 4 * n);
  for (let k = 0; k < n; k++) {
    const row = a + k * n;
    for (let j = k; j < n; j++) {
      m[row + j] = m[row + j]! - (m[v + k]! * m[w + j]! + m[w + k]! * m[v + j]!);
    }
    m[diagonal + k] = m[row + k]!;
    m[tau + k] = 0;
    m[off + k] = 0;
    const first = k + 1;
    if (first >= n) break;
    const t = reflector(m, row, first, n, x, off + k);
    m[tau + k] = t;
    m.fill(0, p, p + n);
    for (let i = first; i < n; i++) {
      const from = a + i * n;
      const vi = m[v + i]!;
      const wi = m[w + i]!;
      const xi = m[x + i]!;
      const pivot = m[from + i]! - (vi * wi + wi * vi);
      m[from + i] = pivot;
      for (let j = i + 1; j < n; j++) {
        const value = m[from + j]! - (vi * m[w + j]! + wi * m[v + j]!);
        m[from + j] = value;
        m[p + j] = m[p + j]! + xi * value;
      }
      const sum = dot(m, from + i + 1, x + i + 1, n - i - 1);
      m[p + i] = m[p + i]! + (pivot * xi + sum);
    }
    const half = 0.5 * t * t * dot(m, p + first, x + first, n - first);
    for (let j = first; j < n; j++) m[w + j] = t * m[p + j]! - half * m[x + j]!;
    [v, x] = [x, v];
  }
}

/** Householder vector of a row's part from `first` on, into x and back into the row. Returns tau. */
function reflector(
  m: Float64Array,
  row: number,
  first: number,
  n: number,
  x: number,
  off: number,
): number {
  const alpha = m[row + first]!;
  const rest = dot(m, row + first + 1, row + first + 1, n - first - 1);
  m.fill(0, x, x + n);
  if (rest === 0) {
    m[off] = alpha;
    return 0;
  }
  const norm = Math.sqrt(alpha * alpha + rest);
  const beta = alpha >= 0 ? -norm : norm;
  const scale = 1 / (alpha - beta);
  m[x + first] = 1;
  for (let j = first + 1; j < n; j++) m[x + j] = m[row + j]! * scale;
  m.copyWithin(row + first, x + first, x + n);
  m[off] = beta;
  return (beta - alpha) / beta;
}

function sweep(
  m: Float64Array,
  { diagonal, off, n }: { diagonal: number; off: number; n: number },
  from: { start: number; sweeps: number },
  record: { at: number; capacity: number },
  progress: number,
): void {
  let used = 0;
  let l = from.start;
  let sweeps = from.sweeps;
  while (l < n) {
    let top = l;
    while (top + 1 < n) {
      const scale = Math.abs(m[diagonal + top]!) + Math.abs(m[diagonal + top + 1]!);
      if (Math.abs(m[off + top]!) <= Number.EPSILON * 0.5 * scale) break;
      top++;
    }
    if (top === l) {
      l++;
      sweeps = 0;
      continue;
    }
    if (used + 2 + 2 * (top - l) > record.capacity) break;
    if (sweeps >= 60) {
      l = -1 - l;
      break;
    }
    sweeps++;
    used += oneSweep(m, diagonal, off, l, top, record.at + used);
  }
  m[progress] = l;
  m[progress + 1] = sweeps;
  m[progress + 2] = used;
}

function oneSweep(
  m: Float64Array,
  diagonal: number,
  off: number,
  l: number,
  top: number,
  record: number,
): number {
  const dl = m[diagonal + l]!;
  const el = m[off + l]!;
  let g = (m[diagonal + l + 1]! - dl) / (2 * el);
  const root = Math.sqrt(g * g + 1);
  g = m[diagonal + top]! - dl + el / (g + (g >= 0 ? root : -root));
  let s = 1;
  let c = 1;
  let p = 0;
  let used = 2;
  let i = top - 1;
  for (; i >= l; i--) {
    const f = s * m[off + i]!;
    const b = c * m[off + i]!;
    const r = Math.sqrt(f * f + g * g);
    m[off + i + 1] = r;
    if (r === 0) {
      m[diagonal + i + 1] = m[diagonal + i + 1]! - p;
      m[off + top] = 0;
      break;
    }
    s = f / r;
    c = g / r;
    g = m[diagonal + i + 1]! - p;
    const t = (m[diagonal + i]! - g) * s + 2 * c * b;
    p = s * t;
    m[diagonal + i + 1] = g + p;
    g = c * t - b;
    m[record + used] = c;
    m[record + used + 1] = s;
    used += 2;
  }
  if (i < l) {
    m[diagonal + l] = m[diagonal + l]! - p;
    m[off + l] = g;
    m[off + top] = 0;
  }
  m[record] = top;
  m[record + 1] = i + 1;
  return used;
}

function reflectPanel(m: Float64Array, a: number, n: number, tau: number, panel: number): void {
  const sums = new Float64Array(panelColumns);
  for (let k = 0; k + 1 < n; k++) {
    const t = m[tau + k]!;
    if (t === 0) continue;
    sums.fill(0);
    for (let r = k + 1; r < n; r++) {
      const value = m[a + k * n + r]!;
      const line = panel + r * panelColumns;
      for (let j = 0; j < panelColumns; j++) sums[j] = sums[j]! + value * m[line + j]!;
    }
    for (let j = 0; j < panelColumns; j++) sums[j] = t * sums[j]!;
    for (let r = k + 1; r < n; r++) {
      const value = m[a + k * n + r]!;
      const line = panel + r * panelColumns;
      for (let j = 0; j < panelColumns; j++) m[line + j] = m[line + j]! - value * sums[j]!;
    }
  }
}

function rotatePanel(m: Float64Array, record: number, used: number, panel: number): void {
  for (let next = 0; next < used;) {
    const top = m[record + next]!;
    const bottom = m[record + next + 1]!;
    let pair = record + next + 2;
    for (let i = top - 1; i >= bottom; i--, pair += 2) {
      const c = m[pair]!;
      const s = m[pair + 1]!;
      const low = panel + i * panelColumns;
      const high = low + panelColumns;
      for (let j = 0; j < panelColumns; j++) {
        const z = m[low + j]!;
        const h = m[high + j]!;
        m[high + j] = s * z + c * h;
        m[low + j] = c * z - s * h;
      }
    }
    next += 2 + 2 * (top - bottom);
  }
}
