import { Argument, Command, Option } from 'commander';
import { argmax, margin } from '../../../../contracts/logits.ts';
import { profileIds, type ProfileId } from '../../../../contracts/profiles.ts';
import { roleNameOf, roleNames } from '../../../../contracts/roles.ts';
import { chatRouteDefaults, type RouteLogits } from '../../../../contracts/route.ts';
import type { Message } from '../../../../contracts/transcript.ts';
import { transcriptHash } from '../../../../coordinator/hash.ts';
import { uncappedCharacters } from '../../../../model-runtime/client.ts';
import { withRouter, type GlobalOptions } from '../active-router.ts';
import { barRows, renderBars } from '../bars.ts';
import { UsageError, type TerminalContext } from '../context.ts';
import { unreadText } from '../count-text.ts';
import { readMessagesFile } from '../messages-file.ts';
import { paint, styleOf, type TerminalStyle } from '../style.ts';

interface RouteCommandOptions extends GlobalOptions {
  readonly router: string;
  readonly profile: ProfileId;
  readonly messages?: string;
  readonly base?: string;
  readonly plain?: boolean;
  readonly whole?: boolean;
  readonly json?: boolean;
}

/** What `--whole` reads: everything, as evaluations do. The runtime refuses more than `uncappedCharacters`. */
const wholeWindow = { windowTokens: null, messageCharacters: null } as const;

/**
 * `trinity route`: one transcript through the router, shown as bars or as one JSON object. It is read as a chat
 * reads it, through the window; what that left out is said.
 */
export function routeCommand(context: TerminalContext): Command {
  return new Command('route')
    .description('Route a prompt or a transcript and show the logits.')
    .addArgument(new Argument('[prompt]', 'one user message'))
    .option('--router <name>', 'demo, an id of `trinity models list`, or a path', 'demo')
    .addOption(
      new Option('--profile <id>', 'execution profile').choices(profileIds).default('cpu-f32'),
    )
    .option('--messages <file>', 'JSON list of {role, content} instead of a prompt')
    .option('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .option('--plain', 'tokenise control tokens in the text as control tokens')
    .option(
      '--whole',
      `read everything, up to ${uncappedCharacters.toLocaleString('en')} characters, and not as a chat does`,
    )
    .option('--json', 'print one JSON object')
    .action(async (prompt: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<RouteCommandOptions>();
      const messages = transcriptOf(prompt, options);
      await withRouter(context, options, async (router) => {
        const tokenizer = options.plain === true ? 'plain' : 'typed';
        const logits = await router.route(
          {
            ...chatRouteDefaults,
            ...(options.whole === true && wholeWindow),
            messages: [...messages],
            tokenizer,
          },
          { signal: context.signal },
        );
        const { router: summary, isDemo, fallback } = router.state();
        if (options.json === true) {
          context.stdout.write(`${JSON.stringify(jsonOf(messages, logits))}\n`);
          return;
        }
        const style = styleOf(context.stdout, context.env);
        const unread = unreadText(logits.window);
        const notes = [
          ...(isDemo ? ['demo router, untrained: its choices mean nothing'] : []),
          ...(fallback
            ? [`${fallback.reason.replace(/\.?$/, '.')} Routed on ${logits.profile} instead.`]
            : []),
          ...(unread === null ? [] : [`${unread}, as in a chat; --whole reads everything`]),
        ];
        context.stdout.write(describe(logits, summary?.agentLabels ?? [], notes, style));
      });
    });
}

function transcriptOf(
  prompt: string | undefined,
  options: RouteCommandOptions,
): readonly Message[] {
  if ((prompt === undefined) === (options.messages === undefined)) {
    throw new UsageError('give either a prompt or --messages FILE');
  }
  if (options.messages !== undefined) return readMessagesFile(options.messages);
  if (prompt === undefined || prompt.trim() === '') throw new UsageError('the prompt is empty');
  return [{ role: 'user', content: prompt }];
}

/** The object of `--json`: the raw choice beside everything the runtime reports. */
function jsonOf(messages: readonly Message[], logits: RouteLogits): object {
  const agentId = argmax(logits.agentLogits);
  const roleId = argmax(logits.roleLogits);
  return {
    agentId,
    roleId,
    roleName: roleNameOf(roleId),
    agentMargin: margin(logits.agentLogits),
    roleMargin: margin(logits.roleLogits),
    transcriptHash: transcriptHash(messages),
    ...logits,
  };
}

function describe(
  logits: RouteLogits,
  agentLabels: readonly string[],
  notes: readonly string[],
  style: TerminalStyle,
): string {
  const labels = logits.agentLogits.map((_, index) =>
    `${index} ${agentLabels[index] ?? ''}`.trimEnd(),
  );
  const agentId = argmax(logits.agentLogits);
  const roleId = argmax(logits.roleLogits);
  const agentMargin = (margin(logits.agentLogits) ?? 0).toFixed(3);
  const roleMargin = (margin(logits.roleLogits) ?? 0).toFixed(3);
  const { timings } = logits;
  return [
    ...notes.map((note) => paint(style, 'yellow', note)),
    paint(style, 'bold', `slot ${labels[agentId] ?? agentId}  margin ${agentMargin}`),
    ...renderBars(barRows(labels, logits.agentLogits), style),
    paint(style, 'bold', `role ${roleNameOf(roleId)}  margin ${roleMargin}`),
    ...renderBars(barRows(roleNames, logits.roleLogits), style),
    paint(
      style,
      'dim',
      `${logits.tokenCount} tokens, hidden state ${logits.hiddenIndex}, ` +
        `${timings.runMs.toFixed(0)} ms (${timings.totalMs.toFixed(0)} in all), ` +
        `${logits.profile}, router ${logits.adapterRef.slice(0, 12)}`,
    ),
    '',
  ].join('\n');
}
