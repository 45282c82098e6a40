import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EvalError } from '../../../evals/eval-error.ts';
import { writeTextAtomically } from '../../../settings/atomic-text.ts';
import { UsageError } from '../context.ts';

/**
 * Writes a text file atomically, its folder included.
 *
 * @throws EvalError `cannot_write`
 */
export async function writeReport(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeTextAtomically(path, text, String(process.pid));
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

/**
 * Refuses an output before the work rather than after it: one that would replace an input, and one that
 * cannot be written.
 *
 * @param inputs files that are read, and other outputs
 * @throws UsageError, EvalError `cannot_write`
 */
export async function requireWritable(path: string, inputs: readonly string[]): Promise<void> {
  const own = await realPathOf(path);
  for (const input of inputs) {
    if ((await realPathOf(input)) === own) {
      throw new UsageError(`${path} is named twice: as an output and as another file of this call`);
    }
  }
  if (await isFolder(path)) throw new UsageError(`${path} is a folder`);
  if (!(await isFolder(dirname(path)))) throw new UsageError(`there is no folder ${dirname(path)}`);
  try {
    await access(dirname(path), constants.W_OK);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // What cannot be looked at is no folder to write into.
    return false;
  }
}

/** The path behind links; for a file that is not there yet, that of its folder. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  }
}

function cannotWrite(path: string, cause: unknown): EvalError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EvalError('cannot_write', `${path} could not be written: ${reason}`, { cause });
}
