/**
 * One number in [0, 1) for a seed and a label, the same on every machine and in every version.
 *
 * The label names what is drawn (`turn 3 role`), so that draws of one run are independent of each other
 * and of their order. FNV-1a over `seed/label` gives 32 bits of state; two outputs of mulberry32 give the
 * 53 bits of the result. Fit for choosing an agent, not for secrets.
 */
export function seededDraw(seed: number, label: string): number {
  const next = mulberry32(fnv1a(`${seed}/${label}`));
  const high = next() >>> 5;
  const low = next() >>> 6;
  return (high * 2 ** 26 + low) / 2 ** 53;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Tommy Ettinger's mulberry32: a 32-bit state, one 32-bit output a call. */
function mulberry32(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
