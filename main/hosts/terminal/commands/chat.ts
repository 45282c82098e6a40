import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { StartOverrides } from '../../../../contracts/app/settings.ts';
import { profileIds, type ProfileId } from '../../../../contracts/profiles.ts';
import { selectionModes, type Selection } from '../../../../contracts/route.ts';
import type { App } from '../../../app.ts';
import { createSystemRandom } from '../../system-random.ts';
import { reportProgress, type GlobalOptions } from '../active-router.ts';
import { ChatSession } from '../chat/chat-session.ts';
import { InputHistory } from '../chat/input-history.ts';
import { chatInteractively } from '../chat/interactive.ts';
import { RunView } from '../chat/run-view.ts';
import { TraceFiles } from '../chat/trace-files.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { paint, styleOf } from '../style.ts';
import { whyUnreadable } from '../why-unreadable.ts';
import { openTerminalApp } from '../open-terminal-app.ts';

interface ChatOptions extends GlobalOptions {
  readonly router?: string;
  readonly profile?: ProfileId;
  readonly base?: string;
  readonly agents?: 'rehearsal' | 'slots';
  readonly maxTurns?: number;
  readonly select?: Selection['mode'];
  readonly temperature?: number;
  readonly seed?: number;
  readonly script?: string;
  readonly trace?: string;
  readonly json?: boolean;
  readonly save?: boolean;
}

const noSlotBound =
  'No slot is bound, so nobody can answer: bind one with ' +
  '`trinity slots set 0 --provider ID --model ID`, or chat with `--agents rehearsal`.';

/** `trinity chat`: one message to its end, or a conversation line by line. */
export function chatCommand(context: TerminalContext): Command {
  return new Command('chat')
    .description('Answer a message by routed turns; without a message, chat line by line.')
    .addArgument(new Argument('[message]', 'one message; without it lines are read'))
    .option('--router <name>', 'demo, an id of `trinity models list`, or a path')
    .addOption(new Option('--profile <id>', 'execution profile').choices(profileIds))
    .option('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .addOption(
      new Option('--agents <kind>', 'who answers').choices(['rehearsal', 'slots'] as const),
    )
    .option('--max-turns <n>', 'turns of a run', readTurns)
    .addOption(
      new Option('--select <mode>', 'how the router’s logits become a choice').choices(
        selectionModes,
      ),
    )
    .option('--temperature <t>', 'of softmax and sample, above 0', readTemperature)
    .option('--seed <n>', 'of sample; without it each run draws its own', readSeed)
    .option('--script <file>', 'what rehearsal agents say (JSON)')
    .option('--trace <file>', 'write the trace of the run to a file')
    .option('--json', 'print one event per line, with text')
    .option('--save', 'keep the conversation in the data directory')
    .action(async (message: string | undefined, _options: unknown, command: Command) => {
      await chat(context, message, command.optsWithGlobals<ChatOptions>());
    });
}

async function chat(
  context: TerminalContext,
  message: string | undefined,
  options: ChatOptions,
): Promise<void> {
  if (message?.trim() === '') throw new UsageError('the message is empty');
  const tracePath = options.trace === undefined ? undefined : resolve(context.cwd, options.trace);
  if (tracePath !== undefined && existsSync(tracePath)) {
    throw new UsageError(`${tracePath} is there already; choose another file for the trace`);
  }
  const isSaved = options.save === true;
  const traces = new TraceFiles(tracePath ?? (isSaved ? undefined : null));
  const { app, dataDirectory, close } = await openChatApp(context, options, traces);
  try {
    const style = styleOf(context.stdout, context.env);
    const say = (text: string): void => void context.stderr.write(`${text}\n`);
    for (const notice of app.notices()) say(paint(style, 'yellow', notice.message));
    const { agents, slots, selection } = app.settings.current;
    if (options.seed !== undefined && selection.mode !== 'sample') {
      throw new UsageError('--seed is of --select sample; nothing is drawn otherwise');
    }
    if (agents === 'slots' && slots.length === 0) say(paint(style, 'yellow', noSlotBound));
    await loadRouter(context, app);
    if (options.json !== true) context.stdout.write(`${paint(style, 'dim', headline(app))}\n`);
    const session = new ChatSession(app, dataDirectory, isSaved);
    const send = async (text: string, signal: AbortSignal): Promise<void> => {
      const known = app.notices().length;
      const ending = await showRun(context, session, options.json === true, text, signal);
      for (const notice of app.notices().slice(known)) say(paint(style, 'yellow', notice.message));
      if (message !== undefined && ending !== 'answered') throw new CommandFailed('');
    };
    if (message !== undefined) await send(message, context.signal);
    else {
      const history = new InputHistory(dataDirectory, createSystemRandom());
      await chatInteractively({ context, session, style, traces, history, send });
    }
  } finally {
    await close();
  }
}

/** Shows a run to its end. @returns whether it came to an answer by itself */
async function showRun(
  context: TerminalContext,
  session: ChatSession,
  isJson: boolean,
  text: string,
  signal: AbortSignal,
): Promise<'answered' | 'unanswered'> {
  const style = styleOf(context.stdout, context.env);
  const view = new RunView(context.stdout, style, session.agentLabels);
  let ending: 'answered' | 'unanswered' = 'unanswered';
  for await (const event of session.send(text, signal)) {
    if (isJson) context.stdout.write(`${JSON.stringify(event)}\n`);
    else view.show(event);
    if (event.type !== 'run_completed') continue;
    if (event.status !== 'stopped' && event.answer !== null) ending = 'answered';
  }
  return ending;
}

function openChatApp(context: TerminalContext, options: ChatOptions, traces: TraceFiles) {
  const isWatched = context.stdout.isTTY === true && options.json !== true;
  return openTerminalApp(context, options, {
    overrides: overridesOf(options),
    isEphemeral: options.save !== true,
    traceFile: () => traces.next(),
    rehearsal: { paceMs: isWatched ? 25 : 0, script: scriptOf(context, options) },
  });
}

function overridesOf(options: ChatOptions): StartOverrides {
  const { router, profile, agents, maxTurns, select, temperature, seed } = options;
  const selection = {
    ...(select !== undefined && { mode: select }),
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
  };
  return {
    ...(router !== undefined && { router }),
    ...(profile !== undefined && { profile }),
    ...(agents !== undefined && { agents }),
    ...(maxTurns !== undefined && { budgets: { maxTurns } }),
    selection,
  };
}

function scriptOf({ cwd }: TerminalContext, { script }: ChatOptions): string | null {
  if (script === undefined) return null;
  try {
    return readFileSync(resolve(cwd, script), 'utf8');
  } catch (cause) {
    throw new UsageError(whyUnreadable(script, cause));
  }
}

/** Loads before the first message, so that its time is not taken for the router's. */
async function loadRouter(context: TerminalContext, app: App): Promise<void> {
  const progress = reportProgress(context, app.models);
  try {
    await app.models.load();
  } finally {
    await progress.stop();
  }
}

function headline({ models, settings }: App): string {
  const { router, isDemo, profile, fallback } = models.state;
  const name = isDemo ? 'demo router, untrained' : `router ${router?.id ?? ''}`;
  const agents =
    settings.current.agents === 'rehearsal' ? 'rehearsal agents (scripted, no network)' : 'slots';
  return [name, profile, ...(fallback ? [fallback.reason] : []), agents].join(', ');
}

function readTemperature(text: string): number {
  const temperature = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(temperature) && temperature > 0) return temperature;
  throw new InvalidArgumentError('It is a number above 0.');
}

function readSeed(text: string): number {
  const seed = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(seed)) return seed;
  throw new InvalidArgumentError('It is a whole number.');
}

function readTurns(text: string): number {
  const turns = Number(text);
  if (Number.isInteger(turns) && turns >= 1 && turns <= 50) return turns;
  throw new InvalidArgumentError('It is a whole number from 1 to 50.');
}
