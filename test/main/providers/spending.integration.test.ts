import { mkdtemp, readFile, rm, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MonthlyLog } from '../../../main/providers/monthly-log.ts';
import { Spending, spendingLineSchema } from '../../../main/providers/spending.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { callOf, collect, slot, testPool } from './harness.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-spending-'));
});
afterEach(() => rm(folder, { recursive: true }));

const clock = new ManualClock();
const month = new Date(clock.now()).toISOString().slice(0, 7);

async function program(name: string): Promise<{ spending: Spending; written(): Promise<void> }> {
  const log = new MonthlyLog(folder, spendingLineSchema, clock, (error) => {
    throw error;
  });
  return { spending: await Spending.open(clock, log, name), written: () => log.flush() };
}

const spent = { slot: 0, usd: 0.25, inputTokens: 1, outputTokens: 2 };

describe('spending of programs beside each other', () => {
  it('is counted by each, once, whoever wrote it', async () => {
    const one = await program('one');
    const other = await program('other');
    one.spending.add(spent);
    other.spending.add(spent);
    other.spending.add(spent);
    await Promise.all([one.written(), other.written()]);
    await Promise.all([one.spending.catchUp(), one.spending.catchUp(), other.spending.catchUp()]);
    expect(one.spending.thisMonthUsd(0)).toBe(0.75);
    expect(other.spending.totals()).toMatchObject([{ usd: 0.75, calls: 3, outputTokens: 6 }]);
  });

  it('is there again in a program that starts later, lines of older programs included', async () => {
    const first = await program('first');
    first.spending.add(spent);
    await first.written();
    const old = { at: clock.now(), ...spent };
    await appendFile(join(folder, `${month}.jsonl`), `\n${JSON.stringify(old)}\n`);
    expect((await program('second')).spending.thisMonthUsd(0)).toBe(0.5);
  });

  it('takes a line that is still being written when it is whole', async () => {
    const one = await program('one');
    const line = JSON.stringify({ at: clock.now(), ...spent, writer: 'other' });
    const file = join(folder, `${month}.jsonl`);
    await appendFile(file, `\n${line.slice(0, 20)}`);
    await one.spending.catchUp();
    expect(one.spending.thisMonthUsd(0)).toBe(0);
    await appendFile(file, `${line.slice(20)}\n`);
    await one.spending.catchUp();
    expect(one.spending.thisMonthUsd(0)).toBe(0.25);
  });

  it('holds a cap across them', async () => {
    const one = await program('one');
    const other = await program('other');
    const { agents } = testPool({
      bindings: [
        slot({
          price: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 },
          parameters: { maxTokens: 10 },
          monthlyCapUsd: 0.2,
        }),
      ],
      parts: { spending: one.spending },
    });
    other.spending.add(spent);
    await other.written();
    expect((await collect(agents, callOf())).last).toMatchObject({ code: 'spending_cap' });
    expect(await readFile(join(folder, `${month}.jsonl`), 'utf8')).not.toContain('"one"');
  });
});
