import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PrecisionMap } from '../../../contracts/profiles.ts';
import { FloorsStore, resolveFloors, type Calibration } from '../../../main/evals/floors-store.ts';

let folder = '';
let store: FloorsStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-floors-'));
  store = new FloorsStore(join(folder, 'calibrations.json'), (path, text) => writeFile(path, text));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const calibration: Calibration = {
  adapterRef: 'a'.repeat(64),
  profile: 'cpu-8bit',
  suiteHash: `v1:${'b'.repeat(64)}`,
  agent: 0.5,
  role: 1,
  calibratedAt: 0,
  cases: 10,
  agreeing: 9,
  rmsDrift: 0.1,
  rmsLogit: 10,
  refusals: [],
};
const precision: PrecisionMap = {
  default: 'block8',
  projections: { k_proj: 'f32' },
  exceptions: {},
};
const none = { agent: null, role: null };

describe('FloorsStore', () => {
  it('is empty before anything was calibrated', async () => {
    expect(await store.list()).toEqual([]);
  });
  it('replaces a calibration of the same router, profile and suite and keeps the others', async () => {
    await store.put(calibration);
    await store.put({ ...calibration, profile: 'webgpu' });
    await store.put({ ...calibration, agent: 0.7 });
    expect((await store.list()).map((entry) => [entry.profile, entry.agent])).toEqual([
      ['webgpu', 0.5],
      ['cpu-8bit', 0.7],
    ]);
  });
  it('knows the latest calibration of a router on a profile, whatever its suite', async () => {
    const later = { ...calibration, suiteHash: `v1:${'c'.repeat(64)}` as const, calibratedAt: 20 };
    await store.put(later);
    await store.put({ ...calibration, calibratedAt: 10 });
    await store.put({ ...calibration, profile: 'webgpu', calibratedAt: 30 });
    await store.put({ ...calibration, adapterRef: 'e'.repeat(64), calibratedAt: 30 });
    expect(await store.latest(calibration)).toEqual(later);
    expect(await store.latest({ ...calibration, profile: 'cpu-f32' })).toBe(null);
  });
  it('gives the precision of the latest calibration, and none where it was the profile as it is', async () => {
    expect(await store.precision(calibration)).toBe(null);
    await store.put({ ...calibration, precision, calibratedAt: 10 });
    expect(await store.precision(calibration)).toEqual(precision);
    const elsewhere = { ...calibration, suiteHash: `v1:${'c'.repeat(64)}` as const };
    await store.put({ ...elsewhere, calibratedAt: 20 });
    expect(await store.precision(calibration)).toBe(null);
  });
  it('reads a file that was written before calibrations had a precision', async () => {
    const file = { version: 1, calibrations: [calibration] };
    writeFileSync(join(folder, 'calibrations.json'), JSON.stringify(file));
    expect(await store.find(calibration)).toEqual(calibration);
    expect(await store.precision(calibration)).toBe(null);
  });
  it('refuses a file that is none of ours and leaves it alone', async () => {
    writeFileSync(join(folder, 'calibrations.json'), '{"version":2}');
    await expect(store.put(calibration)).rejects.toMatchObject({ code: 'floors_unreadable' });
  });
});

describe('resolveFloors', () => {
  it('prefers a flag, then exactly this calibration, then nothing', async () => {
    await store.put(calibration);
    expect(await resolveFloors({ agent: 0.1, role: 0 }, calibration, store)).toEqual({
      agent: 0.1,
      role: 0,
      source: 'flag',
    });
    expect(await resolveFloors({ agent: 0.1, role: null }, calibration, store)).toEqual({
      agent: 0.1,
      role: 1,
      source: 'flag_and_calibration',
    });
    expect(await resolveFloors(none, calibration, store)).toEqual({
      agent: 0.5,
      role: 1,
      source: 'calibration',
    });
    for (const other of [
      { ...calibration, profile: 'cpu-int8' as const },
      { ...calibration, adapterRef: 'c'.repeat(64) },
      { ...calibration, suiteHash: `v1:${'c'.repeat(64)}` },
    ]) {
      expect((await resolveFloors(none, other, store)).source).toBe('none');
    }
  });

  it('are those of exactly the precision that was measured', async () => {
    await store.put({ ...calibration, precision });
    const sourceWith = async (used: PrecisionMap | undefined) =>
      (await resolveFloors(none, { ...calibration, precision: used }, store)).source;
    expect(await sourceWith(precision)).toBe('calibration');
    expect(await sourceWith(undefined)).toBe('none');
    expect(await sourceWith({ ...precision, projections: {} })).toBe('none');
    await store.put(calibration);
    expect(await sourceWith(precision)).toBe('none');
  });
});
