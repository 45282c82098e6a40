import { Command, Option } from 'commander';
import { profileIds } from '../../../../contracts/profiles.ts';
import { unlessCancelled, type TerminalContext } from '../context.ts';
import { calibrateCommandAction } from '../evals/calibrate-action.ts';
import {
  collected,
  nonNegative,
  positiveInteger,
  type EvalCommandOptions,
} from '../evals/eval-options.ts';
import { compareAction, type CompareOptions } from '../evals/compare-action.ts';
import { listCasesAction, runEvalAction } from '../evals/run-action.ts';

/** Options that calibrating, which routes the whole suite and asserts nothing, has no use for. */
const onlyWhenRunning = [
  'snapshot',
  'snapshotOut',
  'recordBaseline',
  'determinismRuns',
  'minAgentMargin',
  'minRoleMargin',
  'case',
  'tag',
  'match',
  'reportOnly',
  'plain',
  'out',
  'resume',
  'junit',
  'html',
];

/** `trinity eval`: a suite through the local router; `trinity eval compare A B`. */
export function evalCommand(context: TerminalContext): Command {
  return (
    new Command('eval')
      .description(
        'Run a suite of transcripts through the local router, without calling any agent.',
      )
      .option(
        '--suite <file>',
        'starter, saved (from conversations), or a .jsonl, .json or .csv file or a folder',
        'starter',
      )
      .option('--router <name>', 'demo, an id of `trinity models list`, or a path', 'demo')
      .addOption(
        new Option('--profile <id>', 'execution profile').choices(profileIds).default('cpu-f32'),
      )
      .option('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
      .option(
        '--snapshot <file>',
        'snapshot to hold decisions, token counts and transcripts against',
      )
      .option('--snapshot-out <file>', 'write a snapshot of this run')
      .option(
        '--determinism-runs <n>',
        'route each case n times and require equal bits',
        positiveInteger,
        1,
      )
      .option(
        '--min-agent-margin <x>',
        'smallest agent margin that passes; 0 asserts nothing',
        nonNegative,
      )
      .option(
        '--min-role-margin <x>',
        'smallest role margin that passes; 0 asserts nothing',
        nonNegative,
      )
      .option('--case <id>', 'run only this case (repeatable)', collected, [])
      .option('--tag <tag>', 'run only cases with this tag (repeatable)', collected, [])
      .option('--match <text>', 'run only cases whose id contains this text')
      .option('--report-only', 'show what is chosen and assert nothing')
      .option('--plain', 'tokenise control tokens in the text as control tokens')
      .option('--out <file>', 'keep results as JSON lines while running')
      .option('--resume', 'go on with the results file of --out')
      .option(
        '--record-baseline',
        'keep the decisions as the snapshot of this router, profile and suite',
      )
      .addOption(
        new Option(
          '--calibrate',
          'compare the profile with cpu-f32 and store its margin floors',
        ).conflicts(onlyWhenRunning),
      )
      .option('--list-cases', 'list the selected cases and stop')
      .addOption(new Option('--json', 'print one JSON object').conflicts(['junit', 'html']))
      .addOption(new Option('--junit <file>', 'write a JUnit XML report'))
      .addOption(new Option('--html <file>', 'write a self-contained HTML report'))
      .action(async (_options: unknown, command: Command) => {
        const options = command.optsWithGlobals<EvalCommandOptions>();
        await unlessCancelled(context, async () => {
          if (options.listCases === true) await listCasesAction(context, options);
          else if (options.calibrate === true) await calibrateCommandAction(context, options);
          else await runEvalAction(context, options);
        });
      })
      // Else this command would take the options that stand behind `compare`.
      .enablePositionalOptions()
      .addCommand(compareCommand(context))
  );
}

function compareCommand(context: TerminalContext): Command {
  return new Command('compare')
    .description('Compare two results files, or a results file and a snapshot.')
    .argument('<left>', 'results or snapshot')
    .argument('<right>', 'results or snapshot')
    .option('--json', 'print one JSON object')
    .option('--html <file>', 'write a self-contained HTML report')
    .action((left: string, right: string, options: CompareOptions) =>
      unlessCancelled(context, () => compareAction(context, left, right, options)),
    );
}
