import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { profileIds, type ProfileId } from '../../../../contracts/profiles.ts';
import type { RouterManifest, RouterSummary } from '../../../../contracts/manifest.ts';
import { readManifest } from '../../../../model-runtime/client.ts';
import { aboutProgram } from '../../../app-about.ts';
import type { EvaluationIdentity } from '../../../evals/evaluation.ts';
import { runSelftest, type SelftestResult } from '../../../evals/selftest.ts';
import { readSnapshot, type Snapshot } from '../../../evals/snapshot.ts';
import { readSuite, type WholeSuite } from '../../../evals/suite.ts';
import { referenceSuite } from '../../../evals/upstream/reference.ts';
import type { DataLayout } from '../../data-layout.ts';
import { openLayout, openRuntime, withRouter, type GlobalOptions } from '../active-router.ts';
import { CommandFailed, unlessCancelled, UsageError, type TerminalContext } from '../context.ts';
import { identify } from '../evals/machine.ts';
import { plainLine } from '../evals/plain-line.ts';
import { paint, styleOf, type TerminalStyle } from '../style.ts';

interface SelftestOptions extends GlobalOptions {
  readonly router?: string;
  readonly profile: ProfileId;
  readonly base?: string;
  readonly cases?: string;
  readonly snapshot?: string;
  readonly json?: boolean;
}

/** `trinity selftest`: the parity gate on this machine, for every built router or the one named. */
export function selftestCommand(context: TerminalContext): Command {
  return new Command('selftest')
    .description('Check that the built router decides like the published reference, case by case.')
    .option(
      '--router <name>',
      'an id of `trinity models list`, or a path (default: every built router)',
    )
    .addOption(
      new Option('--profile <id>', 'execution profile').choices(profileIds).default('cpu-f32'),
    )
    .option('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .option('--cases <file>', 'the reference cases (default: those of the model library)')
    .option('--snapshot <file>', 'the reference snapshot (default: that of the model library)')
    .option('--json', 'print one JSON object')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<SelftestOptions>();
      await unlessCancelled(context, () => selftest(context, options));
    });
}

async function selftest(context: TerminalContext, options: SelftestOptions): Promise<void> {
  const layout = openLayout(context, options);
  const reference = await readReference(context, options, layout);
  const versions = versionsOf(layout);
  const results: RouterResult[] = [];
  for (const router of await routersToTest(context, options, layout)) {
    results.push(await testRouter(context, { ...options, router }, reference, versions));
  }
  if (options.json === true) context.stdout.write(`${JSON.stringify(results)}\n`);
  else if (results.length > 1) {
    for (const line of overviewLines(results)) context.stdout.write(`${line}\n`);
  }
  if (!results.every((result) => result.isPassed)) throw new CommandFailed('');
}

interface Versions {
  readonly trinity: string;
  readonly onnxRuntime: string;
  readonly node: string;
}

function versionsOf(layout: DataLayout): Versions {
  const { version, onnxRuntime, node } = aboutProgram('terminal', layout.dataDirectory);
  return { trinity: version, onnxRuntime, node };
}

interface Reference extends WholeSuite {
  readonly snapshot: Snapshot;
}

async function readReference(
  context: TerminalContext,
  options: SelftestOptions,
  layout: DataLayout,
): Promise<Reference> {
  const folder = join(layout.models, 'reference');
  const cases = options.cases ? resolve(context.cwd, options.cases) : join(folder, 'cases.json');
  const snapshot = options.snapshot
    ? resolve(context.cwd, options.snapshot)
    : join(folder, 'snapshot.json');
  for (const path of [cases, snapshot]) {
    if (!existsSync(path)) {
      throw new UsageError(
        `the reference suite is not at ${path}: give --cases and --snapshot with ` +
          `${referenceSuite.cases.path} and ${referenceSuite.snapshot.path} of ` +
          `${referenceSuite.repository} at ${referenceSuite.commit}`,
      );
    }
  }
  await warnOfAnother(context, cases, referenceSuite.cases.sha256);
  await warnOfAnother(context, snapshot, referenceSuite.snapshot.sha256);
  return {
    ...(await readSuite(cases)),
    snapshot: await readSnapshot(snapshot),
  };
}

async function warnOfAnother(
  context: TerminalContext,
  path: string,
  published: string,
): Promise<void> {
  const digest = await fileDigest(path);
  if (digest === published) return;
  context.stderr.write(`note: ${path} is not the published file (sha256 ${digest})\n`);
}

async function routersToTest(
  context: TerminalContext,
  options: SelftestOptions,
  layout: DataLayout,
): Promise<readonly string[]> {
  if (options.router !== undefined) return [options.router];
  const runtime = openRuntime(context, layout, options);
  try {
    const built = (await runtime.list()).filter(isTestable).map((router) => router.id);
    if (built.length > 0) return built;
  } finally {
    await runtime.close();
  }
  throw new CommandFailed(
    'no router has been built from the published vector yet: `trinity export` builds one',
  );
}

function isTestable(router: RouterSummary): boolean {
  return router.status === 'complete' && (router.kind === 'built' || router.kind === 'imported');
}

interface RouterResult extends SelftestResult, EvaluationIdentity {
  readonly router: string;
  readonly kind: RouterManifest['kind'];
  /** Which reading of the tied embedding the router was built with; null where nothing is adapted. */
  readonly embedding: RouterManifest['adaptation']['embedding'];
  readonly headSha256: string;
  readonly versions: Versions;
}

async function testRouter(
  context: TerminalContext,
  options: SelftestOptions & { readonly router: string },
  reference: Reference,
  versions: Versions,
): Promise<RouterResult> {
  const style = styleOf(context.stdout, context.env);
  const tell = (line: string): void => {
    if (options.json !== true) context.stdout.write(`${line}\n`);
  };
  return withRouter(context, options, async (router) => {
    const identity = await identify(router, context.signal);
    const { fallback, router: summary } = router.state();
    // A fallback would test another profile under this one's name.
    if (fallback) throw new CommandFailed(fallback.reason);
    const directory = summary?.directory ?? options.router;
    const embedding = await embeddingOf(directory);
    const kind = summary?.kind ?? 'imported';
    const headSha256 = await headDigest(directory);
    for (const line of identityLines(
      { ...options, ...identity, kind, embedding, versions },
      style,
    )) {
      tell(line);
    }
    const result = await runSelftest({
      ...reference,
      router,
      headSha256,
      referenceHeadSha256: referenceSuite.headSha256,
      signal: context.signal,
      onCase: (done, position, total) => {
        const status = done.isPassed ? paint(style, 'green', 'PASS') : paint(style, 'red', 'FAIL');
        tell(`[${position}/${total}] ${plainLine(done.id)} - ${status}`);
        for (const problem of done.problems) tell(`  ${plainLine(problem)}`);
      },
    });
    for (const line of verdictLines(result, headSha256, style)) tell(line);
    const { router: name } = options;
    return { router: name, ...identity, kind, embedding, headSha256, versions, ...result };
  });
}

function identityLines(
  tested: Pick<RouterResult, 'router' | 'kind' | 'embedding' | 'versions'> & EvaluationIdentity,
  style: TerminalStyle,
): string[] {
  const { machine, versions } = tested;
  return [
    paint(style, 'bold', plainLine(tested.router)),
    `router    ${tested.adapterRef}, ${tested.kind}, embedding ${tested.embedding ?? 'untouched'}`,
    `profile   ${tested.profile}, graph version ${tested.graphVersion}`,
    `device    ${plainLine(machine.cpu)}, ${machine.cores} cores, ${machine.platform} ${machine.arch}`,
    `versions  trinity ${versions.trinity}, ONNX Runtime ${versions.onnxRuntime}, Node ${versions.node}`,
  ];
}

/** One line a router, so that the readings of the embedding can be told apart at a glance. */
function overviewLines(results: readonly RouterResult[]): string[] {
  return [
    '',
    ...results.map(({ router, embedding, passed, cases, isPassed, agreement }) => {
      const closeness =
        agreement === null ? '' : `, relative L2 ${agreement.relativeL2.toFixed(4)}`;
      const verdict = isPassed ? 'passed' : 'failed';
      return `${plainLine(router)}  ${embedding ?? 'untouched'}  ${verdict}  ${passed}/${cases.length}${closeness}`;
    }),
  ];
}

/** A published bundle that is used in place has no manifest of ours. */
async function embeddingOf(directory: string): Promise<RouterResult['embedding']> {
  if (!existsSync(join(directory, 'manifest.json'))) return null;
  return (await readManifest(directory)).adaptation.embedding;
}

async function headDigest(directory: string): Promise<string> {
  const head = join(directory, 'router_head.safetensors');
  return existsSync(head) ? fileDigest(head) : 'absent';
}

async function fileDigest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

function verdictLines(result: SelftestResult, headSha256: string, style: TerminalStyle): string[] {
  const { agreement, headProblem, cases, passed, suiteProblems, isPassed } = result;
  const flipped = cases.filter((entry) => !entry.isPassed).map((entry) => plainLine(entry.id));
  const incomplete = suiteProblems.length === 0 ? '' : ' of an incomplete suite';
  return [
    '',
    paint(style, isPassed ? 'green' : 'red', `self-test: ${passed}/${cases.length}${incomplete}`),
    ...(flipped.length === 0 ? [] : [paint(style, 'red', `failed: ${flipped.join(', ')}`)]),
    ...suiteProblems.map((problem) => paint(style, 'red', plainLine(`suite  ${problem}`))),
    headProblem === null ? `head ${headSha256}` : paint(style, 'red', headProblem),
    ...(agreement === null
      ? []
      : [
          `logits against the snapshot: cosine ${agreement.cosine.toFixed(6)}, ` +
            `relative L2 ${agreement.relativeL2.toFixed(4)} (reported, not asserted)`,
        ]),
  ];
}
