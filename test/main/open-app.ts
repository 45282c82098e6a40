import { join } from 'node:path';
import { createRouterClient, type RouterClient } from '@orpc/server';
import { onTestFinished } from 'vitest';
import type { Attached } from '../../contracts/app/chat.ts';
import { endsRun, type RunEvent } from '../../contracts/events.ts';
import type { RoleName } from '../../contracts/roles.ts';
import type { RouteLogits, RouteRequest } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import { createApp, type App } from '../../main/app.ts';
import type { AppParts } from '../../main/app-parts.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import { createSystemRandom } from '../../main/hosts/system-random.ts';
import { KeyFile } from '../../main/settings/keys/key-file.ts';
import { plainCipher } from '../../main/settings/keys/secret-cipher.ts';
import { createVault } from '../../main/settings/keys/vault.ts';
import { logitsFor } from '../coordinator/scripted-run.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { ScriptedClient } from './models/scripted-client.ts';

export type AppClient = RouterClient<App['router']>;

/** Sends the first turn to a Worker and every later one to a Verifier, each in a slot of its own. */
export class WorkerThenVerifier implements Router {
  readonly requests: RouteRequest[] = [];

  route(request: RouteRequest): Promise<RouteLogits> {
    this.requests.push(request);
    const role: RoleName = request.messages.at(-1)?.role === 'user' ? 'Worker' : 'Verifier';
    return Promise.resolve(logitsFor(role === 'Worker' ? 4 : 2, role, 7));
  }
}

/** The app over real files and a scripted router; rehearsal agents do not pause. */
export async function openApp(options: Partial<AppParts> & { router?: Router } = {}) {
  const dataDirectory = options.dataDirectory ?? temporaryFolder();
  const random = createSystemRandom();
  const app = await createApp({
    host: 'browser',
    launcher: {
      launch: () => {
        throw new Error('no process may be started here');
      },
    },
    vault: createVault({
      file: new KeyFile(join(dataDirectory, 'keys.json'), random),
      ciphers: [plainCipher],
      environment: [],
      program: 'a test',
      random,
    }),
    httpClient: () => Promise.reject(new Error('no socket may be opened here')),
    clock: createSystemClock(),
    random,
    routerClient: new ScriptedClient(options.router ?? new WorkerThenVerifier()),
    rehearsal: { paceMs: 0, script: null },
    ...options,
    dataDirectory,
  });
  onTestFinished(() => app.close());
  return { app, dataDirectory, client: createRouterClient(app.router) as AppClient };
}

/** Follows a run to its end as a window does, acknowledging what it takes. */
export async function eventsOf(client: AppClient, runId: string, fromSeq = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let streamId = '';
  for await (const message of await client.chat.attach({ runId, fromSeq })) {
    streamId = take(message, events) ?? streamId;
    await client.chat.acknowledge({ streamId, seq: events.at(-1)?.seq ?? -1 });
    if (events.some(endsRun)) break;
  }
  return events;
}

function take(message: Attached, events: RunEvent[]): string | null {
  if (message.kind === 'opened') return message.streamId;
  events.push(...message.events);
  return null;
}
