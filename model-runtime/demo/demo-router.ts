import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileDigest, HeadSpec, RouterManifest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { routedText } from '../../contracts/transcript.ts';
import { hashFile } from '../artifact/digest-cache.ts';
import { adapterRefOf, routerFiles } from '../artifact/identity.ts';
import { buildRouterGraph } from '../graph/router-graph.ts';
import type { RequestContext } from '../process/process-server.ts';
import { cancelled, RuntimeError, toRuntimeError } from '../runtime-error.ts';
import { GraphRunner } from '../session/graph-runner.ts';
import { loadOnnxRuntime } from '../session/native.ts';
import { profiles } from '../session/profiles.ts';
import { loadTokenizer, type RouterTokenizer } from '../session/tokenizer.ts';
import { writeAtomically } from '../weights/atomic-file.ts';
import { createFolder } from '../weights/create-folder.ts';
import { readQwen3Config } from '../weights/qwen3-config.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { bytesOf, writeSafetensors } from '../weights/safetensors-writer.ts';
import { demoCheckpoint, demoConfig, demoShape } from './demo-checkpoint.ts';
import { demoRevision, hasDemoRouter } from './demo-revision.ts';
import { demoTranscripts } from './demo-transcripts.ts';
import { ridge } from './ridge.ts';
import { bundledTokenizerPath } from './tokenizer-file.ts';

/** Agents of the demo, as many as the published router has. */
export const demoAgentCount = 7;
const ridgeLambda = 0.5;
/** Regression targets are 1 and -1; logits are easier to read at this size. */
const logitScale = 8;

/**
 * Builds the demo router where it is not there: a small random checkpoint with Qwen3's tokenizer and a head
 * solved by ridge regression on bundled transcripts. Takes seconds and blocks the process meanwhile. The
 * directory appears whole or not at all; equal builds give equal bytes.
 *
 * @throws RuntimeError `build_failed`, `native_unavailable`, `cancelled`
 */
export async function ensureDemoRouter(directory: string, context: RequestContext): Promise<void> {
  if (await hasDemoRouter(directory)) return;
  const draft = join(dirname(directory), `.${basename(directory)}-${process.pid}-${Date.now()}`);
  try {
    createFolder(draft);
    await buildInto(draft, context);
    await swapIn(draft, directory);
  } catch (error) {
    throw toRuntimeError(error, 'build_failed', 'The demo router could not be built.');
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function buildInto(folder: string, context: RequestContext): Promise<void> {
  const step = async (done: number): Promise<void> => {
    context.report(done, 4);
    await context.breathe();
    if (context.signal.aborted) throw cancelled();
  };
  await step(0);
  const tokenizer = await loadTokenizer(bundledTokenizerPath());
  await copyFile(bundledTokenizerPath(), join(folder, 'tokenizer.json'));
  // A copy keeps the mode of the package's file, which everybody may read.
  await chmod(join(folder, 'tokenizer.json'), 0o600);
  await writeText(join(folder, 'config.json'), `${JSON.stringify(demoConfig, null, 2)}\n`);
  await step(1);
  await writeSafetensors(join(folder, 'model.safetensors'), demoCheckpoint(tokenizer), {
    metadata: { format: 'pt' },
  });
  await step(2);
  const head = await solveHead(folder, tokenizer);
  await step(3);
  const shape = [demoAgentCount + roleNames.length, demoShape.hidden] as const;
  await writeSafetensors(join(folder, routerFiles.head), [
    { name: 'trinity_router_head', dtype: 'F32', shape, data: bytesOf(head) },
  ]);
  const manifest = await manifestOf(folder, { kind: 'linear', shape: [...shape] });
  await writeText(join(folder, routerFiles.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  await step(4);
}

/** The head's weights [agents + roles, hidden], row-major. */
async function solveHead(folder: string, tokenizer: RouterTokenizer): Promise<Float32Array> {
  const hidden = await hiddenStates(folder, tokenizer);
  const targets = demoTranscripts.map(({ agent, role }) => [
    ...Array.from({ length: demoAgentCount }, (_, index) => (index === agent ? 1 : -1)),
    ...roleNames.map((name) => (name === role ? 1 : -1)),
  ]);
  return Float32Array.from(ridge(hidden, targets, ridgeLambda).flat(), (w) => w * logitScale);
}

/** The hidden state the head reads, for each bundled transcript: an identity in the head's place gives it. */
async function hiddenStates(folder: string, tokenizer: RouterTokenizer): Promise<number[][]> {
  const config = await readQwen3Config(join(folder, 'config.json'));
  const size = config.hiddenSize;
  const identity = Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) ? 0 : 1));
  const weights = await SafetensorsFile.open(join(folder, 'model.safetensors'));
  try {
    const profile = profiles['cpu-f32'];
    const graph = await buildRouterGraph({
      config,
      weights: [weights],
      head: { spec: { kind: 'linear', shape: [size, size] }, weights: identity },
      precision: profile.precision,
    });
    const ort = await loadOnnxRuntime();
    const runner = await GraphRunner.create(ort, graph, config, { profile, threads: 1 });
    try {
      const states: number[][] = [];
      for (const { messages } of demoTranscripts) {
        const ids = tokenizer.encode(routedText(messages), 'typed').slice(0, -1);
        const want = { logits: true, state: false };
        const { logits } = await runner.run(ids, runner.emptyState(), want);
        states.push(logits ?? []);
      }
      return states;
    } finally {
      await runner.close();
    }
  } finally {
    await weights.close();
  }
}

async function manifestOf(folder: string, head: HeadSpec): Promise<RouterManifest> {
  const baseFiles = ['model.safetensors', 'config.json', 'tokenizer.json'];
  const parts = {
    base: {
      repo: 'trinity-demo',
      revision: demoRevision,
      files: await Promise.all(baseFiles.map((name) => digestOf(folder, name))),
    },
    head,
    adaptation: { embedding: null, vectorSha256: null, algorithm: 'none', tensors: [] },
    files: [await digestOf(folder, routerFiles.head)],
  };
  return {
    format: 'trinity-router',
    version: 1,
    status: 'complete',
    adapterRef: adapterRefOf(parts),
    kind: 'demo',
    ...parts,
    agents: {
      count: demoAgentCount,
      labels: Array.from({ length: demoAgentCount }, (_, index) => `demo agent ${index}`),
    },
    roles: [...roleNames],
  };
}

async function digestOf(folder: string, path: string): Promise<FileDigest> {
  const file = join(folder, path);
  return { path, bytes: (await stat(file)).size, sha256: await hashFile(file) };
}

async function writeText(path: string, text: string): Promise<void> {
  await writeAtomically(path, (sink) => sink(new TextEncoder().encode(text)));
}

/** Puts a finished draft in its place. Another process may have been faster: its demo is as good. */
async function swapIn(draft: string, directory: string): Promise<void> {
  if (await hasDemoRouter(directory)) return;
  const old = `${draft}-old`;
  const hadOld = await rename(directory, old).then(
    () => true,
    () => false,
  );
  await rename(draft, directory).catch(async (error: unknown) => {
    if (await hasDemoRouter(directory)) return;
    if (hadOld) await rename(old, directory);
    throw new RuntimeError('build_failed', `${directory} is in the way.`, { cause: error });
  });
  await rm(old, { recursive: true, force: true });
}
