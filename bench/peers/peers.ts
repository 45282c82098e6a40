import { setTimeout } from 'node:timers/promises';
import type { ProfileId } from '../../contracts/profiles.ts';
import { fullSizeConfig } from '../../test/fixtures/checkpoints/full-size-checkpoint.ts';
import { cosine } from '../../test/fixtures/qwen3-reference.ts';
import { fullSizeRouter } from '../full-size-router.ts';
import type { BenchBar, BenchContext, BenchReport, BenchRow } from '../lane.ts';
import { LoadedRouter } from '../loaded-router.ts';
import { interleaved, median, medianRatio } from '../samples.ts';
import { ggufOf, smallVocabulary } from './convert.ts';
import { hiddenVectors } from './hidden-vectors.ts';
import { openLlama, type LlamaRouter } from './llama.ts';

const profiles = ['cpu-f32', 'cpu-8bit', 'cpu-int8'] as const satisfies ProfileId[];
const lengths = [16, 32, 64, 128];

/** llama.cpp's threads spin for a while after a run and would take the cores from the next subject. */
const restMs = 400;

/** Files that llama.cpp runs. The last one has so few words that its language head costs nothing. */
const peers = ['llama.cpp Q8_0', 'llama.cpp BF16', 'llama.cpp Q8_0, small vocabulary'] as const;
type Subject = (typeof profiles)[number] | (typeof peers)[number];

/**
 * The router beside llama.cpp on the same random weights, in one interleaved run on two threads each: latency
 * by transcript length, cosines of the hidden vector against our f32 graph, and whether llama.cpp computed
 * its language head, which a router does not need.
 */
export async function measurePeers(context: BenchContext): Promise<BenchReport> {
  const directory = await fullSizeRouter(context.workFolder, context.say);
  context.say('converting the weights (once)');
  const paths = [
    await ggufOf(directory, fullSizeConfig, 'Q8_0'),
    await ggufOf(directory, fullSizeConfig, 'BF16'),
    await ggufOf(directory, fullSizeConfig, 'Q8_0', smallVocabulary),
  ];
  const llama = await openLlama();
  context.say(`llama.cpp: ${llama.systemInfo}`);
  const routers = new Map<Subject, LoadedRouter>();
  const models = new Map<Subject, LlamaRouter>();
  try {
    for (const [index, name] of peers.entries()) models.set(name, await llama.load(paths[index]!));
    const cosines = await measureCosines(directory, models, context);
    for (const profile of profiles) {
      context.say(`loading ${profile}`);
      routers.set(profile, await LoadedRouter.open(directory, profile, context.workFolder));
    }
    const latency = await measureLatency(routers, models, context);
    return { rows: [...cosines, ...latency.rows], bars: latency.bars };
  } finally {
    for (const router of routers.values()) await router.close();
    for (const model of models.values()) await model.close();
  }
}

async function measureLatency(
  routers: ReadonlyMap<Subject, LoadedRouter>,
  models: ReadonlyMap<Subject, LlamaRouter>,
  context: BenchContext,
): Promise<BenchReport> {
  const rows: BenchRow[] = [];
  const bars: BenchBar[] = [];
  const headRatios: number[] = [];
  const subjects: readonly Subject[] = [...profiles, ...peers];
  for (const tokens of lengths) {
    context.say(`timing ${tokens} tokens`);
    const samples = await interleaved(subjects, context.repetitions, async (subject) => {
      await setTimeout(restMs);
      const router = routers.get(subject);
      if (router !== undefined) return router.time(tokens);
      const from = performance.now();
      await models.get(subject)!.hidden(idsOf(tokens));
      return performance.now() - from;
    });
    const q8 = samples.get('llama.cpp Q8_0')!;
    const ratio = (subject: Subject): number => medianRatio(samples.get(subject)!, q8);
    const headless = samples.get('llama.cpp Q8_0, small vocabulary')!;
    headRatios.push(medianRatio(q8, headless));
    rows.push({
      name: `${tokens} tokens, ms`,
      values: Object.fromEntries(subjects.map((name) => [name, median(samples.get(name)!)])),
    });
    rows.push({
      name: `${tokens} tokens, over Q8_0`,
      values: Object.fromEntries(subjects.map((name) => [name, ratio(name)])),
    });
    rows.push({
      name: `${tokens} tokens, over Q8_0 without a head`,
      values: Object.fromEntries(
        subjects.map((name) => [name, medianRatio(samples.get(name)!, headless)]),
      ),
    });
    const name = `${tokens} tokens: `;
    bars.push({ name: `${name}int8 / Q8_0`, value: ratio('cpu-int8'), limit: 0.6, waived: null });
    const limit = { 32: 1.1, 64: 1, 128: 1 }[tokens];
    if (limit !== undefined) {
      bars.push({ name: `${name}f32 / Q8_0`, value: ratio('cpu-f32'), limit, waived: null });
    }
  }
  const saved = median(headRatios);
  const verdict = saved > 1.1 ? 'yes' : 'not to be seen';
  rows.push({
    name: 'language head',
    values: { 'full / small': saved, 'was it computed': verdict },
  });
  return { rows, bars };
}

async function measureCosines(
  directory: string,
  models: ReadonlyMap<Subject, LlamaRouter>,
  context: BenchContext,
): Promise<BenchRow[]> {
  context.say('comparing hidden vectors');
  const rows: BenchRow[] = [];
  for (const tokens of [16, 128]) {
    const ids = idsOf(tokens);
    const ours = await hiddenVectors(directory, context.workFolder, ids);
    const reference = ours.get('cpu-f32')!;
    const theirs: [string, ArrayLike<number>][] = [];
    for (const [name, model] of models) theirs.push([name, await model.hidden(ids)]);
    const entries = [...ours, ...theirs].map(([name, vector]) => [name, cosine(vector, reference)]);
    rows.push({
      name: `${tokens} tokens, cosine with f32`,
      values: Object.fromEntries(entries.map(([name, value]) => [name, Number(value).toFixed(5)])),
    });
  }
  return rows;
}

/** Ids that both vocabularies have. */
function idsOf(tokens: number): number[] {
  return Array.from({ length: tokens }, (_, i) => (i * 7919 + 13) % smallVocabulary);
}
