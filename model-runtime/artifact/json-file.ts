import { readFile, stat } from 'node:fs/promises';
import type { z } from 'zod';
import { issueWords } from '../../contracts/issue-words.ts';
import { RuntimeError, toRuntimeError } from '../runtime-error.ts';

/** Manifests are small: the largest known has 20 KB. */
const fileLimit = 4 * 1024 * 1024;

/**
 * Reads a JSON file of the router's own formats.
 *
 * @throws RuntimeError `file_unreadable`, or `router_invalid` naming the file and the fault
 */
export async function readJsonFile<S extends z.ZodType>(
  path: string,
  schema: S,
): Promise<z.output<S>> {
  const parsed = schema.safeParse(parse(await readText(path), path));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 3).map(issueWords).join('; ');
  throw new RuntimeError('router_invalid', `${path} is not what it should be: ${faults}.`);
}

async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > fileLimit) {
      throw new RuntimeError('router_invalid', `${path} is no file of at most ${fileLimit} bytes.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    throw toRuntimeError(error, 'file_unreadable', `${path} cannot be read.`);
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RuntimeError('router_invalid', `${path} is not JSON.`, { cause: error });
  }
}
