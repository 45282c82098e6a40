import { readFileSync, statSync } from 'node:fs';
import { messagesSchema, type Message } from '../../../contracts/transcript.ts';
import { UsageError } from './context.ts';

const maxBytes = 16 * 2 ** 20;

/**
 * A transcript from a JSON file: a list of `{role, content}`, or an object with `messages`.
 *
 * @throws UsageError naming the entry that is wrong
 */
export function readMessagesFile(path: string): Message[] {
  let value: unknown;
  try {
    if (statSync(path).size > maxBytes) {
      throw new UsageError(`${path} is larger than ${maxBytes} bytes`);
    }
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path} cannot be read as JSON: ${reason}`);
  }
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
