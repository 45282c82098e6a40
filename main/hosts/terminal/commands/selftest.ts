import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { EvalCase } from '../../../../contracts/evals.ts';
import { profileIds, type ProfileId } from '../../../../contracts/profiles.ts';
import type { RouterSummary } from '../../../../contracts/manifest.ts';
import { everyCase, selectedCases } from '../../../evals/selection.ts';
import { runSelftest, type SelftestResult } from '../../../evals/selftest.ts';
import { readSnapshot, type Snapshot } from '../../../evals/snapshot.ts';
import { referenceSuite } from '../../../evals/upstream/reference.ts';
import type { DataLayout } from '../../data-layout.ts';
import { openLayout, openRuntime, withRouter, type GlobalOptions } from '../active-router.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { identify } from '../evals/machine.ts';
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
      const layout = openLayout(context, options);
      const reference = await readReference(context, options, layout);
      const results = [];
      for (const router of await routersToTest(context, options, layout)) {
        results.push(await testRouter(context, { ...options, router }, reference));
      }
      if (options.json === true) context.stdout.write(`${JSON.stringify(results)}\n`);
      if (!results.every((result) => result.isPassed)) throw new CommandFailed('');
    });
}

interface Reference {
  readonly cases: readonly EvalCase[];
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
    cases: await Array.fromAsync(selectedCases(cases, everyCase)),
    snapshot: await readSnapshot(snapshot),
  };
}

async function warnOfAnother(
  context: TerminalContext,
  path: string,
  published: string,
): Promise<void> {
  const digest = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
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

interface RouterResult extends SelftestResult {
  readonly router: string;
  readonly profile: string;
  readonly adapterRef: string;
}

async function testRouter(
  context: TerminalContext,
  options: SelftestOptions & { readonly router: string },
  reference: Reference,
): Promise<RouterResult> {
  const style = styleOf(context.stdout, context.env);
  const tell = (line: string): void => {
    if (options.json !== true) context.stdout.write(`${line}\n`);
  };
  return withRouter(context, options, async (router) => {
    const { adapterRef, profile, machine } = await identify(router, context.signal);
    const directory = router.state().router?.directory ?? options.router;
    tell(
      paint(style, 'bold', `${options.router} on ${profile}, router ${adapterRef.slice(0, 12)}`),
    );
    tell(`${machine.cpu}, ${machine.platform} ${machine.arch}, Node ${process.version}`);
    const result = await runSelftest({
      ...reference,
      router,
      headSha256: await headDigest(directory),
      referenceHeadSha256: referenceSuite.headSha256,
      signal: context.signal,
      onCase: (done, position, total) => {
        const status = done.isPassed ? paint(style, 'green', 'PASS') : paint(style, 'red', 'FAIL');
        tell(`[${position}/${total}] ${done.id} - ${status}`);
        for (const problem of done.problems) tell(`  ${problem}`);
      },
    });
    for (const line of verdictLines(result, style)) tell(line);
    return { router: options.router, profile, adapterRef, ...result };
  });
}

async function headDigest(directory: string): Promise<string> {
  const head = join(directory, 'router_head.safetensors');
  if (!existsSync(head)) return 'absent';
  return createHash('sha256')
    .update(await readFile(head))
    .digest('hex');
}

function verdictLines(result: SelftestResult, style: TerminalStyle): string[] {
  const { agreement, headProblem, cases, passed, isPassed } = result;
  return [
    '',
    paint(style, isPassed ? 'green' : 'red', `self-test: ${passed}/${cases.length}`),
    ...(headProblem === null ? [] : [paint(style, 'red', headProblem)]),
    ...(agreement === null
      ? []
      : [
          `logits against the snapshot: cosine ${agreement.cosine.toFixed(6)}, ` +
            `relative L2 ${agreement.relativeL2.toFixed(4)} (reported, not asserted)`,
        ]),
  ];
}
