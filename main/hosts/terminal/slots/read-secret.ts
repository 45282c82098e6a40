import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError, type TerminalContext } from '../context.ts';

/** More than any key has. */
const longestSecret = 10_000;

/**
 * A secret from standard input: typed unseen on a terminal, else everything that is piped in. Secrets are
 * never taken from the command line, where every program of the machine can read them.
 */
export async function readSecret(context: TerminalContext, what: string): Promise<string> {
  const { stdin, stderr } = context;
  const isTyped = 'isTTY' in stdin && stdin.isTTY === true;
  const secret = isTyped ? await typeUnseen(context, what) : await readAll(stdin);
  if (isTyped) stderr.write('\n');
  if (secret.trim() === '') throw new UsageError(`no ${what} came in on standard input`);
  return secret;
}

async function typeUnseen(
  { stdin, stderr, signal }: TerminalContext,
  what: string,
): Promise<string> {
  stderr.write(`${what} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
  }
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of stdin) {
    text += String(piece);
    if (text.length > longestSecret) throw new UsageError('this is too long for a key');
  }
  return text;
}
