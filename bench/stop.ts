import { createHttpClient } from '../main/hosts/http-client.ts';
import { plainAnswer } from '../test/servers/answers.ts';
import { openAiChatFormat } from '../test/servers/openai-chat.ts';
import { streamHeaders } from '../test/servers/provider-server.ts';
import { startScriptedServer } from '../test/servers/scripted-server.ts';
import { callOf, realClock, slot, testPool } from '../test/main/providers/harness.ts';
import type { BenchContext, BenchLane, BenchReport } from './lane.ts';

/** A stop is felt as instant below this. */
const limitMs = 200;

/** Stop in the middle of an answer: until the caller is told, and until the server sees its socket close. */
export const stopLane: BenchLane = {
  name: 'stop',
  about: 'stopping an answer mid-stream, over a real socket',
  run: measureStop,
};

async function measureStop({ repetitions, say }: BenchContext): Promise<BenchReport> {
  const begun = openAiChatFormat.frames(plainAnswer).slice(0, 3);
  const server = await startScriptedServer(() => ({
    headers: streamHeaders,
    steps: [...begun.map((write) => ({ write })), { stall: true }],
  }));
  const client = createHttpClient({ environment: {} });
  try {
    const { agents } = testPool({
      bindings: [slot({ baseUrl: `${server.origin}/v1` })],
      http: client.http,
    });
    const told: number[] = [];
    const closed: number[] = [];
    for (let run = 0; run < repetitions * 10; run += 1) {
      const stop = new AbortController();
      let stoppedAt = 0;
      for await (const event of agents.call(callOf(), stop.signal)) {
        if (event.type === 'delta' && stoppedAt === 0) {
          stoppedAt = realClock.monotonic();
          stop.abort();
        }
        if (event.type === 'failed') told.push(realClock.monotonic() - stoppedAt);
      }
      await server.whenQuiet();
      closed.push(realClock.monotonic() - stoppedAt);
    }
    say(`${closed.length} answers stopped`);
    const row = (name: string, times: readonly number[]) => ({
      name,
      values: { 'median ms': quantile(times, 0.5), 'worst ms': Math.max(...times) },
    });
    return {
      rows: [row('caller is told', told), row('socket is closed', closed)],
      bars: [
        {
          name: 'Stop closes the socket (worst, ms)',
          value: Math.max(...closed),
          limit: limitMs,
          waived: null,
        },
      ],
    };
  } finally {
    await client.close();
    await server.close();
  }
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}
