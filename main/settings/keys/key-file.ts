import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { vaultItemSchema } from '../../../contracts/keys.ts';
import type { RandomSource } from '../../../contracts/ports.ts';
import { writeTextAtomically, type FileOperations } from '../atomic-text.ts';
import { SettingsError } from '../errors.ts';

const storedKeySchema = vaultItemSchema.extend({
  /** The program that sealed it: the one that can open it. */
  storedBy: z.string(),
  sealed: z.string(),
});
export type StoredKey = z.infer<typeof storedKeySchema>;

const keyFileSchema = z.object({
  version: z.literal(1),
  keys: z.array(storedKeySchema).max(10_000),
});

/**
 * The file of stored keys, mode 0600, shared by every host of a data directory. It is read anew for
 * every use, because another program may have changed it, and changed by one writer at a time.
 */
export class KeyFile {
  readonly #path: string;
  readonly #random: RandomSource;
  readonly #files: FileOperations | undefined;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(path: string, random: RandomSource, files?: FileOperations) {
    this.#path = path;
    this.#random = random;
    this.#files = files;
  }

  /** @throws SettingsError `unreadable`; a damaged file is never replaced by an empty one */
  async read(): Promise<readonly StoredKey[]> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
      throw new SettingsError('unreadable', `The stored keys in ${this.#path} cannot be read.`, {
        cause,
      });
    }
    try {
      return keyFileSchema.parse(JSON.parse(text)).keys;
    } catch {
      // No cause: a parser's message may quote the file, which holds secrets.
      throw new SettingsError(
        'unreadable',
        `The stored keys in ${this.#path} are damaged. Move the file away and enter the keys again.`,
      );
    }
  }

  /** @throws SettingsError `unreadable`, `unwritable`: then the file is unchanged */
  change(change: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
    const result = this.#lastChange.then(async () => {
      const keys = change(await this.read());
      const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
      try {
        await writeTextAtomically(this.#path, text, this.#random.id(), this.#files);
      } catch (cause) {
        throw new SettingsError(
          'unwritable',
          `${this.#path} cannot be written; no key was changed.`,
          {
            retryable: true,
            cause,
          },
        );
      }
    });
    // A refused change must not refuse the ones after it; its caller has the error.
    this.#lastChange = result.catch(() => undefined);
    return result;
  }
}
