// Between the checkpoint's number formats and f64.

/** Widens bf16 to f64. Returns the index of the first infinity or NaN, or -1. */
export function widenBf16(source: usize, count: i32, out: usize): i32 {
  let bad = -1;
  for (let i = 0; i < count; i++) {
    const bits = <u32>load<u16>(source);
    if ((bits & 0x7f80) == 0x7f80 && bad < 0) bad = i;
    store<f64>(out, <f64>reinterpret<f32>(bits << 16));
    source += 2;
    out += 8;
  }
  return bad;
}

/** Widens f32 to f64. Returns the index of the first infinity or NaN, or -1. */
export function widenF32(source: usize, count: i32, out: usize): i32 {
  let bad = -1;
  for (let i = 0; i < count; i++) {
    const bits = load<u32>(source);
    if ((bits & 0x7f800000) == 0x7f800000 && bad < 0) bad = i;
    store<f64>(out, <f64>reinterpret<f32>(bits));
    source += 4;
    out += 8;
  }
  return bad;
}

/** f32(scale * value), to nearest even. Returns the index of the first result that is not finite, or -1. */
export function roundF32(source: usize, count: i32, scale: f64, out: usize): i32 {
  let bad = -1;
  for (let i = 0; i < count; i++) {
    const bits = reinterpret<u32>(<f32>(scale * load<f64>(source)));
    if ((bits & 0x7f800000) == 0x7f800000 && bad < 0) bad = i;
    store<u32>(out, bits);
    source += 8;
    out += 4;
  }
  return bad;
}

/** bf16(f32(scale * value)), each step to nearest even. Returns the index of the first result that is not finite, or -1. */
export function roundBf16(source: usize, count: i32, scale: f64, out: usize): i32 {
  let bad = -1;
  for (let i = 0; i < count; i++) {
    const bits = reinterpret<u32>(<f32>(scale * load<f64>(source)));
    const rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    if (((bits & 0x7f800000) == 0x7f800000 || (rounded & 0x7f80) == 0x7f80) && bad < 0) bad = i;
    store<u16>(out, <u16>rounded);
    source += 8;
    out += 2;
  }
  return bad;
}
