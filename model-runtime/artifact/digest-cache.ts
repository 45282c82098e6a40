import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { sha256Schema } from '../../contracts/hashes.ts';
import { toRuntimeError } from '../runtime-error.ts';
import { writeAtomically } from '../weights/atomic-file.ts';
import { createFolder } from '../weights/create-folder.ts';

const entrySchema = z.object({ bytes: z.number(), modifiedMs: z.number(), sha256: sha256Schema });
const cacheSchema = z.record(z.string(), entrySchema);
type Entries = z.infer<typeof cacheSchema>;

/**
 * sha256 digests of large files, remembered by path, size and time of change: the base has 1.5 GB and is
 * looked up at every load. Not a proof against someone who writes into the file and restores its time.
 */
export class DigestCache {
  readonly #path: string | null;
  #entries: Entries | null = null;

  /** @param path file in which digests are kept from run to run; null keeps them in memory */
  constructor(path: string | null) {
    this.#path = path;
  }

  /** Lower-case hex sha256 of a file. Throws RuntimeError `file_unreadable`. */
  async sha256(path: string): Promise<string> {
    const found = await stat(path).catch((error: unknown) => {
      throw toRuntimeError(error, 'file_unreadable', `${path} cannot be read.`);
    });
    this.#entries ??= await this.#read();
    const known = this.#entries[path];
    if (known?.bytes === found.size && known.modifiedMs === found.mtimeMs) return known.sha256;
    const sha256 = await hashFile(path);
    this.#entries[path] = { bytes: found.size, modifiedMs: found.mtimeMs, sha256 };
    await this.#write(this.#entries);
    return sha256;
  }

  async #read(): Promise<Entries> {
    if (this.#path === null) return {};
    // A cache that is missing or damaged costs a hash, nothing else.
    const text = await readFile(this.#path, 'utf8').catch(() => '{}');
    try {
      return cacheSchema.parse(JSON.parse(text));
    } catch {
      return {};
    }
  }

  async #write(entries: Entries): Promise<void> {
    if (this.#path === null) return;
    const bytes = new TextEncoder().encode(JSON.stringify(entries));
    try {
      createFolder(dirname(this.#path));
      await writeAtomically(this.#path, (sink) => sink(bytes));
    } catch {
      // Digests that cannot be kept are computed again next time: no reason not to load a router.
    }
  }
}

/** Lower-case hex sha256 of a file's content. Throws RuntimeError `file_unreadable`. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(piece as Uint8Array);
    }
  } catch (error) {
    throw toRuntimeError(error, 'file_unreadable', `${path} cannot be read.`);
  }
  return hash.digest('hex');
}
