export { multiply, packColumns, packRows } from './gemm';
export { roundBf16, roundF32, widenBf16, widenF32 } from './rounding';
export { reflectPanel, rotatePanel, sweep, tridiagonalise } from './eigen';
