// Symmetric eigenproblem: Householder tridiagonalisation, implicit QL with recorded rotations, and the
// application of reflectors and rotations to panels of 16 columns, which stay in the second cache.
// typed-arrays.ts does the same operations in the same order.

// @ts-ignore: decorator
@inline const panel: i32 = 16;

// @ts-ignore: decorator
@inline
function at(base: usize, index: i32): usize {
  return base + ((<usize>index) << 3);
}

/** Sum of x[i] y[i]: four running sums over blocks of four, then what is left. */
function dot(x: usize, y: usize, count: i32): f64 {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    low = f64x2.add(low, f64x2.mul(v128.load(at(x, i)), v128.load(at(y, i))));
    high = f64x2.add(high, f64x2.mul(v128.load(at(x, i), 16), v128.load(at(y, i), 16)));
  }
  const sum = f64x2.add(low, high);
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  for (; i < count; i++) total += load<f64>(at(x, i)) * load<f64>(at(y, i));
  return total;
}

/** row -= vi w + wi v over `count` values. */
function update(row: usize, vi: f64, wi: f64, v: usize, w: usize, count: i32): void {
  const vs = f64x2.splat(vi);
  const ws = f64x2.splat(wi);
  let i = 0;
  for (; i + 2 <= count; i += 2) {
    const change = f64x2.add(f64x2.mul(vs, v128.load(at(w, i))), f64x2.mul(ws, v128.load(at(v, i))));
    v128.store(at(row, i), f64x2.sub(v128.load(at(row, i)), change));
  }
  for (; i < count; i++) {
    const change = vi * load<f64>(at(w, i)) + wi * load<f64>(at(v, i));
    store<f64>(at(row, i), load<f64>(at(row, i)) - change);
  }
}

/** As `update`, and p += xi row, returning the dot product of the updated row with x. */
function updateAndMultiply(
  row: usize, vi: f64, wi: f64, v: usize, w: usize, xi: f64, x: usize, p: usize, count: i32,
): f64 {
  const vs = f64x2.splat(vi);
  const ws = f64x2.splat(wi);
  const xs = f64x2.splat(xi);
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const change0 = f64x2.add(f64x2.mul(vs, v128.load(at(w, i))), f64x2.mul(ws, v128.load(at(v, i))));
    const a0 = f64x2.sub(v128.load(at(row, i)), change0);
    v128.store(at(row, i), a0);
    low = f64x2.add(low, f64x2.mul(a0, v128.load(at(x, i))));
    v128.store(at(p, i), f64x2.add(v128.load(at(p, i)), f64x2.mul(xs, a0)));
    const change1 = f64x2.add(f64x2.mul(vs, v128.load(at(w, i), 16)), f64x2.mul(ws, v128.load(at(v, i), 16)));
    const a1 = f64x2.sub(v128.load(at(row, i), 16), change1);
    v128.store(at(row, i), a1, 16);
    high = f64x2.add(high, f64x2.mul(a1, v128.load(at(x, i), 16)));
    v128.store(at(p, i), f64x2.add(v128.load(at(p, i), 16), f64x2.mul(xs, a1)), 16);
  }
  const sum = f64x2.add(low, high);
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  for (; i < count; i++) {
    const change = vi * load<f64>(at(w, i)) + wi * load<f64>(at(v, i));
    const value = load<f64>(at(row, i)) - change;
    store<f64>(at(row, i), value);
    total += value * load<f64>(at(x, i));
    store<f64>(at(p, i), load<f64>(at(p, i)) + xi * value);
  }
  return total;
}

/**
 * Reduces the symmetric n x n matrix whose upper triangle is at `a` to tridiagonal form.
 * diagonal[n], off[n] (off[i] couples i and i + 1) and tau[n] are written; reflector k is left in row k of `a`,
 * columns k + 1 .. n - 1. `work` holds 4 n values. The rank-2 update of one step is done while the next step's
 * product reads the matrix, so that each step passes over it once.
 */
export function tridiagonalise(a: usize, n: i32, diagonal: usize, off: usize, tau: usize, work: usize): void {
  let v = work, w = at(work, n), x = at(work, 2 * n), p = at(work, 3 * n);
  memory.fill(work, 0, (<usize>n) << 5);
  for (let k = 0; k < n; k++) {
    const row = at(a, k * n);
    update(at(row, k), load<f64>(at(v, k)), load<f64>(at(w, k)), at(v, k), at(w, k), n - k);
    store<f64>(at(diagonal, k), load<f64>(at(row, k)));
    store<f64>(at(tau, k), 0);
    store<f64>(at(off, k), 0);
    if (k + 1 >= n) break;
    const first = k + 1;
    const count = n - first;
    const alpha = load<f64>(at(row, first));
    const rest = dot(at(row, first + 1), at(row, first + 1), count - 1);
    let t: f64 = 0;
    if (rest == 0) {
      store<f64>(at(off, k), alpha);
      memory.fill(at(x, 0), 0, (<usize>n) << 3);
    } else {
      const norm = Math.sqrt(alpha * alpha + rest);
      const beta = alpha >= 0 ? -norm : norm;
      t = (beta - alpha) / beta;
      const scale = 1.0 / (alpha - beta);
      memory.fill(at(x, 0), 0, (<usize>n) << 3);
      store<f64>(at(x, first), 1);
      for (let j = first + 1; j < n; j++) store<f64>(at(x, j), load<f64>(at(row, j)) * scale);
      memory.copy(at(row, first), at(x, first), (<usize>count) << 3);
      store<f64>(at(off, k), beta);
      store<f64>(at(tau, k), t);
    }
    memory.fill(at(p, 0), 0, (<usize>n) << 3);
    for (let i = first; i < n; i++) {
      const from = at(a, i * n);
      const vi = load<f64>(at(v, i));
      const wi = load<f64>(at(w, i));
      const xi = load<f64>(at(x, i));
      const pivot = load<f64>(at(from, i)) - (vi * wi + wi * vi);
      store<f64>(at(from, i), pivot);
      const next = i + 1;
      const sum = updateAndMultiply(
        at(from, next), vi, wi, at(v, next), at(w, next), xi, at(x, next), at(p, next), n - next,
      );
      store<f64>(at(p, i), load<f64>(at(p, i)) + (pivot * xi + sum));
    }
    const half = 0.5 * t * t * dot(at(p, first), at(x, first), count);
    for (let j = first; j < n; j++) {
      store<f64>(at(w, j), t * load<f64>(at(p, j)) - half * load<f64>(at(x, j)));
    }
    const swap = v;
    v = x;
    x = swap;
  }
}

/**
 * Implicit QL on a tridiagonal matrix, from eigenvalue `start` on. Each sweep is recorded at `record` as
 * (top, bottom) followed by (cosine, sine) per rotation, top to bottom, all f64. Stops when all values have
 * converged or when `capacity` values would not hold another sweep.
 * progress[0] = the eigenvalue to go on with (n when done, -1 - l when value l does not converge),
 * progress[1] = its sweeps so far, progress[2] = number of values recorded.
 */
export function sweep(
  diagonal: usize, off: usize, n: i32, start: i32, sweepsBefore: i32, record: usize, capacity: i32, progress: usize,
): void {
  let used = 0;
  let l = start;
  let sweeps = sweepsBefore;
  while (l < n) {
    let m = l;
    while (m + 1 < n) {
      const scale = Math.abs(load<f64>(at(diagonal, m))) + Math.abs(load<f64>(at(diagonal, m + 1)));
      if (Math.abs(load<f64>(at(off, m))) <= f64.EPSILON * 0.5 * scale) break;
      m++;
    }
    if (m == l) {
      l++;
      sweeps = 0;
      continue;
    }
    if (used + 2 + 2 * (m - l) > capacity) break;
    if (sweeps >= 60) {
      l = -1 - l;
      break;
    }
    sweeps++;
    used += oneSweep(diagonal, off, l, m, at(record, used));
  }
  store<f64>(progress, <f64>l);
  store<f64>(at(progress, 1), <f64>sweeps);
  store<f64>(at(progress, 2), <f64>used);
}

function oneSweep(diagonal: usize, off: usize, l: i32, m: i32, record: usize): i32 {
  const dl = load<f64>(at(diagonal, l));
  const el = load<f64>(at(off, l));
  let g = (load<f64>(at(diagonal, l + 1)) - dl) / (2 * el);
  const root = Math.sqrt(g * g + 1);
  g = load<f64>(at(diagonal, m)) - dl + el / (g + (g >= 0 ? root : -root));
  let s: f64 = 1;
  let c: f64 = 1;
  let p: f64 = 0;
  let used = 2;
  let i = m - 1;
  for (; i >= l; i--) {
    const e = load<f64>(at(off, i));
    const f = s * e;
    const b = c * e;
    // A scaled hypotenuse costs two digits of orthogonality here; the matrix is scaled beforehand instead.
    const r = Math.sqrt(f * f + g * g);
    store<f64>(at(off, i + 1), r);
    if (r == 0) {
      store<f64>(at(diagonal, i + 1), load<f64>(at(diagonal, i + 1)) - p);
      store<f64>(at(off, m), 0);
      break;
    }
    s = f / r;
    c = g / r;
    g = load<f64>(at(diagonal, i + 1)) - p;
    const t = (load<f64>(at(diagonal, i)) - g) * s + 2 * c * b;
    p = s * t;
    store<f64>(at(diagonal, i + 1), g + p);
    g = c * t - b;
    store<f64>(at(record, used), c);
    store<f64>(at(record, used + 1), s);
    used += 2;
  }
  if (i < l) {
    store<f64>(at(diagonal, l), load<f64>(at(diagonal, l)) - p);
    store<f64>(at(off, l), g);
    store<f64>(at(off, m), 0);
  }
  store<f64>(record, <f64>m);
  store<f64>(at(record, 1), <f64>(i + 1));
  return used;
}

/** Applies the reflectors left by tridiagonalise(), first to last, to a panel [n, 16]. */
export function reflectPanel(a: usize, n: i32, tau: usize, panelAt: usize): void {
  for (let k = 0; k + 1 < n; k++) {
    const t = load<f64>(at(tau, k));
    if (t == 0) continue;
    const reflector = at(a, k * n);
    for (let half = 0; half < panel; half += 8) {
      let t0 = f64x2.splat(0), t1 = f64x2.splat(0), t2 = f64x2.splat(0), t3 = f64x2.splat(0);
      for (let r = k + 1; r < n; r++) {
        const value = v128.load64_splat(at(reflector, r));
        const line = at(panelAt, r * panel + half);
        t0 = f64x2.add(t0, f64x2.mul(value, v128.load(line)));
        t1 = f64x2.add(t1, f64x2.mul(value, v128.load(line, 16)));
        t2 = f64x2.add(t2, f64x2.mul(value, v128.load(line, 32)));
        t3 = f64x2.add(t3, f64x2.mul(value, v128.load(line, 48)));
      }
      const scale = f64x2.splat(t);
      t0 = f64x2.mul(scale, t0);
      t1 = f64x2.mul(scale, t1);
      t2 = f64x2.mul(scale, t2);
      t3 = f64x2.mul(scale, t3);
      for (let r = k + 1; r < n; r++) {
        const value = v128.load64_splat(at(reflector, r));
        const line = at(panelAt, r * panel + half);
        v128.store(line, f64x2.sub(v128.load(line), f64x2.mul(value, t0)));
        v128.store(line, f64x2.sub(v128.load(line, 16), f64x2.mul(value, t1)), 16);
        v128.store(line, f64x2.sub(v128.load(line, 32), f64x2.mul(value, t2)), 32);
        v128.store(line, f64x2.sub(v128.load(line, 48), f64x2.mul(value, t3)), 48);
      }
    }
  }
}

/** Applies recorded sweeps, in order, to a panel [n, 16]. */
export function rotatePanel(record: usize, used: i32, panelAt: usize): void {
  for (let half = 0; half < panel; half += 8) {
    let next = 0;
    while (next < used) {
      const m = <i32>load<f64>(at(record, next));
      const l = <i32>load<f64>(at(record, next + 1));
      let pair = at(record, next + 2);
      let line = at(panelAt, m * panel + half);
      let h0 = v128.load(line), h1 = v128.load(line, 16), h2 = v128.load(line, 32), h3 = v128.load(line, 48);
      for (let i = m - 1; i >= l; i--) {
        const c = v128.load64_splat(pair);
        const s = v128.load64_splat(pair, 8);
        pair += 16;
        const low = line - ((<usize>panel) << 3);
        const z0 = v128.load(low), z1 = v128.load(low, 16), z2 = v128.load(low, 32), z3 = v128.load(low, 48);
        v128.store(line, f64x2.add(f64x2.mul(s, z0), f64x2.mul(c, h0)));
        v128.store(line, f64x2.add(f64x2.mul(s, z1), f64x2.mul(c, h1)), 16);
        v128.store(line, f64x2.add(f64x2.mul(s, z2), f64x2.mul(c, h2)), 32);
        v128.store(line, f64x2.add(f64x2.mul(s, z3), f64x2.mul(c, h3)), 48);
        h0 = f64x2.sub(f64x2.mul(c, z0), f64x2.mul(s, h0));
        h1 = f64x2.sub(f64x2.mul(c, z1), f64x2.mul(s, h1));
        h2 = f64x2.sub(f64x2.mul(c, z2), f64x2.mul(s, h2));
        h3 = f64x2.sub(f64x2.mul(c, z3), f64x2.mul(s, h3));
        line = low;
      }
      v128.store(line, h0);
      v128.store(line, h1, 16);
      v128.store(line, h2, 32);
      v128.store(line, h3, 48);
      next += 2 + 2 * (m - l);
    }
  }
}
