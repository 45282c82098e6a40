import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  projectionNames,
  withExact,
  type PrecisionMap,
  type ProfileId,
} from '../../contracts/profiles.ts';
import { chatRouteDefaults, type RouteLogits } from '../../contracts/route.ts';
import { createForkLauncher } from '../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import {
  createRouterClient,
  profilePrecisions,
  type CalibratedPrecision,
  type RouterClient,
  type SelectOptions,
} from '../../model-runtime/client.ts';
import { SafetensorsFile } from '../../model-runtime/weights/safetensors-file.ts';

const int8 = profilePrecisions['cpu-int8'];
const texts = [
  'What is 17 + 25?',
  'Prove that there are infinitely many primes.',
  'Écris un poème.',
];

let home = '';
/** What the calibrations of the client say, and what they were asked. */
let calibrated: PrecisionMap | null = null;
const asked: Parameters<CalibratedPrecision>[0][] = [];
let client: RouterClient;
let exact: readonly RouteLogits[];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'trinity-precision-'));
  client = createRouterClient({
    launcher: createForkLauncher({ env: process.env }),
    clock: createSystemClock(),
    routersDirectory: join(home, 'routers'),
    baseFolders: [],
    cacheDirectory: join(home, 'cache'),
    calibratedPrecision: (key) => {
      asked.push(key);
      return Promise.resolve(calibrated);
    },
  });
  exact = await routed('cpu-f32');
});
beforeEach(() => {
  calibrated = null;
  asked.length = 0;
});
afterAll(async () => {
  await client.close();
  rmSync(home, { recursive: true, force: true });
});

async function routed(profile: ProfileId, options: SelectOptions = {}): Promise<RouteLogits[]> {
  await client.select('demo', profile, options);
  const all: RouteLogits[] = [];
  for (const content of texts) {
    all.push(await client.route({ ...chatRouteDefaults, messages: [{ role: 'user', content }] }));
  }
  return all;
}

const logitsOf = (all: readonly RouteLogits[]): number[] =>
  all.flatMap(({ agentLogits, roleLogits }) => [...agentLogits, ...roleLogits]);

/** Root mean square of the difference to `cpu-f32`, relative to the logits' own. */
function drift(all: readonly RouteLogits[]): number {
  const reference = logitsOf(exact);
  const norm = (values: readonly number[]) => Math.hypot(...values);
  return norm(logitsOf(all).map((logit, i) => logit - reference[i]!)) / norm(reference);
}

const cacheFiles = (): string[] =>
  readdirSync(join(home, 'cache')).filter((name) => name.endsWith('.safetensors'));

describe('a quantised profile with projections kept in f32', () => {
  it('drifts less with each kind that is, and not at all with all of them', async () => {
    const kinds = [...projectionNames];
    const drifts: number[] = [];
    for (const count of [0, 3, 6, 7]) {
      const precision = withExact(
        { default: 'int8row', projections: {}, exceptions: {} },
        kinds.slice(0, count),
      );
      drifts.push(drift(await routed('cpu-int8', { precision, isTrial: true })));
    }
    expect(drifts[0]).toBeGreaterThan(1e-4);
    expect(drifts[1]).toBeLessThan(drifts[0]!);
    expect(drifts[2]).toBeLessThan(drifts[1]!);
    expect(drifts[3]).toBeLessThanOrEqual(1e-6);
  });

  it('reads those from the checkpoint and the others quantised, from a file of its own map', async () => {
    await routed('cpu-int8');
    const before = cacheFiles();
    await routed('cpu-int8', { precision: withExact(int8, ['v_proj']) });
    const [added, ...more] = cacheFiles().filter((name) => !before.includes(name));
    expect(more).toEqual([]);
    const file = await SafetensorsFile.open(join(home, 'cache', added!));
    const names = [...file.tensors.keys()].filter((name) => name.startsWith('model.layers.0.'));
    await file.close();
    expect(names).toContain('model.layers.0.self_attn.v_proj.weight');
    expect(names).not.toContain('model.layers.0.self_attn.v_proj.weight.int8');
    expect(names).toContain('model.layers.0.self_attn.k_proj.weight.int8');
    expect(names).not.toContain('model.layers.0.self_attn.k_proj.weight');
  });

  it('leaves one file behind, however many are tried, and none once a map is kept', async () => {
    await routed('cpu-int8');
    const kept = cacheFiles();
    for (const name of ['q_proj', 'up_proj'] as const) {
      await routed('cpu-int8', { precision: withExact(int8, [name]), isTrial: true });
      expect(cacheFiles()).toHaveLength(kept.length + 1);
    }
    await routed('cpu-int8');
    expect(cacheFiles()).toEqual(kept);
  });
});

describe('a calibrated precision', () => {
  it("takes the place of the profile's own, and the logits name it", async () => {
    const precision = withExact(int8, ['o_proj']);
    const own = await routed('cpu-int8');
    const wanted = await routed('cpu-int8', { precision });
    calibrated = precision;
    const found = await routed('cpu-int8');
    expect(logitsOf(found)).toEqual(logitsOf(wanted));
    expect(logitsOf(found)).not.toEqual(logitsOf(own));
    expect(found[0]).toMatchObject({ profile: 'cpu-int8', precision });
    expect(own[0]).not.toHaveProperty('precision');
    const { adapterRef } = exact[0]!;
    expect(asked).toEqual([
      { adapterRef, profile: 'cpu-int8' },
      { adapterRef, profile: 'cpu-int8' },
    ]);
  });

  it('is not asked for a profile without quantised weights, nor where a precision is given', async () => {
    calibrated = withExact(int8, ['o_proj']);
    const f32 = await routed('cpu-f32');
    expect(logitsOf(f32)).toEqual(logitsOf(exact));
    const own = await routed('cpu-int8', { precision: int8 });
    expect(own[0]).not.toHaveProperty('precision');
    expect(asked).toEqual([]);
  });

  it('that cannot be read stops the router with the reason', async () => {
    const failing = createRouterClient({
      launcher: createForkLauncher({ env: process.env }),
      clock: createSystemClock(),
      routersDirectory: join(home, 'routers'),
      baseFolders: [],
      cacheDirectory: join(home, 'cache'),
      calibratedPrecision: () => Promise.reject(new Error('calibrations.json is no such file.')),
    });
    await failing.select('demo', 'cpu-8bit');
    await expect(failing.load()).rejects.toThrow(/calibrations\.json is no such file/);
    await failing.close();
  });
});
