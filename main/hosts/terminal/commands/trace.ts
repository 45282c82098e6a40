import { resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { profileIds, type ProfileId } from '../../../../contracts/profiles.ts';
import { readTrace } from '../../../traces/reader.ts';
import { checkReplayable, replayTrace } from '../../../traces/replay.ts';
import { verifyTrace } from '../../../traces/verify.ts';
import { withRouter, type GlobalOptions } from '../active-router.ts';
import { CommandFailed, type TerminalContext } from '../context.ts';
import { styleOf } from '../style.ts';
import { isSameDecision, replayText, reportText, traceText } from '../trace-text.ts';

/** `trinity trace`: what a run's trace says, whether it is right, and how it would be routed today. */
export function traceCommand(context: TerminalContext): Command {
  return new Command('trace')
    .description("Show, verify or replay a run's trace.")
    .addCommand(showCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(replayCommand(context));
}

const fileArgument = () => new Argument('<file>', 'a trace, .jsonl');

function showCommand(context: TerminalContext): Command {
  return new Command('show')
    .description('Show a trace, turn by turn.')
    .addArgument(fileArgument())
    .option('--bars', 'draw the logits of every decision')
    .action(async (file: string, options: { readonly bars?: boolean }) => {
      const style = styleOf(context.stdout, context.env);
      for await (const line of readTrace(resolve(context.cwd, file))) {
        if (context.signal.aborted) throw new CommandFailed('');
        for (const text of traceText(line, style, options.bars === true)) {
          context.stdout.write(`${text}\n`);
        }
      }
    });
}

function verifyCommand(context: TerminalContext): Command {
  return new Command('verify')
    .description(
      'Check schema, order, hash chain and decisions of a trace. Exit code 1 on a problem.',
    )
    .addArgument(fileArgument())
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: { readonly json?: boolean }) => {
      const report = await verifyTrace(resolve(context.cwd, file));
      context.stdout.write(
        options.json === true
          ? `${JSON.stringify(report)}\n`
          : reportText(report, styleOf(context.stdout, context.env)),
      );
      if (report.problems.length > 0) throw new CommandFailed('');
    });
}

interface ReplayOptions extends GlobalOptions {
  readonly router: string;
  readonly profile: ProfileId;
  readonly base?: string;
  readonly json?: boolean;
}

function replayCommand(context: TerminalContext): Command {
  return new Command('replay')
    .description(
      'Route the recorded transcripts again and compare. Exit code 1 on another decision.',
    )
    .addArgument(fileArgument())
    .option('--router <name>', 'demo, an id of `trinity models list`, or a path', 'demo')
    .addOption(
      new Option('--profile <id>', 'execution profile').choices(profileIds).default('cpu-f32'),
    )
    .option('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .option('--json', 'print one JSON object a turn')
    .action(async (file: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ReplayOptions>();
      const path = resolve(context.cwd, file);
      await checkReplayable(path);
      const isSame = await withRouter(context, options, async (router) => {
        let same = true;
        for await (const route of replayTrace(path, router, context.signal)) {
          same &&= isSameDecision(route);
          context.stdout.write(
            options.json === true
              ? `${JSON.stringify(route)}\n`
              : replayText(route, styleOf(context.stdout, context.env)),
          );
        }
        return same;
      });
      if (!isSame || context.signal.aborted) throw new CommandFailed('');
    });
}
