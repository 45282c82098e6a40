// Matrix products over packed tiles. A tile holds four columns of a block of rows as f64, row after row:
// tile[4 row + column]. A block has at most 256 rows, so a tile is at most 8 kB and stays in the first cache.
// Every output element sums its block in row order in a register and is then added to memory; typed-arrays.ts
// does the same additions in the same order, so both give the same bits.

/** C += AᵀB for packed A and B of `rows` rows; C is row-major with 4 tilesB columns. With `upper`, tiles below the diagonal are left out. */
export function multiply(a: usize, tilesA: i32, b: usize, tilesB: i32, rows: i32, c: usize, upper: i32): void {
  const tileBytes = (<usize>rows) << 5;
  const stride = (<usize>tilesB) << 5;
  for (let i = 0; i < tilesA; i++) {
    const tileA = a + <usize>i * tileBytes;
    const rowC = c + <usize>i * (stride << 2);
    for (let j = upper ? i : 0; j < tilesB; j++) {
      tileProduct(tileA, b + <usize>j * tileBytes, rows, rowC + ((<usize>j) << 5), stride);
    }
  }
}

// @ts-ignore: decorator
@inline
function tileProduct(a: usize, b: usize, rows: i32, c: usize, stride: usize): void {
  let c00 = f64x2.splat(0), c01 = f64x2.splat(0);
  let c10 = f64x2.splat(0), c11 = f64x2.splat(0);
  let c20 = f64x2.splat(0), c21 = f64x2.splat(0);
  let c30 = f64x2.splat(0), c31 = f64x2.splat(0);
  const end = a + ((<usize>rows) << 5);
  while (a < end) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const a0 = v128.load64_splat(a);
    c00 = f64x2.add(c00, f64x2.mul(a0, b0));
    c01 = f64x2.add(c01, f64x2.mul(a0, b1));
    const a1 = v128.load64_splat(a, 8);
    c10 = f64x2.add(c10, f64x2.mul(a1, b0));
    c11 = f64x2.add(c11, f64x2.mul(a1, b1));
    const a2 = v128.load64_splat(a, 16);
    c20 = f64x2.add(c20, f64x2.mul(a2, b0));
    c21 = f64x2.add(c21, f64x2.mul(a2, b1));
    const a3 = v128.load64_splat(a, 24);
    c30 = f64x2.add(c30, f64x2.mul(a3, b0));
    c31 = f64x2.add(c31, f64x2.mul(a3, b1));
    a += 32;
    b += 32;
  }
  accumulate(c, c00, c01);
  accumulate(c + stride, c10, c11);
  accumulate(c + 2 * stride, c20, c21);
  accumulate(c + 3 * stride, c30, c31);
}

// @ts-ignore: decorator
@inline
function accumulate(c: usize, left: v128, right: v128): void {
  v128.store(c, f64x2.add(v128.load(c), left));
  v128.store(c, f64x2.add(v128.load(c, 16), right), 16);
}

/** Packs columns of a block of rows (`stride` values apart) into tiles, each row multiplied by its factor; `factors` 0 means none. The last tile is filled up with zeros. */
export function packColumns(source: usize, rows: i32, columns: i32, stride: i32, factors: usize, tiles: usize): void {
  const tileBytes = (<usize>rows) << 5;
  for (let row = 0; row < rows; row++) {
    const factor = factors == 0 ? 1.0 : load<f64>(factors + ((<usize>row) << 3));
    const scale = f64x2.splat(factor);
    const from = source + ((<usize>row * <usize>stride) << 3);
    let out = tiles + ((<usize>row) << 5);
    let column = 0;
    for (; column + 4 <= columns; column += 4) {
      const at = from + ((<usize>column) << 3);
      v128.store(out, f64x2.mul(v128.load(at), scale));
      v128.store(out, f64x2.mul(v128.load(at, 16), scale), 16);
      out += tileBytes;
    }
    if (column < columns) {
      for (let lane = 0; lane < 4; lane++) {
        const value = column + lane < columns ? load<f64>(from + ((<usize>(column + lane)) << 3)) * factor : 0;
        store<f64>(out + ((<usize>lane) << 3), value);
      }
    }
  }
}

/** Packs the transpose: rows become the tiles' columns, so that multiply() sums over the columns of the block. */
export function packRows(source: usize, rows: i32, columns: i32, stride: i32, tiles: usize): void {
  const tileBytes = (<usize>columns) << 5;
  const tileCount = (rows + 3) >> 2;
  for (let tile = 0; tile < tileCount; tile++) {
    const out = tiles + <usize>tile * tileBytes;
    for (let lane = 0; lane < 4; lane++) {
      const row = (tile << 2) + lane;
      let to = out + ((<usize>lane) << 3);
      if (row < rows) {
        let from = source + ((<usize>row * <usize>stride) << 3);
        for (let column = 0; column < columns; column++) {
          store<f64>(to, load<f64>(from));
          from += 8;
          to += 32;
        }
      } else {
        for (let column = 0; column < columns; column++) {
          store<f64>(to, 0);
          to += 32;
        }
      }
    }
  }
}
