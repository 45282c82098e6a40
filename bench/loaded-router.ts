import { join } from 'node:path';
import type { ChildHandle, ProcessEntry } from '../contracts/ports.ts';
import type { ProfileId } from '../contracts/profiles.ts';
import type { RouteLogits, RouteRequest } from '../contracts/route.ts';
import { createForkLauncher } from '../main/hosts/fork-launcher.ts';
import { createRouterClient, type RouterClient } from '../model-runtime/client.ts';
import { residentBytes } from './machine.ts';

/** A router loaded in a route process of its own, as the program runs it. */
export class LoadedRouter {
  readonly profile: ProfileId;
  /** Milliseconds from the first call to ready, quantised weights prepared before. */
  readonly loadMs: number;
  readonly #client: RouterClient;
  readonly #processes: ReadonlyMap<ProcessEntry, ChildHandle>;

  private constructor(
    profile: ProfileId,
    loadMs: number,
    client: RouterClient,
    processes: ReadonlyMap<ProcessEntry, ChildHandle>,
  ) {
    this.profile = profile;
    this.loadMs = loadMs;
    this.#client = client;
    this.#processes = processes;
  }

  static async open(
    directory: string,
    profile: ProfileId,
    workFolder: string,
  ): Promise<LoadedRouter> {
    // The first process may have to quantise and to hash: what is timed is the second one's load.
    const first = await launched(directory, profile, workFolder);
    await first.client.close();
    const { client, processes, loadMs } = await launched(directory, profile, workFolder);
    return new LoadedRouter(profile, loadMs, client, processes);
  }

  /** Resident size of the route process now, in bytes. */
  residentBytes(): number {
    const pid = this.#processes.get('route')?.pid;
    return pid === undefined ? Number.NaN : residentBytes(pid);
  }

  route(request: Partial<RouteRequest> & Pick<RouteRequest, 'messages'>): Promise<RouteLogits> {
    return this.#client.route({ windowTokens: null, messageCharacters: null, ...request });
  }

  /** Routes a transcript of which exactly `tokens` tokens are run, and gives the milliseconds of the run. */
  async time(tokens: number, request: Partial<RouteRequest> = {}): Promise<number> {
    const result = await this.route({ ...request, messages: messagesOf(tokens) });
    if (result.tokenCount !== tokens + 1) {
      throw new Error(`${tokens} tokens were meant to be run, ${result.tokenCount - 1} were`);
    }
    return result.timings.runMs;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/**
 * A transcript of tokens + 1 tokens, whose last one is not run. Transcripts of other lengths are its prefixes:
 * `user`, `:` and one token for each ` a`.
 */
function messagesOf(tokens: number): RouteRequest['messages'] {
  return [{ role: 'user', content: Array.from({ length: tokens - 1 }, () => 'a').join(' ') }];
}

async function launched(directory: string, profile: ProfileId, workFolder: string) {
  const fork = createForkLauncher({ env: process.env });
  const processes = new Map<ProcessEntry, ChildHandle>();
  const client = createRouterClient({
    launcher: {
      launch: (entry, args) => {
        const child = fork.launch(entry, args);
        processes.set(entry, child);
        return child;
      },
    },
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    routersDirectory: join(workFolder, 'routers'),
    baseFolders: [],
    cacheDirectory: join(workFolder, 'cache'),
    threads: 2,
    prefixCacheBytes: 1024 * 1024 * 1024,
  });
  const from = performance.now();
  await client.select(directory, profile);
  await client.load();
  return { client, processes, loadMs: performance.now() - from };
}
