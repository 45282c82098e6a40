import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** What a second start, or `trinity url`, asks of the instance that holds the data directory. */
const requestSchema = z.object({ secret: z.string(), ask: z.enum(['hand-over', 'url']) });
export type InstanceAsk = z.infer<typeof requestSchema>['ask'];

/** `url` is null when the instance has a window of its own, which it has then brought to the front. */
const answerSchema = z.object({
  host: z.enum(['electron', 'browser']),
  url: z.string().nullable(),
});
export type InstanceAnswer = z.infer<typeof answerSchema>;

/** How to reach an instance. Readable by the owner of the data directory alone. */
export const instanceRecordSchema = z.object({
  pid: z.number().int(),
  address: z.string(),
  secret: z.string(),
});
export type InstanceRecord = z.infer<typeof instanceRecordSchema>;

export interface InstanceChannel {
  readonly record: InstanceRecord;
  close(): void;
}

/** Longest line that either side reads. */
const lineLimit = 4_096;
const answerTimeoutMs = 5_000;

/**
 * Listens for other starts on this machine: a Unix socket in the data directory, a named pipe on Windows.
 * Each connection is one line of JSON and one line back. A line without the secret gets no answer.
 */
export async function openInstanceChannel(
  dataDirectory: string,
  answer: (ask: InstanceAsk) => InstanceAnswer,
): Promise<InstanceChannel> {
  const place = channelPlace(dataDirectory);
  const record: InstanceRecord = {
    pid: process.pid,
    address: place.address,
    secret: randomBytes(32).toString('base64url'),
  };
  const server = createServer((socket) => {
    socket.setTimeout(answerTimeoutMs, () => socket.destroy());
    readLine(socket).then(
      (line) => {
        const request = requestSchema.safeParse(parseJson(line));
        if (!request.success || !isSame(request.data.secret, record.secret)) socket.destroy();
        else socket.end(`${JSON.stringify(answer(request.data.ask))}\n`);
      },
      // A stranger that hangs up has nothing to be told.
      () => socket.destroy(),
    );
  });
  server.maxConnections = 8;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (process.platform !== 'win32') chmodSync(place.address, 0o600);
  return {
    record,
    close() {
      server.close();
      place.remove();
    },
  };
}

/** Asks the instance of a record. Rejects when it cannot be reached, is slow, or answers something else. */
export async function askOverChannel(
  record: InstanceRecord,
  ask: InstanceAsk,
): Promise<InstanceAnswer> {
  const socket = createConnection(record.address);
  socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('no answer in time')));
  try {
    const line = readLine(socket);
    socket.write(`${JSON.stringify({ secret: record.secret, ask })}\n`);
    return answerSchema.parse(JSON.parse(await line));
  } finally {
    socket.destroy();
  }
}

/**
 * Where an instance listens, and how that place is cleared away. Unix sockets have short paths (104 bytes on
 * macOS), so a deep data directory gets one in a private folder of the temporary directory.
 */
function channelPlace(dataDirectory: string): { address: string; remove: () => void } {
  const name = `trinity-${randomBytes(8).toString('hex')}`;
  if (process.platform === 'win32') {
    return { address: `\\\\.\\pipe\\${name}`, remove: () => undefined };
  }
  const inside = join(dataDirectory, 'instance.sock');
  if (Buffer.byteLength(inside) <= 100) {
    const remove = (): void => rmSync(inside, { force: true });
    remove();
    return { address: inside, remove };
  }
  const folder = join(tmpdir(), name);
  mkdirSync(folder, { mode: 0o700 });
  return {
    address: join(folder, 's'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The first line of a connection. Rejects when it ends, fails or sends too much before that. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > lineLimit) reject(new Error('line too long'));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed before a line was complete')));
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSame(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
