import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { TypedError } from '../../../contracts/failure.ts';
import { printable } from './chat/printable.ts';
import { CommandFailed, UsageError, type TerminalContext } from './context.ts';
import { chatCommand } from './commands/chat.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evalCommand } from './commands/eval.ts';
import { exportCommand } from './commands/export.ts';
import { modelsCommand } from './commands/models.ts';
import { routeCommand } from './commands/route.ts';
import { selftestCommand } from './commands/selftest.ts';
import { slotsCommand } from './commands/slots.ts';
import { traceCommand } from './commands/trace.ts';
import { urlCommand } from './commands/url.ts';

/** A command's constructor: it gets what it may use and returns itself, ready to be added. */
export type CommandFactory = (context: TerminalContext) => Command;

const commands: readonly CommandFactory[] = [
  routeCommand,
  chatCommand,
  evalCommand,
  selftestCommand,
  exportCommand,
  modelsCommand,
  slotsCommand,
  traceCommand,
  doctorCommand,
  urlCommand,
];

/**
 * Runs the terminal program.
 *
 * @param args arguments after the program's name
 * @returns the exit code: 0 ok, 1 failed, 2 usage
 */
export async function runTerminal(
  args: readonly string[],
  context: TerminalContext,
  version: string,
): Promise<number> {
  const program = new Command('trinity')
    .description('Route, chat and evaluate with a local router that picks agent and role.')
    .version(version)
    .option('--data-dir <dir>', 'data directory (default: the OS convention, or TRINITY_HOME)')
    .option('--debug-native', "show the native runtime's own log lines")
    .showHelpAfterError('(add --help for the options)')
    .enablePositionalOptions();
  for (const create of commands) program.addCommand(create(context));
  forEachCommand(program, (command) => {
    command.exitOverride();
    command.configureHelp({ showGlobalOptions: true });
    command.configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      getOutHelpWidth: () => context.stdout.columns ?? 80,
      getErrHelpWidth: () => context.stderr.columns ?? 80,
    });
  });
  if (args.length === 0) {
    context.stdout.write(program.helpInformation());
    return 2;
  }
  try {
    await program.parseAsync(globalOptionsFirst(args), { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/**
 * The program's own options before the command, wherever they were written: a command with commands of
 * its own (`eval compare`) needs positional options, and people write `--data-dir` last.
 */
function globalOptionsFirst(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const first: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < options.length; at++) {
    const arg = options[at] ?? '';
    const value = options[at + 1];
    if (arg === '--data-dir' && value !== undefined) {
      first.push(arg, value);
      at += 1;
    } else if (arg === '--debug-native' || arg.startsWith('--data-dir=')) first.push(arg);
    else rest.push(arg);
  }
  return [...first, ...rest, ...(end === -1 ? [] : args.slice(end))];
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}

function exitCodeOf(error: unknown, context: TerminalContext): number {
  if (error instanceof CommanderError) {
    const asked = ['commander.help', 'commander.helpDisplayed', 'commander.version'];
    return asked.includes(error.code) && error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof UsageError || error instanceof InvalidArgumentError) {
    context.stderr.write(`error: ${printable(error.message)}\n`);
    return 2;
  }
  if (error instanceof CommandFailed) {
    if (error.message !== '') context.stderr.write(`error: ${printable(error.message)}\n`);
    return 1;
  }
  if (error instanceof TypedError) {
    context.stderr.write(`error: ${printable(error.message)} (${error.code})\n`);
    return 1;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(`error: unexpected: ${printable(text)}\n`);
  return 1;
}
