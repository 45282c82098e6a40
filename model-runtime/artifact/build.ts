import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportRequest } from '../../contracts/build.ts';
import type { AdaptedTensor, RouterManifest } from '../../contracts/manifest.ts';
import type { Eigensystem } from '../adaptation/eigen.ts';
import { baseIdentity } from './base-checkpoint.ts';
import { prepareDirectory } from './build-directory.ts';
import { BuildError } from './build-error.ts';
import { finishBuild, isIntact } from './build-finish.ts';
import { carriedOver, changedInputs, draftOf, type ManifestDraft } from './build-inputs.ts';
import { openBuildLog, type BuildLog } from './build-log.ts';
import { partsFolder, readPart } from './build-part.ts';
import { announced, planBuild, type BuildPlan } from './build-plan.ts';
import { BuildProgress, workOf } from './build-progress.ts';
import { intoDirectory } from './build-target.ts';
import { buildTensor } from './build-tensor.ts';
import { eachOf, throwIfStopped, type BuildTools } from './build-tools.ts';
import { writeHead } from './head-file.ts';
import { writeManifest } from './manifest-file.ts';
import { readManifest } from './router-directory.ts';

/**
 * Builds a router directory from a base and an evolved vector, or goes on with one that was cut short. Equal
 * inputs give equal bytes, however often the build was stopped or killed and however many workers there are;
 * only the build log differs.
 *
 * @returns the manifest: `partial` when one tensor only was asked for; null after a dry run
 * @throws BuildError, AdaptationError, WeightsError; `inputs_changed` says what differs from the build that
 *   the directory holds
 */
export async function buildRouter(
  request: ExportRequest,
  tools: BuildTools,
): Promise<RouterManifest | null> {
  const startedAt = tools.clock.monotonic();
  const plan = await planBuild(request);
  const finish = (manifest: RouterManifest | null) => {
    tools.emit({ type: 'finished', ms: tools.clock.monotonic() - startedAt, manifest });
    return manifest;
  };
  if (request.dryRun) {
    await announceOnly(plan, tools);
    return finish(null);
  }
  return finish(
    await intoDirectory(request, tools, (directory) => buildInto(directory, plan, tools)),
  );
}

/** Says what a build would do, with what the directory holds taken for granted but for its damage. */
async function announceOnly(plan: BuildPlan, tools: BuildTools): Promise<void> {
  const { out, force } = plan.request;
  const found = force ? null : await readManifest(out).catch(() => null);
  const kept = new Set<string>();
  if (found !== null) {
    // The base is not hashed for a dry run: it is taken to be the one that the router was made from.
    const draft = draftOf(plan, found.base);
    refuseChange(out, found, draft);
    for (const { name, status } of await keptTensors(out, found, draft)) {
      if (status === 'complete') kept.add(name);
    }
  }
  const tensors = announced(plan, (name) => kept.has(name));
  tools.emit({ type: 'planned', out, tensors, resumes: found !== null });
}

async function buildInto(
  directory: string,
  plan: BuildPlan,
  tools: BuildTools,
): Promise<RouterManifest> {
  await prepareDirectory(directory);
  const log = await openBuildLog(directory, tools.clock);
  const progress = new BuildProgress(tools.clock, tools.emit);
  progress.expect([{ tensor: null, stage: 'digest', cost: digestCost(plan) }]);
  const asked = { repo: plan.request.baseRepo, revision: plan.request.baseRevision };
  const base = await baseIdentity(plan.base, tools.digests, asked);
  progress.report(null, 'digest', 1);
  throwIfStopped(tools.signal);

  const found = await readManifest(directory).catch(() => null);
  const draft = draftOf(plan, base);
  if (found !== null) refuseChange(directory, found, draft);
  const kept = await keptTensors(directory, found, draft);
  if (found?.status === 'complete' && kept.every(isSettled) && (await isIntact(directory, found))) {
    tools.emit({
      type: 'planned',
      out: directory,
      tensors: announced(plan, () => true),
      resumes: true,
    });
    await rm(join(directory, partsFolder), { recursive: true, force: true });
    return found;
  }
  return new Build(directory, plan, tools, log, progress, {
    ...draft,
    adaptation: { ...draft.adaptation, tensors: kept },
  }).run(found !== null);
}

/** Milliseconds that hashing the base may take. */
function digestCost({ base }: BuildPlan): number {
  return [...base.tensors.values()].reduce((sum, { start, end }) => sum + end - start, 0) / 400_000;
}

function refuseChange(directory: string, found: RouterManifest, draft: ManifestDraft): void {
  const changes = changedInputs(found, draft);
  if (changes.length === 0) return;
  throw new BuildError(
    'inputs_changed',
    `${directory} holds a router that was made from other inputs; changed: ${changes.join('; ')}. ` +
      'Choose another --out, or replace it with --force.',
  );
}

/** Tensors that are finished on disk, byte for byte, and those still to build. */
async function keptTensors(
  directory: string,
  found: RouterManifest | null,
  draft: ManifestDraft,
): Promise<AdaptedTensor[]> {
  const wanted = draft.adaptation.tensors;
  const carried = carriedOver(found?.adaptation.tensors ?? [], wanted);
  return Promise.all(
    carried.map(async (tensor, i) => {
      if (tensor.status !== 'complete') return tensor;
      return (await readPart(directory, tensor)) === null ? wanted[i]! : tensor;
    }),
  );
}

function isSettled(tensor: AdaptedTensor): boolean {
  return tensor.status !== 'pending';
}

/** One build of one directory, from its first manifest to its last. */
class Build {
  readonly #directory: string;
  readonly #plan: BuildPlan;
  readonly #tools: BuildTools;
  readonly #log: BuildLog;
  readonly #progress: BuildProgress;
  #draft: ManifestDraft;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(
    directory: string,
    plan: BuildPlan,
    tools: BuildTools,
    log: BuildLog,
    progress: BuildProgress,
    draft: ManifestDraft,
  ) {
    this.#directory = directory;
    this.#plan = plan;
    this.#tools = tools;
    this.#log = log;
    this.#progress = progress;
    this.#draft = draft;
  }

  async run(resumes: boolean): Promise<RouterManifest> {
    const isKept = (name: string) => this.#entry(name).status === 'complete';
    const tensors = announced(this.#plan, isKept);
    await this.#save();
    await this.#log({ event: 'started', resumes, pid: process.pid });
    this.#tools.emit({ type: 'planned', out: this.#directory, tensors, resumes });
    await this.#writeHead();
    const names = new Set(
      tensors.filter(({ action }) => action === 'build').map(({ name }) => name),
    );
    await this.#buildTensors(names);
    if (!this.#draft.adaptation.tensors.every(isSettled)) {
      await this.#log({ event: 'partial' });
      return writeManifest(this.#directory, this.#draft, this.#tools.files);
    }
    const manifest = await finishBuild(this.#directory, this.#draft, this.#tools.files);
    await this.#log({ event: 'finished', adapterRef: manifest.adapterRef });
    return manifest;
  }

  async #buildTensors(names: ReadonlySet<string>): Promise<void> {
    const parts = this.#plan.parts.filter(({ tensor }) => names.has(tensor.name));
    for (const { tensor, matrix } of parts) {
      const last = tensor.part === 'embedding' ? ([] as const) : (['apply'] as const);
      const stages = ['digest', 'gram', 'eigen', 'combine', ...last, 'write'] as const;
      this.#progress.expect(workOf(tensor.name, matrix, stages));
    }
    const shared = new Map<string, Promise<Eigensystem>>();
    const { runner, signal, clock, emit } = this.#tools;
    await eachOf(parts, runner.width, signal, async (part, signalOfPart) => {
      const { name } = part.tensor;
      const startedAt = clock.monotonic();
      const { entry, fromCache } = await buildTensor({
        directory: this.#directory,
        part,
        pending: this.#entry(name),
        tools: this.#tools,
        progress: this.#progress,
        signal: signalOfPart,
        shared,
      });
      await this.#save(entry);
      const ms = clock.monotonic() - startedAt;
      await this.#log({ event: 'tensor_finished', tensor: name, ms, fromCache });
      emit({ type: 'tensor_finished', tensor: name, c: entry.c, fromCache, ms });
    });
    throwIfStopped(signal);
  }

  async #writeHead(): Promise<void> {
    const { spec, values } = this.#plan.head;
    const head = { shape: spec.shape, values };
    this.#draft = {
      ...this.#draft,
      files: [await writeHead(this.#directory, head, this.#tools.files)],
    };
  }

  #entry(name: string): AdaptedTensor {
    return this.#draft.adaptation.tensors.find((tensor) => tensor.name === name)!;
  }

  /** Saves the manifest with a tensor's entry; saves follow one another. */
  async #save(entry?: AdaptedTensor): Promise<void> {
    const { adaptation } = this.#draft;
    const tensors = adaptation.tensors.map((tensor) =>
      tensor.name === entry?.name ? entry : tensor,
    );
    this.#draft = { ...this.#draft, adaptation: { ...adaptation, tensors } };
    const save = this.#saving.then(() =>
      writeManifest(this.#directory, this.#draft, this.#tools.files),
    );
    this.#saving = save.catch(() => undefined);
    await save;
  }
}
