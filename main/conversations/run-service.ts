import type { Attached, Pins } from '../../contracts/app/chat.ts';
import { toFailure } from '../../contracts/failure.ts';
import { openRun } from '../../contracts/fold-run.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import type { Conversation, RunRecord } from '../../contracts/stored.ts';
import type { Changes } from './changes.ts';
import type { ConversationStore } from './conversation-store.ts';
import { ConversationError, noSuchSlot } from './errors.ts';
import { StoredRun } from './event-source.ts';
import { LiveRun } from './live-run.ts';
import { endAbandonedRuns, endedEarly } from './recovery.ts';
import type { OpenTrace, RunLoop, RunStart, WhatIf } from './run-loop.ts';
import type { RunStore } from './run-store.ts';
import { Streams } from './streams.ts';

export interface RunServiceParts {
  readonly conversations: ConversationStore;
  readonly runs: RunStore;
  readonly changes: Changes;
  readonly loop: RunLoop;
  readonly openTrace: OpenTrace;
  readonly clock: Clock;
  readonly random: RandomSource;
}

interface Driven {
  readonly live: LiveRun;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** How long closing waits for runs to say that they have stopped. */
const stopGraceMs = 2000;

/** Starts runs and drives them to their end, whether or not a window watches. */
export class RunService {
  readonly #parts: RunServiceParts;
  readonly #streams: Streams;
  /** Runs in progress, and runs whose end could not be stored yet. */
  readonly #driven = new Map<string, Driven>();
  #isClosed = false;

  constructor(parts: RunServiceParts) {
    this.#parts = parts;
    this.#streams = new Streams(parts.random);
  }

  /**
   * Starts a run of a conversation.
   *
   * @throws ConversationError `not_found`, `run_in_progress`, `no_such_slot`, `storage_unwritable`, `closed`
   */
  start(conversationId: string, text: string, pins: Pins): { runId: string } {
    if (this.#isClosed) throw new ConversationError('closed', 'The program is closing.');
    const { conversations, runs, changes, loop, clock, random } = this.#parts;
    this.#storeEnded();
    checkPins(pins, loop.slotCount());
    const conversation = this.read(conversationId);
    const record = openRun({
      id: random.id(),
      conversationId,
      task: text,
      agents: loop.agentsKind(),
      startedAt: clock.now(),
    });
    conversations.addRun(record);
    const live = new LiveRun(record, runs, clock);
    const stop = new AbortController();
    const start = { runId: record.id, ...startOf(conversation, text, pins) };
    this.#driven.set(record.id, { live, stop, done: this.#drive(live, start, stop.signal) });
    changes.publish({ kind: 'run_started', id: conversationId, runId: record.id });
    return { runId: record.id };
  }

  /** Stops a run; what was produced is kept. Stopping a run that has ended does nothing. */
  stop(runId: string): void {
    const driven = this.#driven.get(runId);
    if (driven !== undefined) return driven.stop.abort();
    const { hasEnded } = this.#parts.runs.position(runId);
    if (!hasEnded) {
      throw new ConversationError(
        'run_in_progress',
        'Another Trinity program drives this run. Stop it there.',
      );
    }
  }

  /**
   * Follows a run from an event on: live, or as it is stored.
   *
   * @throws ConversationError `not_found`
   */
  attach(runId: string, fromSeq: number, signal?: AbortSignal): AsyncGenerator<Attached, void> {
    const { runs, clock } = this.#parts;
    const source = this.#driven.get(runId)?.live ?? new StoredRun(runs, runId, clock);
    return this.#streams.attach(source, fromSeq, signal);
  }

  acknowledge(streamId: string, seq: number): void {
    this.#streams.acknowledge(streamId, seq);
  }

  /** Streams that windows have open. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /**
   * What the router would decide for a text in a conversation, or as the first message of a new one (null).
   * Calls no agent, writes nothing.
   */
  async whatIf(
    conversationId: string | null,
    text: string,
    options: Pick<WhatIf, 'pins' | 'disabledSlots'>,
    signal?: AbortSignal,
  ) {
    const { pins } = options;
    const start =
      conversationId === null
        ? { conversationId, task: text, systemPrompt: '', earlier: [], pins }
        : startOf(this.read(conversationId), text, pins);
    return this.#parts.loop.decide({ ...start, disabledSlots: options.disabledSlots }, signal);
  }

  /**
   * A conversation with its live run as it stands now. A run whose program has died meanwhile is ended.
   *
   * @throws ConversationError `not_found`
   */
  read(conversationId: string): Conversation {
    const conversation = this.#readLiving(conversationId);
    const runs = conversation.runs.map((run) => this.#driven.get(run.id)?.live.record ?? run);
    const liveRunId = runs.find((run) => run.status === 'running')?.id ?? null;
    return { ...conversation, runs, liveRunId };
  }

  /**
   * Deletes a conversation after stopping its run.
   *
   * @throws ConversationError `not_found`, or `run_in_progress` when another program drives its run
   */
  async remove(conversationId: string): Promise<void> {
    const { liveRunId } = this.read(conversationId);
    if (liveRunId !== null) this.stop(liveRunId);
    const own = [...this.#driven].filter(([, { live }]) => isOf(live.record, conversationId));
    await Promise.all(own.map(([, { done }]) => done));
    this.#parts.conversations.remove(conversationId);
    // What could not be stored belongs to nothing any more.
    for (const [runId] of own) this.#driven.delete(runId);
  }

  /** Stops every run, keeps what there is, ends every stream. May be called twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#driven.values()) stop.abort();
    const ended = Promise.all([...this.#driven.values()].map(({ done }) => done));
    await Promise.race([ended, this.#after(stopGraceMs)]);
    this.#storeEnded();
    this.#streams.close();
  }

  #readLiving(conversationId: string): Conversation {
    const { conversations, runs, clock } = this.#parts;
    const conversation = conversations.read(conversationId);
    const isForeign = (run: RunRecord): boolean => !hasEnded(run) && !this.#driven.has(run.id);
    if (!conversation.runs.some(isForeign)) return conversation;
    const ended = endAbandonedRuns(runs, clock.now());
    return ended.length === 0 ? conversation : conversations.read(conversationId);
  }

  async #drive(live: LiveRun, start: RunStart, signal: AbortSignal): Promise<void> {
    const { loop, openTrace, clock, changes } = this.#parts;
    const { runId, conversationId } = start;
    // Made now, with the settings as they are now; it does nothing before its first event is asked for.
    const events = loop.run(start, signal);
    const trace = await openTrace(start);
    const take = (event: Parameters<LiveRun['append']>[0]): void => {
      trace.write(event);
      live.append(event);
    };
    try {
      // Leaving the loop early returns the generator, so that nothing is dispatched after a failure.
      for await (const event of events) take(event);
      if (!live.hasEnded) throw new Error('the run ended without saying how');
    } catch (error) {
      if (!live.hasEnded) {
        const { code, message } = toFailure(error);
        take(endedEarly(live.record, { status: 'failed', code, message }, clock.now()));
      }
    }
    await trace.close();
    if (live.isStored) this.#driven.delete(runId);
    changes.publish({ kind: 'run_ended', id: conversationId, runId });
  }

  /** Tries again to store the ends of runs that could not be stored. */
  #storeEnded(): void {
    for (const [runId, { live }] of this.#driven) {
      if (!live.hasEnded) continue;
      if (!live.isStored) live.flush();
      this.#driven.delete(runId);
    }
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.clock.after(ms, resolve));
  }
}

function startOf(conversation: Conversation, text: string, pins: Pins): Omit<RunStart, 'runId'> {
  return {
    conversationId: conversation.id,
    task: text,
    systemPrompt: conversation.systemPrompt,
    earlier: conversation.runs.filter(hasEnded).map(({ task, answer }) => ({ task, answer })),
    pins,
  };
}

/** A run with such a pin could only fail; nothing would be asked. */
function checkPins({ slot }: Pins, count: number): void {
  if (slot === undefined || slot < count) return;
  throw new ConversationError('no_such_slot', noSuchSlot(slot, count));
}

function isOf(run: RunRecord, conversationId: string): boolean {
  return run.conversationId === conversationId;
}

function hasEnded(run: RunRecord): boolean {
  return run.status !== 'running';
}
