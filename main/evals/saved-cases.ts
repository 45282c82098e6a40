import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EvalCase } from '../../contracts/evals.ts';
import { EvalError } from './eval-error.ts';
import type { WriteFileAtomically } from './floors-store.ts';

/** Cases that a person saved from conversations: one suite of JSON lines, written whole at each change. */
export class SavedCases {
  readonly path: string;
  readonly #write: WriteFileAtomically;
  /** Writes happen one after another, so that two windows lose nothing of each other's. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, write: WriteFileAtomically) {
    this.path = path;
    this.#write = write;
  }

  /** @throws EvalError `case_exists`, `cannot_write` */
  add(evalCase: EvalCase): Promise<void> {
    const added = this.#last.then(() => this.#append(evalCase));
    this.#last = added.catch(() => undefined);
    return added;
  }

  async #append(evalCase: EvalCase): Promise<void> {
    const before = await this.#read();
    if (before.some((line) => idOf(line) === evalCase.id)) {
      throw new EvalError('case_exists', `This turn is already saved in ${this.path}.`);
    }
    const lines = [...before, JSON.stringify(evalCase)];
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await this.#write(this.path, `${lines.join('\n')}\n`);
    } catch (cause) {
      throw new EvalError('cannot_write', `The case could not be written to ${this.path}.`, {
        cause,
      });
    }
  }

  /** Lines of the file as they stand: what a person wrote into it by hand stays. */
  async #read(): Promise<string[]> {
    try {
      const text = await readFile(this.path, 'utf8');
      return text.split('\n').filter((line) => line.trim() !== '');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new EvalError('suite_unreadable', `${this.path} could not be read.`, { cause });
    }
  }
}

function idOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { id?: unknown } | null)?.id;
  } catch {
    // A line that is no JSON has no id; the suite's diagnostics name it.
    return undefined;
  }
}
