import { readFileSync, statSync } from 'node:fs';
import { messagesSchema, type Message } from '../../../contracts/transcript.ts';
import { UsageError } from './context.ts';
import { whyUnreadable } from './why-unreadable.ts';

export const maxMessagesBytes = 16 * 2 ** 20;

/**
 * A transcript from a JSON file: a list of `{role, content}`, or an object with `messages`.
 *
 * @throws UsageError saying why the file cannot be read, or naming the entry that is wrong
 */
export function readMessagesFile(path: string): Message[] {
  const value = jsonOf(path, textOf(path));
  const list =
    typeof value === 'object' && value !== null && 'messages' in value ? value.messages : value;
  const parsed = messagesSchema.safeParse(list);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined || issue.path.length === 0
        ? 'the list'
        : `messages[${issue.path.join('.')}]`;
    throw new UsageError(`${path}: ${where}: ${issue?.message ?? 'malformed'}`);
  }
  if (parsed.data.length === 0) throw new UsageError(`${path} holds no message`);
  return parsed.data;
}

function textOf(path: string): string {
  try {
    if (statSync(path).size <= maxMessagesBytes) return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(whyUnreadable(path, cause));
  }
  throw new UsageError(`${path} is larger than ${maxMessagesBytes} bytes`);
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new UsageError(`${path} is not JSON: ${cause instanceof Error ? cause.message : ''}`);
  }
}
