import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RandomSource } from '../../../../contracts/ports.ts';
import { writeTextAtomically } from '../../../settings/atomic-text.ts';
import { historyLimit } from './line-reader.ts';

const historySchema = z.array(z.string()).max(historyLimit);

/** What was typed in chats that were kept, for the arrow keys of later ones. */
export class InputHistory {
  readonly #path: string;
  readonly #random: RandomSource;

  constructor(dataDirectory: string, random: RandomSource) {
    this.#path = join(dataDirectory, 'terminal-history.json');
    this.#random = random;
  }

  /** Lines, newest first. A file that is absent or damaged is no history. */
  async read(): Promise<string[]> {
    try {
      return historySchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return [];
    }
  }

  async write(lines: readonly string[]): Promise<void> {
    const text = JSON.stringify(lines.slice(0, historyLimit));
    await writeTextAtomically(this.#path, text, this.#random.id());
  }
}
