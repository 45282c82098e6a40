import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { AppContract } from '../../contracts/app/contract.ts';
import {
  secretSchema,
  sessionPath,
  socketPath,
  socketProtocols,
} from '../../contracts/app/handshake.ts';
import { slotBindingSchema } from '../../contracts/slots.ts';
import type { Agents } from './agents.ts';
import { goodKey } from './agents.ts';
import type { Host } from './host.ts';

export type ApiClient = ContractRouterClient<AppContract>;

/** A page of ours without a browser: it comes in by a one-time address and speaks the contract. */
export interface ApiPage {
  readonly client: ApiClient;
  readonly socket: WebSocket;
  /** Every message that the host sent, as text. */
  readonly received: string[];
  close(): void;
}

export async function openApiPage(host: Host): Promise<ApiPage> {
  const token = new URL(await host.address()).hash.slice(1);
  const response = await fetch(host.origin + sessionPath, {
    method: 'POST',
    headers: { origin: host.origin },
    body: JSON.stringify({ token }),
  });
  const { secret } = z.object({ secret: secretSchema }).parse(await response.json());
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const socket = new WebSocket(
    host.origin.replace('http', 'ws') + socketPath,
    socketProtocols(secret),
    { origin: host.origin, headers: { cookie } },
  );
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(data.toString('utf8')));
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', reject);
  });
  return {
    client: createORPCClient<ApiClient>(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    ),
    socket,
    received,
    close: () => socket.close(),
  };
}

/** Binds every slot to the local agents and lets them answer. */
export async function useAgents(client: ApiClient, agents: Agents): Promise<void> {
  const key = await client.slots.putKey({
    secret: goodKey,
    baseUrl: agents.baseUrl,
    scheme: 'session',
  });
  const {
    index: _index,
    name: _name,
    ...binding
  } = slotBindingSchema.parse({
    index: 0,
    name: 'local',
    provider: 'openai-compatible',
    model: 'test-model',
    baseUrl: agents.baseUrl,
    keyRef: key.id,
  });
  await client.slots.setAll(binding);
  await client.settings.update({ agents: 'slots' });
}

/** Lets rehearsal agents answer again, as on the first start: no slot is bound. */
export async function useRehearsal(client: ApiClient): Promise<void> {
  await client.settings.update({ agents: 'rehearsal' });
  const slots = await client.slots.list({});
  for (const { index, binding } of slots) {
    if (binding !== null) await client.slots.clear({ index });
  }
}

/** Does something with the host as a page of ours, and leaves. */
export async function asPage<T>(host: Host, work: (client: ApiClient) => Promise<T>): Promise<T> {
  const page = await openApiPage(host);
  try {
    return await work(page.client);
  } finally {
    page.close();
  }
}
