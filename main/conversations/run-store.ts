import type { DatabaseSync } from 'node:sqlite';
import type { RunEvent } from '../../contracts/events.ts';
import { foldRun, openRun } from '../../contracts/fold-run.ts';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { transaction } from './database.ts';
import { ConversationError, runNotFound } from './errors.ts';
import { packEvents, unpackEvents } from './event-packing.ts';
import type { OwnerLock } from './owner-lock.ts';
import { jsonColumn, routeOfRow, runOfRow, turnOfRow, type Row } from './run-rows.ts';
import { SearchIndex } from './search/search-index.ts';
import { isConstraintViolation, withStorageErrors } from './storage-errors.ts';

/** Most events that one packed row holds, so that reading a few never unpacks many. */
const eventsPerRow = 512;

/** Runs in the database: their events as they come, their records once they end. */
export class RunStore {
  readonly #database: DatabaseSync;
  readonly #search: SearchIndex;
  readonly #lock: OwnerLock;

  /**
   * @param lock says whose the runs are that are started here. A store that is in use keeps it from the
   *   garbage collector, which would let go of it.
   */
  constructor(database: DatabaseSync, lock: OwnerLock) {
    this.#database = database;
    this.#search = new SearchIndex(database);
    this.#lock = lock;
  }

  /**
   * Adds a run that has no event yet, inside the caller's transaction.
   *
   * @throws ConversationError `run_in_progress` when the conversation has a live run
   */
  insert(run: RunRecord): void {
    try {
      this.#database
        .prepare(
          `INSERT INTO runs (id, conversation_id, owner, task, status, agents, started_at, last_seq)
           VALUES (?, ?, ?, ?, 'running', ?, ?, -1)`,
        )
        .run(run.id, run.conversationId, this.#lock.owner, run.task, run.agents, run.startedAt);
      this.#search.add({ conversationId: run.conversationId, runId: run.id, turn: 0 }, run.task);
    } catch (error) {
      if (!isConstraintViolation(error)) throw error;
      throw new ConversationError(
        'run_in_progress',
        'This conversation is being answered. Wait for the answer, or stop it first.',
        { cause: error },
      );
    }
  }

  /**
   * Keeps events of a run in one transaction, and what they leave behind: complete turns, and the
   * run's ending. `run` is the record after the last of them.
   *
   * @throws ConversationError `storage_unwritable`: then nothing of it is kept; `not_found` when the
   *   run was deleted meanwhile
   */
  append(run: RunRecord, events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    const completed = new Set(
      events.filter((event) => event.type === 'turn_completed').map((event) => event.turn),
    );
    const hasEnded = run.status !== 'running';
    try {
      transaction(this.#database, () => {
        this.#insertEvents(run.id, events);
        for (const turn of run.turns) {
          if (hasEnded || completed.has(turn.turn)) this.#writeTurn(run, turn);
        }
        this.#updateRun(run);
      });
    } catch (error) {
      throw isConstraintViolation(error) ? runNotFound(run.id) : error;
    }
  }

  /**
   * Events of a run from `fromSeq` on, at most `limit`, in order. Fewer than `limit` may come although
   * there are more; none come only at the end.
   */
  events(runId: string, fromSeq: number, limit: number): RunEvent[] {
    const rows = withStorageErrors(() =>
      this.#database
        .prepare(
          `SELECT body FROM events WHERE run_id = ? AND last_seq >= ? ORDER BY first_seq LIMIT 8`,
        )
        .all(runId, fromSeq),
    );
    const events: RunEvent[] = [];
    for (const row of rows) {
      if (events.length >= limit) break;
      for (const event of unpackEvents(runId, String(row['body']))) {
        if (event.seq >= fromSeq && events.length < limit) events.push(event);
      }
    }
    return events;
  }

  /** How far a run is. @throws ConversationError `not_found` */
  position(runId: string): { lastSeq: number; hasEnded: boolean } {
    const row = withStorageErrors(() =>
      this.#database.prepare('SELECT last_seq, status FROM runs WHERE id = ?').get(runId),
    );
    if (row === undefined) throw runNotFound(runId);
    return { lastSeq: Number(row['last_seq']), hasEnded: row['status'] !== 'running' };
  }

  /** A run with its turns. @throws ConversationError `not_found` */
  read(runId: string): RunRecord {
    const [run] = this.#read('id = ?', runId);
    if (run === undefined) throw runNotFound(runId);
    return run;
  }

  /** The runs of a conversation with their turns, in the order of their start. */
  ofConversation(conversationId: string): RunRecord[] {
    return this.#read('conversation_id = ?', conversationId);
  }

  /** Ids of runs that are marked as running although their program has ended. */
  abandoned(): string[] {
    const rows = withStorageErrors(() =>
      this.#database.prepare(`SELECT id, owner FROM runs WHERE status = 'running'`).all(),
    );
    return rows
      .filter((row) => !this.#lock.isAlive(String(row['owner'])))
      .map((row) => String(row['id']));
  }

  #read(condition: 'id = ?' | 'conversation_id = ?', value: string): RunRecord[] {
    return withStorageErrors(() => {
      const all = (columns: string, table: string, order: string): Row[] =>
        this.#database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${order}`).all(value);
      const ofRuns = `run_id IN (SELECT id FROM runs WHERE ${condition})`;
      const runs = all('*', `runs WHERE ${condition}`, 'rowid').map(runOfRow);
      const turns = all('*', `turns WHERE ${ofRuns}`, 'run_id, turn').map(turnOfRow);
      const routes = all('*', `routes WHERE ${ofRuns}`, 'run_id, turn, attempt').map(routeOfRow);
      return runs.map((run) => {
        if (run.status === 'running') return this.#folded(run);
        const own = turns.filter((turn) => turn.runId === run.id);
        const decisionsOf = (turn: number) =>
          routes
            .filter((route) => route.runId === run.id && route.turn === turn)
            .map((route) => route.decision);
        return {
          ...run,
          turns: own.map(({ turn }) => ({ ...turn, decisions: decisionsOf(turn.turn) })),
        };
      });
    });
  }

  /** A running run as its events tell it: its turns are written when they are complete. */
  #folded(run: Omit<RunRecord, 'turns'>): RunRecord {
    let record = openRun(run);
    for (;;) {
      const events = this.events(run.id, record.lastSeq + 1, eventsPerRow);
      if (events.length === 0) return record;
      record = events.reduce(foldRun, record);
    }
  }

  #insertEvents(runId: string, events: readonly RunEvent[]): void {
    const insert = this.#database.prepare(
      'INSERT INTO events (run_id, first_seq, last_seq, body) VALUES (?, ?, ?, ?)',
    );
    for (let start = 0; start < events.length; start += eventsPerRow) {
      const part = events.slice(start, start + eventsPerRow);
      const first = part[0]?.seq ?? 0;
      insert.run(runId, first, first + part.length - 1, packEvents(part));
    }
  }

  #writeTurn({ id: runId, conversationId }: RunRecord, turn: TurnRecord): void {
    this.#search.add({ conversationId, runId, turn: turn.turn }, turn.text);
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO turns (run_id, turn, slot, role, provider, model, resolved_model,
           text, reasoning, complete, finish_reason, verdict, suggestion, failures, usage, cost_usd,
           first_token_ms, latency_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[runId, turn.turn, turn.slot, turn.role, turn.provider, turn.model, turn.resolvedModel],
        ...[turn.text, turn.reasoning, turn.complete ? 1 : 0, turn.finishReason],
        ...[jsonColumn(turn.verdict), jsonColumn(turn.suggestion), JSON.stringify(turn.failures)],
        ...[jsonColumn(turn.usage), turn.costUsd, turn.firstTokenMs, turn.latencyMs],
      );
    const insertRoute = this.#database.prepare(
      'INSERT OR REPLACE INTO routes (run_id, turn, attempt, slot, role, decision) VALUES (?, ?, ?, ?, ?, ?)',
    );
    turn.decisions.forEach((decision, attempt) => {
      const { slot, role } = decision;
      insertRoute.run(
        runId,
        turn.turn,
        attempt,
        slot.effective,
        role.effective,
        JSON.stringify(decision),
      );
    });
  }

  #updateRun(run: RunRecord): void {
    this.#database
      .prepare(
        `UPDATE runs SET status = ?, budget = ?, code = ?, message = ?, answer = ?, verdict = ?,
           started_at = ?, ended_at = ?, last_seq = ? WHERE id = ?`,
      )
      .run(
        ...[run.status, run.budget, run.code, run.message, run.answer, jsonColumn(run.verdict)],
        ...[run.startedAt, run.endedAt, run.lastSeq, run.id],
      );
  }
}
