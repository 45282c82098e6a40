import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agents } from '../../contracts/agents.ts';
import type { Clock, HttpClient, KeyVault, RandomSource } from '../../contracts/ports.ts';
import { createAttempt } from './attempt.ts';
import { HealthBook } from './health.ts';
import { ContactLedger, contactLineSchema } from './ledger.ts';
import { MonthlyLog } from './monthly-log.ts';
import { createPool } from './pool.ts';
import { PriceTable, priceSnapshotSchema } from './price-table.ts';
import { rehearsalBindings } from './rehearsal/bindings.ts';
import { parseRehearsalScript } from './rehearsal/script.ts';
import { createRehearsalStream } from './rehearsal/stream.ts';
import { defaultRetryPolicy } from './retry.ts';
import { SlotService, type BindingStore } from './slot-service.ts';
import { Spending, spendingLineSchema } from './spending.ts';
import type { TokenCounter } from './usage.ts';

export interface ProvidersOptions {
  readonly store: BindingStore;
  readonly vault: KeyVault;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Labels of the active router's agents; their number is the number of slots. */
  agentLabels(): readonly string[];
  /** Folder of this room's files; null keeps nothing. */
  readonly folder: string | null;
  /** The price snapshot, `assets/prices/prices.json`. */
  readonly pricesFile: string;
  /** Pause between two pieces of a rehearsed answer; 0 where nobody watches. */
  readonly rehearsalPaceMs: number;
  /** A rehearsal script to speak by, or null. */
  readonly rehearsalScript: string | null;
  /** Counts tokens where a provider does not say; absent leaves such usage unknown. */
  readonly countTokens?: TokenCounter;
  /** Told when a line of spending or contacts could not be written. */
  onProblem(error: unknown): void;
}

/** Everything behind the slots, wired. */
export interface Providers {
  agents(kind: Agents['kind']): Agents;
  readonly slots: SlotService;
  readonly spending: Spending;
  readonly ledger: ContactLedger;
  /** Writes out what is still on its way to a file. */
  close(): Promise<void>;
}

/** How long usage may follow a complete answer before the connection is closed. */
const settleMs = 3_000;

/** @throws ProviderError `script_invalid`; the file system's error when prices or logs cannot be read */
export async function openProviders(options: ProvidersOptions): Promise<Providers> {
  const { clock, random, vault, store, folder } = options;
  const log = <Line>(name: string, schema: ConstructorParameters<typeof MonthlyLog<Line>>[1]) =>
    folder === null ? null : new MonthlyLog(join(folder, name), schema, clock, options.onProblem);
  const contactLog = log('contacts', contactLineSchema);
  const spendingLog = log('spending', spendingLineSchema);
  const ledger = await ContactLedger.open(clock, contactLog);
  const spending = await Spending.open(clock, spendingLog, random.id());
  const prices = new PriceTable(
    priceSnapshotSchema.parse(JSON.parse(await readFile(options.pricesFile, 'utf8'))),
  );
  const rehearsal = createRehearsalStream({
    clock,
    paceMs: options.rehearsalPaceMs,
    script: options.rehearsalScript === null ? null : parseRehearsalScript(options.rehearsalScript),
  });

  const pool = (kind: Agents['kind'], bindings: BindingStore['read'], health: HealthBook): Agents =>
    createPool({
      kind,
      agentCount: () => options.agentLabels().length,
      bindings,
      attempt: createAttempt({
        http: ledger.metered(options.http, 'model call'),
        clock,
        vault,
        settleMs,
        rehearsal,
      }),
      health,
      prices,
      spending,
      retry: defaultRetryPolicy,
      clock,
      random,
      ...(options.countTokens === undefined ? {} : { countTokens: options.countTokens }),
    });
  const health = new HealthBook(clock);
  const agents = {
    slots: pool('slots', () => store.read(), health),
    rehearsal: pool(
      'rehearsal',
      () => rehearsalBindings(options.agentLabels().length),
      new HealthBook(clock),
    ),
  };
  return {
    agents: (kind) => agents[kind],
    slots: new SlotService({
      store,
      vault,
      http: ledger.metered(options.http, 'slot test'),
      clock,
      health,
      prices,
      settleMs,
      agentLabels: () => options.agentLabels(),
    }),
    spending,
    ledger,
    close: async () => {
      await Promise.all([contactLog?.flush(), spendingLog?.flush()]);
    },
  };
}
