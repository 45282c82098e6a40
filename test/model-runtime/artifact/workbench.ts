import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  exportRequestSchema,
  type BuildEvent,
  type ExportRequest,
} from '../../../contracts/build.ts';
import { machineOfThisEngine } from '../../../model-runtime/adaptation/kernel/engine.ts';
import {
  runTask,
  type TaskResults,
  type TaskRunner,
} from '../../../model-runtime/adaptation/tasks.ts';
import type { BuildTools } from '../../../model-runtime/artifact/build-tools.ts';
import { DigestCache } from '../../../model-runtime/artifact/digest-cache.ts';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
  type CheckpointShape,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';

/** A folder with a small base and a vector for its layer 2, and requests to build from them. */
export interface Workbench {
  readonly folder: string;
  readonly base: Checkpoint;
  readonly vectorPath: string;
  readonly vector: Float32Array;
  request(more?: Partial<ExportRequest>): ExportRequest;
  remove(): Promise<void>;
}

export async function openWorkbench(
  seed = 1,
  shape: CheckpointShape = smallShape,
): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'trinity-build-'));
  const base = await writeQwen3Checkpoint(join(folder, 'base'), shape, seed);
  // Building reads no tokenizer, but a base has one.
  await writeFile(join(base.folder, 'tokenizer.json'), '{}');
  const vector = vectorOf(5, shape);
  const vectorPath = await writeVector(folder, 'vector', vector);
  return {
    folder,
    base,
    vectorPath,
    vector,
    request: (more = {}) =>
      exportRequestSchema.parse({
        kind: 'export',
        base: base.folder,
        vector: vectorPath,
        out: join(folder, 'router'),
        ...more,
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Offsets near the published ones' size, and a head of 10 rows. */
export function vectorOf(
  seed: number,
  shape: CheckpointShape = smallShape,
): Float32Array<ArrayBuffer> {
  const next = gaussian(seed);
  return Float32Array.from(
    { length: offsetsOf(shape) + 10 * shape.hiddenSize },
    () => 0.1 * next(),
  );
}

/** Singular values of embedding, one layer's seven matrices and language head: the smaller side of each. */
function offsetsOf({
  hiddenSize,
  queryHeads,
  keyValueHeads,
  headDim,
  ...shape
}: CheckpointShape): number {
  const smaller = (side: number) => Math.min(hiddenSize, side);
  const [query, keyValue] = [smaller(queryHeads * headDim), smaller(keyValueHeads * headDim)];
  return (
    2 * smaller(shape.vocabSize) + 2 * query + 2 * keyValue + 3 * smaller(shape.feedForwardSize)
  );
}

export async function writeVector(
  folder: string,
  name: string,
  values: Float32Array,
): Promise<string> {
  const path = join(folder, `${name}.safetensors`);
  const tensor = {
    name: 'v',
    dtype: 'F32',
    shape: [values.length],
    data: bytesOf(values),
  } as const;
  await writeSafetensors(path, [tensor]);
  return path;
}

/** Runs tasks on this thread. `onTask` may count them or fail. */
export function inPlace(onTask: (kind: string) => void = () => undefined): TaskRunner {
  const machine = machineOfThisEngine();
  let last: Promise<unknown> = Promise.resolve();
  return {
    width: 2,
    run: (task, { signal, report } = {}) => {
      const run = last.then(() => {
        signal?.throwIfAborted();
        onTask(task.kind);
        return runTask(machine, task, report ?? (() => undefined));
      });
      last = run.catch(() => undefined);
      return run as Promise<TaskResults[typeof task.kind]>;
    },
  };
}

/** Tools of a build in a test; events are kept. */
export function toolsFor(
  more: Partial<BuildTools> = {},
): BuildTools & { readonly events: BuildEvent[] } {
  const events: BuildEvent[] = [];
  return {
    runner: inPlace(),
    digests: new DigestCache(null),
    decompositions: null,
    clock: { now: () => 0, monotonic: () => 0 },
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    ...more,
    events,
  };
}

/** Every file of a router directory but its build log: path to bytes. */
export async function contents(directory: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'build-log.jsonl');
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path.slice(directory.length + 1), await readFile(path)] as const),
    ),
  );
}
