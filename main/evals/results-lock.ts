import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { EvalError } from './eval-error.ts';

/**
 * The hold of one process on a results file: a file beside it that holds the process's id. It goes with
 * `release`, which may be called twice; what a killed process left is taken over.
 */
export class ResultsLock {
  readonly #path: string;
  #isReleased = false;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @throws EvalError `results_busy` while another evaluation writes the file; `cannot_write` */
  static async take(resultsPath: string): Promise<ResultsLock> {
    const path = `${resultsPath}.lock`;
    if (await created(path)) return new ResultsLock(path);
    if (await isHeld(path)) throw busy(resultsPath, path);
    await unlink(path).catch(ignoreAbsent);
    if (await created(path)) return new ResultsLock(path);
    throw busy(resultsPath, path);
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await unlink(this.#path).catch(ignoreAbsent);
  }
}

function busy(resultsPath: string, path: string): EvalError {
  return new EvalError(
    'results_busy',
    `Another evaluation writes to ${resultsPath}. If none does, remove ${path}.`,
  );
}

/**
 * Creates the lock with its content in one step, by a hard link: a process that is killed here leaves no lock
 * that names nobody. Where a file system has no links the content follows the creation.
 */
async function created(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}`;
  const content = `${process.pid}\n`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    try {
      await link(draft, path);
    } catch (error) {
      if (!hasNoLinks(error)) throw error;
      await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    } finally {
      await unlink(draft);
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EvalError('cannot_write', `${path} could not be written: ${reason}`, { cause });
  }
}

function hasNoLinks(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'].includes(code);
}

/** False only for the id of a process that is gone: a file that says nothing may be on its way. */
async function isHeld(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const processId = Number(/^\d+(?=\n)/.exec(text)?.[0]);
  if (!Number.isInteger(processId) || processId < 1) return true;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Another user's process is there too, and may not be asked.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function ignoreAbsent(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
