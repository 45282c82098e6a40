import type { ProviderView } from '../contracts/agents.ts';
import type { RoleName } from '../contracts/roles.ts';
import type { Message } from '../contracts/transcript.ts';

/** An earlier run of the conversation: what was asked, and its final answer, if it came to one. */
export interface PastRun {
  readonly task: string;
  readonly answer: string | null;
}

/** A complete turn of the run in progress. */
export interface RunTurn {
  readonly role: RoleName;
  readonly text: string;
}

/** Everything both views are made of. */
export interface Transcript {
  /** The person's system prompt for the conversation; empty for none. */
  readonly systemPrompt: string;
  readonly history: readonly PastRun[];
  readonly task: string;
  /** Assistant texts that came with the task, to be judged rather than written. */
  readonly given: readonly string[];
  readonly turns: readonly RunTurn[];
}

/**
 * What the router reads: the system prompt, of earlier runs the user message and the final answer, then
 * the task and every turn of this run as assistant messages. Texts are raw: no instruction, no
 * attribution, no trimming.
 */
export function routedView(transcript: Transcript): Message[] {
  return [
    ...earlierMessages(transcript),
    { role: 'user', content: transcript.task },
    ...transcript.given.map((content): Message => ({ role: 'assistant', content })),
    ...transcript.turns.map(({ text }): Message => ({ role: 'assistant', content: text })),
  ];
}

/** The part of the routed view before the task. */
export function earlierMessages(
  transcript: Pick<Transcript, 'systemPrompt' | 'history'>,
): Message[] {
  const messages: Message[] = [];
  if (!isBlank(transcript.systemPrompt)) {
    messages.push({ role: 'system', content: transcript.systemPrompt });
  }
  for (const { task, answer } of transcript.history) {
    messages.push({ role: 'user', content: task });
    if (answer !== null && !isBlank(answer)) messages.push({ role: 'assistant', content: answer });
  }
  return messages;
}

/**
 * What a provider gets. System: instruction, slot suffix and system prompt, each its own paragraph.
 * Messages: earlier runs as user and assistant in turn, then one user message with this run's turns
 * quoted and the task at its end.
 *
 * Roles alternate and the last message is the user's for every transcript: several providers refuse
 * anything else. A run without an answer has no assistant message to alternate with, so its text joins
 * the next user message, marked as unanswered.
 */
export function providerView(
  transcript: Transcript,
  instruction: string,
  systemSuffix: string,
): ProviderView {
  const messages: { role: 'user' | 'assistant'; content: string }[] = [];
  let unanswered: string[] = [];
  for (const { task, answer } of transcript.history) {
    if (answer === null || isBlank(answer)) {
      unanswered.push(`[Earlier message, left unanswered]\n${task}`);
      continue;
    }
    messages.push({ role: 'user', content: paragraphs([...unanswered, task]) });
    messages.push({ role: 'assistant', content: answer });
    unanswered = [];
  }
  messages.push({ role: 'user', content: lastMessage(transcript, unanswered) });
  return {
    system: paragraphs([instruction, systemSuffix, transcript.systemPrompt]),
    messages,
  };
}

/** Ends with the task, so that what the model reads last is what it is asked to do. */
function lastMessage(transcript: Transcript, unanswered: readonly string[]): string {
  const work = [
    ...transcript.given.map((text) => quoted('Answer to judge', text)),
    ...transcript.turns.map(({ role, text }, index) => quoted(`Turn ${index + 1}, ${role}`, text)),
  ];
  if (work.length === 0 && unanswered.length === 0) return transcript.task;
  return `${paragraphs([
    ...unanswered,
    ...(work.length === 0 ? [] : ['Work on the task so far, quoted:', ...work]),
  ])}\n\nThe task:\n${transcript.task}`;
}

/** Every line behind `> `, so that a quoted text cannot pass for a heading of ours or for the task. */
function quoted(title: string, text: string): string {
  const lines = isBlank(text) ? ['(no text)'] : text.split(/\r\n|[\n\r\u2028\u2029]/);
  return [`[${title}]`, ...lines.map((line) => `> ${line}`)].join('\n');
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => !isBlank(part)).join('\n\n');
}

/** True for a text that says nothing: an answer like that is no answer. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
