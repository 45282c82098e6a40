import type { ProfileId } from '../contracts/profiles.ts';
import { fullSizeRouter } from './full-size-router.ts';
import type { BenchBar, BenchContext, BenchLane, BenchReport, BenchRow } from './lane.ts';
import { LoadedRouter } from './loaded-router.ts';
import { interleaved, median, medianRatio } from './samples.ts';

const profiles = ['cpu-f32', 'cpu-8bit', 'cpu-int8'] as const satisfies ProfileId[];
type Profile = (typeof profiles)[number];

const lengths = [16, 32, 64, 128, 512];
const gigabyte = 1e9;
/** Keys and values of one token: 28 layers, two of 8 heads of 128 numbers of 4 bytes. */
const keyValueBytes = 28 * 2 * 8 * 128 * 4;
const longTokens = 2016;

/** The router on a full-size model with random weights: load, memory, latency, prefix reuse, ratios. */
export const routerLane: BenchLane = {
  name: 'router',
  about: 'load, memory, latency and prefix reuse of a full-size router on each CPU profile',
  run: measureRouter,
};

async function measureRouter(context: BenchContext): Promise<BenchReport> {
  const directory = await fullSizeRouter(context.workFolder, context.say);
  const routers = new Map<Profile, LoadedRouter>();
  try {
    for (const profile of profiles) {
      context.say(`loading ${profile}`);
      routers.set(profile, await LoadedRouter.open(directory, profile, context.workFolder));
    }
    const memory = await measureMemory(routers);
    const latency = await measureLatency(routers, context);
    const reuse = await measureReuse(routers, context);
    const long = await measureLong(routers, context);
    return {
      rows: [...memory.rows, ...latency.rows, ...reuse.rows, ...long.rows],
      bars: [...memory.bars, ...latency.bars, ...reuse.bars, ...long.bars],
    };
  } finally {
    for (const router of routers.values()) await router.close();
  }
}

type Routers = ReadonlyMap<Profile, LoadedRouter>;

async function measureMemory(routers: Routers): Promise<BenchReport> {
  const limits: Partial<Record<Profile, number>> = { 'cpu-f32': 2.1, 'cpu-8bit': 0.8 };
  const rows: BenchRow[] = [];
  const bars: BenchBar[] = [];
  for (const [profile, router] of routers) {
    const afterLoad = router.residentBytes() / gigabyte;
    await router.time(128);
    const afterRoute = router.residentBytes() / gigabyte;
    rows.push({
      name: profile,
      values: {
        'load ms': router.loadMs,
        'GB after load': afterLoad,
        'GB after 128 tokens': afterRoute,
      },
    });
    const limit = limits[profile];
    if (limit !== undefined) {
      bars.push(bar(`${profile}: GB after a route of 128 tokens`, afterRoute, limit));
    }
  }
  return { rows, bars };
}

async function measureLatency(routers: Routers, context: BenchContext): Promise<BenchReport> {
  const rows: BenchRow[] = [];
  const bars: BenchBar[] = [];
  for (const tokens of lengths) {
    context.say(`timing ${tokens} tokens`);
    const rounds = tokens === 512 ? Math.ceil(context.repetitions / 2) : context.repetitions;
    const samples = await interleaved([...routers.keys()], rounds, (profile) =>
      routers.get(profile)!.time(tokens),
    );
    const exact = samples.get('cpu-f32')!;
    const ratio = (profile: Profile): number => medianRatio(samples.get(profile)!, exact);
    rows.push({
      name: `${tokens} tokens`,
      values: {
        ...Object.fromEntries([...samples].map(([name, all]) => [`${name} ms`, median(all)])),
        '8bit / f32': ratio('cpu-8bit'),
        'int8 / f32': ratio('cpu-int8'),
      },
    });
    if (tokens <= 128) bars.push(bar(`${tokens} tokens: int8 / f32`, ratio('cpu-int8'), 0.7));
  }
  return { rows, bars };
}

async function measureReuse(routers: Routers, context: BenchContext): Promise<BenchReport> {
  const rows: BenchRow[] = [];
  const bars: BenchBar[] = [];
  for (const [known, limit] of [
    [256, 1 / 5],
    [1984, 1 / 20],
  ] as const) {
    for (const [profile, router] of routers) {
      context.say(`timing 32 tokens after ${known} on ${profile}`);
      const cacheKey = `${known}`;
      await router.time(known, { cacheKey, cache: 'readwrite' });
      const cases = ['cold', 'warm'] as const;
      const rounds = known === 256 ? context.repetitions : 2;
      const samples = await interleaved(cases, rounds, (kind) =>
        // Reading only, so that the entry stays at the known tokens.
        router.time(known + 32, kind === 'cold' ? {} : { cacheKey, cache: 'read' }),
      );
      const [cold, warm] = cases.map((kind) => samples.get(kind)!) as [number[], number[]];
      const values = { 'cold ms': median(cold), 'warm ms': median(warm) };
      rows.push({
        name: `32 after ${known}, ${profile}`,
        values: { ...values, 'warm / cold': medianRatio(warm, cold) },
      });
      if (profile === 'cpu-f32') {
        bars.push(bar(`32 after ${known}: warm / cold`, medianRatio(warm, cold), limit));
      }
    }
  }
  return { rows, bars };
}

/** In processes that have run nothing else: the allocator keeps what other runs have left. */
async function measureLong(routers: Routers, context: BenchContext): Promise<BenchReport> {
  const directory = await fullSizeRouter(context.workFolder, context.say);
  const rows: BenchRow[] = [];
  const bars: BenchBar[] = [];
  for (const profile of routers.keys()) {
    context.say(`measuring ${longTokens} tokens on ${profile}`);
    const router = await LoadedRouter.open(directory, profile, context.workFolder);
    try {
      const afterLoad = router.residentBytes();
      const ms = await router.time(longTokens, { cacheKey: 'long', cache: 'readwrite' });
      const after = router.residentBytes();
      const allowed = afterLoad + 3 * longTokens * keyValueBytes + 200e6;
      rows.push({
        name: `${longTokens} tokens, ${profile}`,
        values: { ms, 'GB after load': afterLoad / gigabyte, 'GB after': after / gigabyte },
      });
      const name = `${profile}: GB after ${longTokens} tokens`;
      bars.push(bar(name, after / gigabyte, allowed / gigabyte));
    } finally {
      await router.close();
    }
  }
  return { rows, bars };
}

function bar(name: string, value: number, limit: number): BenchBar {
  return { name, value, limit, waived: null };
}
