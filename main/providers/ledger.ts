import { z } from 'zod';
import type { Contact } from '../../contracts/app/slots.ts';
import type { Clock, HttpClient } from '../../contracts/ports.ts';
import type { MonthlyLog } from './monthly-log.ts';

/** One request, as the ledger's files keep it: no path, no header, no text. */
export const contactLineSchema = z.object({
  at: z.number(),
  host: z.string(),
  purpose: z.string(),
  sent: z.number().int().min(0),
  received: z.number().int().min(0),
});
export type ContactLine = z.infer<typeof contactLineSchema>;

/**
 * Every host that was contacted, what for, and how many bytes went each way. Bytes are those of request
 * line, headers and bodies, bodies as they read after decompression; what TLS adds is not counted.
 */
export class ContactLedger {
  readonly #clock: Clock;
  readonly #log: MonthlyLog<ContactLine> | null;
  readonly #contacts = new Map<string, Contact>();

  private constructor(clock: Clock, log: MonthlyLog<ContactLine> | null) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A ledger that goes on where this month's file ends; without a log it lives in memory. */
  static async open(clock: Clock, log: MonthlyLog<ContactLine> | null): Promise<ContactLedger> {
    const ledger = new ContactLedger(clock, log);
    for (const line of (await log?.read()) ?? []) ledger.#count(line);
    return ledger;
  }

  contacts(): Contact[] {
    return [...this.#contacts.values()].sort((a, b) => b.lastAt - a.lastAt);
  }

  /** The client, with every request it makes entered under this purpose when its answer is over. */
  metered(http: HttpClient, purpose: string): HttpClient {
    return async (url, request) => {
      const line = { at: this.#clock.now(), host: new URL(url).host, purpose };
      const sent = bytesSent(url, request);
      const enter = (received: number): void => this.#enter({ ...line, sent, received });
      let response: Response;
      try {
        response = await http(url, request);
      } catch (error) {
        enter(0);
        throw error;
      }
      return counted(response, enter);
    };
  }

  #enter(line: ContactLine): void {
    this.#count(line);
    this.#log?.append(line);
  }

  #count({ at, host, purpose, sent, received }: ContactLine): void {
    const key = JSON.stringify([host, purpose]);
    const known = this.#contacts.get(key);
    this.#contacts.set(key, {
      host,
      purpose,
      requests: (known?.requests ?? 0) + 1,
      bytesSent: (known?.bytesSent ?? 0) + sent,
      bytesReceived: (known?.bytesReceived ?? 0) + received,
      firstAt: Math.min(known?.firstAt ?? at, at),
      lastAt: Math.max(known?.lastAt ?? at, at),
    });
  }
}

function bytesSent(url: string, { method, headers, body }: Parameters<HttpClient>[1]): number {
  const { pathname, search } = new URL(url);
  const head = `${method} ${pathname}${search} HTTP/1.1\r\n\r\n${headerText(Object.entries(headers))}`;
  return Buffer.byteLength(head) + Buffer.byteLength(body ?? '');
}

function headerText(entries: Iterable<readonly [string, string]>): string {
  return [...entries].map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

/** The same answer, its bytes counted as they pass; `over` is called once, however it ends. */
function counted(response: Response, over: (received: number) => void): Response {
  const head = Buffer.byteLength(headerText(response.headers)) + 'HTTP/1.1 200 OK\r\n\r\n'.length;
  if (response.body === null) {
    over(head);
    return response;
  }
  const reader = response.body.getReader();
  let received = head;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    over(received);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            controller.close();
            return;
          }
          received += value.byteLength;
          controller.enqueue(value);
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
