import type { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Notice } from '../../contracts/app/settings.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import type { Conversation } from '../../contracts/stored.ts';
import { Changes } from './changes.ts';
import { ConversationStore, type ConversationPage } from './conversation-store.ts';
import { openDatabase, transaction } from './database.ts';
import { lockOwner, soleOwner, type OwnerLock } from './owner-lock.ts';
import { endAbandonedRuns } from './recovery.ts';
import type { OpenTrace, RunLoop } from './run-loop.ts';
import { RunService } from './run-service.ts';
import { RunStore } from './run-store.ts';

export interface ConversationParts {
  /** The data directory; null keeps everything in memory and forgets it. */
  readonly dataDirectory: string | null;
  readonly loop: RunLoop;
  readonly openTrace: OpenTrace;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Conversations: the database of one data directory, and the runs that this program drives. */
export class ConversationService {
  readonly conversations: ConversationStore;
  readonly runs: RunService;
  readonly changes = new Changes();
  readonly notices: readonly Notice[];
  readonly #store: RunStore;
  readonly #database: DatabaseSync;
  readonly #lock: OwnerLock;
  readonly #parts: ConversationParts;
  #isClosed = false;

  /** @throws ConversationError when the database cannot be opened; then nothing is held */
  constructor(parts: ConversationParts) {
    const { dataDirectory, clock, random } = parts;
    this.#parts = parts;
    const owner = random.id();
    this.#lock =
      dataDirectory === null ? soleOwner(owner) : lockOwner(join(dataDirectory, 'owners'), owner);
    try {
      const path = dataDirectory === null ? ':memory:' : join(dataDirectory, 'trinity.sqlite');
      this.#database = openDatabase(path, () => this.#lock.isOtherSchemaLive());
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    const store = new RunStore(this.#database, this.#lock);
    this.#store = store;
    this.conversations = new ConversationStore(this.#database, store);
    const ended = endAbandonedRuns(store, clock.now());
    this.notices = ended.length === 0 ? [] : [abandoned(ended.length)];
    this.runs = new RunService({
      ...parts,
      conversations: this.conversations,
      runs: store,
      changes: this.changes,
    });
  }

  create(): Conversation {
    const { clock, random } = this.#parts;
    const conversation = this.conversations.create(random.id(), clock.now());
    this.changes.publish({ kind: 'conversation', id: conversation.id });
    return conversation;
  }

  /** Conversations by their last change, or those that hold what is searched for by their newest match. */
  async list(page: {
    readonly query: string;
    readonly before: number | null;
    readonly limit: number;
  }): Promise<ConversationPage> {
    const { query, before, limit } = page;
    if (query.trim() === '') return this.conversations.page(before, limit);
    return this.conversations.search(query, before, limit);
  }

  /**
   * Copies a conversation whose runs have ended into another service's database, ids and events as they
   * are. A copy from before is replaced.
   */
  copyTo(other: ConversationService, id: string): void {
    const conversation = this.conversations.read(id);
    other.conversations.insertCopy(conversation);
    for (const run of conversation.runs) {
      transaction(other.#database, () => other.#store.insert(run));
      for (let next = 0; next <= run.lastSeq;) {
        const events = this.#store.events(run.id, next, copiedAtOnce);
        next += events.length;
        other.#store.append({ ...run, lastSeq: next - 1 }, events);
      }
    }
    other.changes.publish({ kind: 'conversation', id });
  }

  /** Stops every run, keeps what there is, and lets go of the database. May be called twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.runs.close();
    this.changes.close();
    this.#database.close();
    this.#lock.release();
  }
}

const copiedAtOnce = 512;

function abandoned(count: number): Notice {
  const runs = count === 1 ? 'One answer was' : `${count} answers were`;
  return {
    code: 'runs_abandoned',
    message: `${runs} under way when the program ended unexpectedly. What had arrived is kept, marked as stopped.`,
  };
}
