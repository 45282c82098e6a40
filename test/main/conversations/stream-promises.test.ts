import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { streamWindow, type Attached } from '../../../contracts/app/chat.ts';
import { openService, settled } from './open-service.ts';

/** A window that takes, acknowledges and leaves when a test says so. */
class Window {
  readonly seqs: number[] = [];
  readonly from: number;
  acknowledged: number;
  streamId = '';
  hasEnded = false;
  readonly #stream: AsyncGenerator<Attached, void>;
  #pending: Promise<void> | null = null;

  constructor(stream: AsyncGenerator<Attached, void>, from: number) {
    this.#stream = stream;
    this.from = from;
    this.acknowledged = from - 1;
  }

  /** Asks for the next message, unless one is on its way. */
  take(): void {
    this.#pending ??= this.#stream.next().then(({ done, value }) => {
      this.#pending = null;
      if (done === true) this.hasEnded = true;
      else if (value.kind === 'opened') this.streamId = value.streamId;
      else this.seqs.push(...value.events.map((event) => event.seq));
    });
  }

  async leave(): Promise<void> {
    await this.#stream.return();
    await this.#pending;
    this.hasEnded = true;
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('say' as const), count: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ do: fc.constant('attach' as const), behind: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ do: fc.constant('take' as const), window: fc.nat(3) }),
  fc.record({
    do: fc.constant('acknowledge' as const),
    window: fc.nat(3),
    short: fc.integer({ min: 0, max: 60 }),
  }),
  fc.record({ do: fc.constant('leave' as const), window: fc.nat(3) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }),
);

describe('streams, whatever windows do', () => {
  it('give each window every event once, in order, and never more than its window ahead', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { service, loop, clock } = openService();
        const { id } = service.create();
        const { runId } = service.runs.start(id, 'task', {});
        loop.last.begin();
        await settled();
        let last = 3;
        const windows: Window[] = [];
        const check = (): void => {
          for (const window of windows) {
            expect(window.seqs).toEqual(window.seqs.map((_, at) => window.from + at));
            expect(window.seqs.at(-1) ?? -1).toBeLessThanOrEqual(
              window.acknowledged + streamWindow,
            );
          }
        };
        for (const action of steps) {
          const window = 'window' in action ? windows[action.window] : undefined;
          if (action.do === 'say') {
            loop.last.say(...Array.from({ length: action.count }, () => 'x'));
            last += action.count;
          } else if (action.do === 'attach' && windows.length < 4) {
            const from = Math.max(0, last - action.behind);
            windows.push(new Window(service.runs.attach(runId, from), from));
          } else if (action.do === 'wait') clock.advance(action.ms);
          else if (window !== undefined && !window.hasEnded) {
            if (action.do === 'take') window.take();
            else if (action.do === 'leave') await window.leave();
            else if (action.do === 'acknowledge') {
              const seq = (window.seqs.at(-1) ?? window.from - 1) - action.short;
              window.acknowledged = Math.max(window.acknowledged, seq);
              service.runs.acknowledge(window.streamId, seq);
            }
          }
          await settled();
          check();
        }
        service.runs.stop(runId);
        // Every window that stayed and acknowledges sees the end, and nothing but what it has not seen.
        for (const window of windows) {
          while (!window.hasEnded) {
            window.take();
            await settled();
            window.acknowledged = window.seqs.at(-1) ?? window.acknowledged;
            service.runs.acknowledge(window.streamId, window.acknowledged);
          }
        }
        check();
        expect(service.runs.openStreams).toBe(0);
        await service.close();
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
