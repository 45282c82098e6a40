import { resolve } from 'node:path';
import { TypedError } from '../../../../contracts/failure.ts';
import type { TerminalContext } from '../context.ts';
import { paint, type TerminalStyle } from '../style.ts';
import type { ChatSession } from './chat-session.ts';
import { renderDecision } from './decision-view.ts';
import { renderHistory } from './history-view.ts';
import type { InputHistory } from './input-history.ts';
import { LineReader } from './line-reader.ts';
import { commandHelp, parseChatLine, type ChatLine } from './slash-command.ts';
import type { TraceFiles } from './trace-files.ts';

export interface InteractiveParts {
  readonly context: TerminalContext;
  readonly session: ChatSession;
  readonly style: TerminalStyle;
  readonly traces: TraceFiles;
  readonly history: InputHistory;
  /** Sends a message and shows its run; the signal stops the run. */
  readonly send: (text: string, signal: AbortSignal) => Promise<void>;
}

/**
 * A chat line by line, until the input ends. Ctrl-C stops the run in progress and keeps its text; twice
 * ends the chat.
 */
export async function chatInteractively(parts: InteractiveParts): Promise<void> {
  const { context, style, session, history } = parts;
  const isTerminal = 'isTTY' in context.stdin && context.stdin.isTTY === true;
  let running: AbortController | null = null;
  let interrupts = 0;
  const end = (): void => {
    running?.abort();
    reader.close();
  };
  const interrupt = (): void => {
    interrupts += 1;
    if (interrupts > 1) return end();
    if (running !== null) return running.abort();
    context.stdout.write('\n(Ctrl-C again ends the chat)\n');
    reader.prompt();
  };
  const reader = new LineReader({
    input: context.stdin,
    output: context.stdout,
    isTerminal,
    prompt: style.unicode ? '› ' : '> ',
    history: await history.read(),
    onInterrupt: interrupt,
  });
  context.signal.addEventListener('abort', end);
  try {
    reader.prompt();
    for await (const line of reader.lines()) {
      interrupts = 0;
      const meaning = parseChatLine(line);
      if (meaning.kind === 'exit') break;
      running = new AbortController();
      reader.quiet();
      await reported(context, () => act(meaning, parts, running?.signal ?? context.signal));
      running = null;
      if (context.signal.aborted || interrupts > 1) break;
      reader.prompt();
    }
  } finally {
    context.signal.removeEventListener('abort', end);
    reader.close();
  }
  if (session.isSaved) await history.write(reader.history);
  else if (isTerminal && session.read().runs.length > 0) {
    context.stderr.write(`${paint(style, 'dim', 'Not kept. Next time: --save, or /save.')}\n`);
  }
}

/** A failure of one line is said; the chat goes on. */
async function reported(context: TerminalContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    context.stderr.write(`error: ${error.message} (${error.code})\n`);
  }
}

async function act(line: ChatLine, parts: InteractiveParts, signal: AbortSignal): Promise<void> {
  const { session, style, traces, context } = parts;
  const say = (...lines: readonly string[]): void => {
    for (const text of lines) context.stdout.write(`${text}\n`);
  };
  switch (line.kind) {
    case 'nothing':
    case 'exit':
      return;
    case 'message':
      return parts.send(line.text, signal);
    case 'mistake':
      return void context.stderr.write(`${line.message}\n`);
    case 'help':
      return say(...commandHelp.map(([command, text]) => `${command.padEnd(36)} ${text}`));
    case 'route': {
      const decision = await session.whatIf(line.text, signal);
      return say(...renderDecision('what if', decision, session.agentLabels, style));
    }
    case 'pin_slot': {
      const count = session.agentLabels.length;
      if (line.slot >= count) {
        const problem = `There is no slot ${line.slot}: this router has slots 0 to ${count - 1}.`;
        return void context.stderr.write(`${problem}\n`);
      }
      session.pins = { ...session.pins, slot: line.slot };
      return say(pinsInWords(session));
    }
    case 'pin_role':
      session.pins = { ...session.pins, role: line.role };
      return say(pinsInWords(session));
    case 'unpin':
      session.pins = {};
      return say(pinsInWords(session));
    case 'pins':
      return say(pinsInWords(session));
    case 'system': {
      if (line.text !== null) session.setSystemPrompt(line.text);
      const { systemPrompt } = session.read();
      return say(systemPrompt === '' ? 'No system prompt.' : `System prompt: ${systemPrompt}`);
    }
    case 'trace':
      if (line.path !== null) {
        traces.use(line.path === '' ? null : resolve(context.cwd, line.path));
      }
      return say(traces.describe());
    case 'history':
      return say(...renderHistory(session.read(), style));
    case 'save':
      session.save();
      return say(`Kept as conversation ${session.id}.`);
  }
}

function pinsInWords({ pins }: ChatSession): string {
  const said = [
    ...(pins.slot === undefined ? [] : [`slot ${pins.slot}`]),
    ...(pins.role === undefined ? [] : [`role ${pins.role}`]),
  ];
  return said.length === 0 ? 'Nothing is pinned.' : `Pinned: ${said.join(', ')}.`;
}
