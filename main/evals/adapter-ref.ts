import { resolve } from 'node:path';
import { summariseRouter, type RouterClient } from '../../model-runtime/client.ts';

/** Identity of the router that a name stands for; null for one that is not built, or broken. */
export async function adapterRefOf(
  client: Pick<RouterClient, 'list'>,
  name: string,
): Promise<string | null> {
  const directory = resolve(name);
  const listed = (await client.list()).find(
    (router) => router.id === name || router.directory === directory,
  );
  const summary = listed ?? (await summariseRouter(directory, name));
  return summary?.adapterRef ?? null;
}
