import type { RunEvent } from '../../../contracts/events.ts';
import type { RouteDecision } from '../../../contracts/route.ts';
import type { RunLoop, RunStart, WhatIf } from '../../../main/conversations/run-loop.ts';
import { decisionOf, numbered } from '../../fixtures/run-events.ts';

type Bodies = Parameters<typeof numbered>[1];

/** A run whose events a test hands out. A stop ends it as stopped. */
export class SteppedRun {
  readonly start: RunStart;
  readonly signal: AbortSignal;
  isReturned = false;
  #seq = 0;
  #queue: RunEvent[] = [];
  #wake: () => void = () => undefined;

  constructor(start: RunStart, signal: AbortSignal) {
    this.start = start;
    this.signal = signal;
    signal.addEventListener('abort', () =>
      this.emit([
        {
          type: 'run_completed',
          turn: 0,
          status: 'stopped',
          budget: null,
          answer: null,
          verdict: null,
        },
      ]),
    );
  }

  /** Numbers event bodies and hands them to whoever takes the run's events. */
  emit(bodies: Bodies): void {
    const events = numbered(this.start.runId, bodies, this.#seq);
    this.#seq += events.length;
    this.#queue.push(...events);
    this.#wake();
  }

  begin(): void {
    this.emit([
      {
        type: 'run_started',
        turn: 0,
        task: this.start.task,
        maxTurns: 5,
        agentCount: 7,
        agents: 'rehearsal',
        transcriptHash: `v1:${'a'.repeat(64)}`,
      },
      { type: 'turn_started', turn: 1, transcriptHash: `v1:${'a'.repeat(64)}`, messageCount: 1 },
      { type: 'routed', turn: 1, decision: decisionOf() },
      {
        type: 'dispatch_started',
        turn: 1,
        call: 1,
        slot: 4,
        role: 'Worker',
        provider: 'local',
        model: 'small',
      },
    ]);
  }

  say(...texts: string[]): void {
    this.emit(texts.map((text) => ({ type: 'delta', turn: 1, channel: 'text', text })));
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    try {
      for (;;) {
        const event = this.#queue.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
          continue;
        }
        yield event;
        if (event.type === 'run_completed' || event.type === 'run_failed') return;
      }
    } finally {
      this.isReturned = true;
    }
  }
}

/** A loop whose runs a test steps through. */
export class SteppedLoop implements RunLoop {
  readonly runs: SteppedRun[] = [];
  readonly questions: WhatIf[] = [];

  agentsKind() {
    return 'rehearsal' as const;
  }

  slotCount() {
    return 7;
  }

  run(start: RunStart, signal: AbortSignal): AsyncGenerator<RunEvent, void, undefined> {
    const run = new SteppedRun(start, signal);
    this.runs.push(run);
    return run.events();
  }

  decide(question: WhatIf): Promise<RouteDecision> {
    this.questions.push(question);
    return Promise.resolve(decisionOf());
  }

  get last(): SteppedRun {
    const run = this.runs.at(-1);
    if (run === undefined) throw new Error('no run was started');
    return run;
  }
}
