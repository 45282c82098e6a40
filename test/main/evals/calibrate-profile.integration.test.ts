import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  exactProjections,
  withExact,
  type ProfileId,
  type ProjectionName,
} from '../../../contracts/profiles.ts';
import { calibrateProfile } from '../../../main/evals/calibrate-profile.ts';
import { FloorsStore, type Calibration } from '../../../main/evals/floors-store.ts';
import { profilePrecisions } from '../../../model-runtime/client.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { scriptedRouter } from './scripted-router.ts';

let folder = '';
let store: FloorsStore;
let suitePath = '';
/** Each profile that was loaded: what was in f32, and whether it was a trial. */
let loaded: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-calibrate-'));
  suitePath = join(folder, 'suite.jsonl');
  writeFileSync(suitePath, '{"id":"a","prompt":"Hello"}\n');
  store = new FloorsStore(join(folder, 'calibrations.json'), (path, text) => writeFile(path, text));
  loaded = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Calibrates a profile that decides like `cpu-f32` only with these projections in f32. */
function calibration(
  profile: ProfileId,
  needed: readonly ProjectionName[] | 'nothing helps',
  options: { suite?: string; mayKeepExact?: boolean } = {},
): Promise<Calibration> {
  const own = exactProjections(profilePrecisions[profile]);
  return calibrateProfile({
    suitePath,
    key: {
      adapterRef: 'a'.repeat(64),
      profile,
      suiteHash: `v1:${(options.suite ?? 'b').repeat(64)}`,
    },
    store,
    clock: new ManualClock(),
    signal: new AbortController().signal,
    onCase: () => undefined,
    mayKeepExact: options.mayKeepExact ?? true,
    withProfile: (wanted, work, { precision, isTrial }) => {
      const exact = exactProjections(precision);
      const more = exact.filter((name) => !own.includes(name));
      if (wanted === profile) loaded.push(`${more.join(' ')}${isTrial ? ' ?' : ''}`);
      const missing =
        needed === 'nothing helps' ? 1 : needed.filter((name) => !exact.includes(name)).length;
      const first = wanted === profile && missing > 0 ? 1 - missing : 9;
      const route = { agentLogits: [first, 4, 0], roleLogits: [9, 0, 0], tokenCount: 4 };
      return work(scriptedRouter(new Map([['user: Hello', route]])));
    },
  });
}

describe('calibrateProfile', () => {
  it('leaves a profile as it is that decides like cpu-f32', async () => {
    expect(await calibration('cpu-8bit', [])).not.toHaveProperty('precision');
    expect(loaded).toEqual(['']);
  });

  it('stores the projections that have a refused profile accepted, with the floors they gave', async () => {
    const result = await calibration('cpu-int8', ['gate_proj']);
    const precision = withExact(profilePrecisions['cpu-int8'], ['gate_proj']);
    expect(result).toMatchObject({ agreeing: 1, agent: 4, rmsDrift: 0, refusals: [], precision });
    expect(await store.list()).toEqual([result]);
    const trials = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj'];
    expect(loaded).toEqual(['', ...trials.map((name) => `${name} ?`), 'gate_proj']);
  });

  it('joins projections where no single one suffices', async () => {
    const { precision } = await calibration('cpu-8bit', ['v_proj', 'up_proj']);
    expect(exactProjections(precision!)).toEqual(['v_proj', 'up_proj']);
    expect(loaded.slice(-2)).toEqual(['v_proj up_proj ?', 'v_proj up_proj']);
  });

  it('refuses by name a profile that nothing helps, as it is, after 13 trials', async () => {
    const result = await calibration('cpu-8bit', 'nothing helps');
    expect(result.refusals.join()).toContain('a: slot 0 became 1');
    expect(result).not.toHaveProperty('precision');
    expect(loaded.filter((name) => name.endsWith('?'))).toHaveLength(13);
    expect(loaded.at(-1)).toBe('');
  });

  it('keeps in f32 what another suite of the router needed', async () => {
    await calibration('cpu-8bit', ['k_proj']);
    loaded = [];
    const other = await calibration('cpu-8bit', ['k_proj', 'o_proj'], { suite: 'c' });
    expect(exactProjections(other.precision!)).toEqual(['k_proj', 'o_proj']);
    expect(loaded[0]).toBe('k_proj');
    loaded = [];
    await calibration('cpu-8bit', [], { suite: 'd' });
    expect(loaded).toEqual(['k_proj o_proj']);
  });

  it('tries nothing for a router that could not read what is found, nor on cpu-f32', async () => {
    const refused = await calibration('cpu-8bit', ['k_proj'], { mayKeepExact: false });
    expect(refused.refusals).not.toEqual([]);
    expect(loaded).toEqual(['']);
    expect((await calibration('cpu-f32', ['k_proj'])).refusals).toEqual([]);
  });
});
