import { readFileSync } from 'node:fs';
import { slotLayoutSchema, type SlotLayout } from '../../../../contracts/slots.ts';
import { UsageError } from '../context.ts';
import { plainLine } from '../evals/plain-line.ts';
import { whyUnreadable } from '../why-unreadable.ts';

const layoutCharacters = 10_000_000;
const whatToGive = 'Give a file that `trinity slots export` wrote.';

/**
 * A layout that a person names by its file.
 *
 * @throws UsageError with a sentence that says what is wrong with the file
 */
export function readLayout(path: string): SlotLayout {
  const text = readText(path);
  if (text.length > layoutCharacters) throw new UsageError(`${path} is too long for a layout`);
  const parsed = slotLayoutSchema.safeParse(parseLayout(path, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = plainLine(issue?.path.join('.') ?? '').slice(0, 100);
  throw new UsageError(
    place === ''
      ? `${path} is no layout of slots. ${whatToGive}`
      : `${path} is no layout of slots: at ${place}: ${plainLine(issue?.message ?? '')}. ${whatToGive}`,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(whyUnreadable(path, cause), { cause });
  }
}

function parseLayout(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      text.trim() === ''
        ? `${path} is empty. ${whatToGive}`
        : `${path} holds no complete JSON. ${whatToGive}`,
      { cause },
    );
  }
}
