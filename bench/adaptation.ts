import { spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesOf, writeSafetensors } from '../model-runtime/weights/safetensors-writer.ts';
import { gaussian } from '../test/fixtures/checkpoints/gaussian.ts';
import type { BuildMeasurement } from './adaptation-build.ts';
import { fullSizeRouter } from './full-size-router.ts';
import type { BenchBar, BenchContext, BenchLane, BenchReport, BenchRow } from './lane.ts';
import { median, medianRatio } from './samples.ts';

type Measurement = BuildMeasurement & { readonly differentShare?: number | null };

const rounds = 3;
const layer = 26;
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * A full-size export: the eight tensors that routing needs, from random weights of Qwen3-0.6B's shape,
 * against numpy's Gram matrix and eigh on the same tensors, and SciPy's thin SVD in f32 for comparison. Our
 * seconds are those of the whole process: start, hashes of the 1.2 GB base, all files written.
 */
export const adaptationLane: BenchLane = {
  name: 'adaptation',
  about: 'building the router from base and vector, against numpy and SciPy',
  run: measure,
};

async function measure(context: BenchContext): Promise<BenchReport> {
  const base = await fullSizeRouter(context.workFolder, context.say);
  const vector = join(context.workFolder, 'random-vector.safetensors');
  await writeVector(vector);
  const out = join(context.workFolder, 'adapted-router');
  const hasPeers = spawnSync('python3', ['-c', 'import numpy, scipy.linalg']).status === 0;
  if (!hasPeers) context.say('python3-numpy and python3-scipy are not installed: no peers');

  const weights = join(base, 'model.safetensors');
  const peer = (route: string): Promise<Measurement> => {
    const adapted = join(out, 'adapted.safetensors');
    const args = [file('./adaptation-numpy.py'), route, weights, vector, String(layer), adapted];
    return run('python3', args);
  };
  const ours: Measurement[] = [];
  const numpy: Measurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await rm(out, { recursive: true, force: true });
    const request = JSON.stringify({ kind: 'export', base, vector, out });
    ours.push(await run(process.execPath, [file('./adaptation-build.ts'), request]));
    context.say(`round ${round + 1}: ${ours.at(-1)!.cpuSeconds.toFixed(1)} CPU-s`);
    if (hasPeers) numpy.push(await peer('gram'));
  }
  const rows = [row('our export, whole process', ours)];
  if (hasPeers) {
    rows.push(row('numpy, f64 Gram and eigh', numpy));
    rows.push(row('SciPy, thin SVD in f32 (gesdd)', [await peer('svd')]));
  }
  await rm(out, { recursive: true, force: true });
  return { rows, bars: bars(ours, numpy) };
}

function bars(ours: readonly Measurement[], numpy: readonly Measurement[]): BenchBar[] {
  const seconds = (list: readonly Measurement[]) => list.map(({ cpuSeconds }) => cpuSeconds);
  const waived = numpy.length === 0 ? 'python3-numpy and python3-scipy are not installed' : null;
  const different = Math.max(...numpy.map(({ differentShare }) => differentShare ?? Number.NaN));
  return [
    {
      name: "CPU-seconds of the export over numpy's, median of three",
      value: waived === null ? medianRatio(seconds(ours), seconds(numpy)) : Number.NaN,
      limit: 2.5,
      waived,
    },
    {
      name: 'largest resident size of the export, MB',
      value: Math.max(...ours.map(({ maxRssBytes }) => maxRssBytes)) / 1e6,
      limit: 500,
      waived: null,
    },
    {
      name: "share of the layers' bf16 values that differ from numpy's in f64",
      value: waived === null ? different : Number.NaN,
      limit: 1e-4,
      waived,
    },
  ];
}

function row(name: string, list: readonly Measurement[]): BenchRow {
  return {
    name,
    values: {
      'CPU-s': median(list.map(({ cpuSeconds }) => cpuSeconds)),
      'wall s': median(list.map(({ wallSeconds }) => wallSeconds)),
      'RSS MB': Math.max(...list.map(({ maxRssBytes }) => maxRssBytes)) / 1e6,
      runs: list.length,
    },
  };
}

async function writeVector(path: string): Promise<void> {
  const next = gaussian(11);
  const values = Float32Array.from({ length: 9 * 1024 + 10 * 1024 }, () => 0.1 * next());
  const tensor = {
    name: 'trinity_router_es_vector',
    dtype: 'F32',
    shape: [values.length],
  } as const;
  await writeSafetensors(path, [{ ...tensor, data: bytesOf(values) }]);
}

function run(program: string, args: readonly string[]): Promise<Measurement> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(stdout) as Measurement);
      else reject(new Error(`${program} ${args[0] ?? ''} failed: ${stderr}`));
    });
  });
}
