import type { DatabaseSync } from 'node:sqlite';
import type { Conversation, ConversationSummary, RunRecord } from '../../contracts/stored.ts';
import { transaction } from './database.ts';
import { conversationNotFound } from './errors.ts';
import type { Row } from './run-rows.ts';
import type { RunStore } from './run-store.ts';
import { SearchIndex } from './search/search-index.ts';
import { parseSearch } from './search/search-text.ts';
import { markdownSnippetOf, snippetOf } from './search/snippet.ts';
import { withStorageErrors } from './storage-errors.ts';
import { titleOf, untitled } from './title.ts';

export interface ConversationPage {
  readonly conversations: ConversationSummary[];
  readonly more: boolean;
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
}

const summaryColumns = `c.id, c.title, c.created_at, c.updated_at,
  (SELECT r.id FROM runs r WHERE r.conversation_id = c.id AND r.status = 'running') AS live_run_id`;

/** Conversations in the database. Their order is by last change, newest first. */
export class ConversationStore {
  readonly #database: DatabaseSync;
  readonly #search: SearchIndex;
  readonly #runs: RunStore;

  constructor(database: DatabaseSync, runs: RunStore) {
    this.#database = database;
    this.#search = new SearchIndex(database);
    this.#runs = runs;
  }

  create(id: string, now: number): Conversation {
    transaction(this.#database, () => {
      this.#database
        .prepare(
          `INSERT INTO conversations (id, title, created_at, updated_at)
           VALUES (?, ?, ?, ${freshUpdate})`,
        )
        .run(id, untitled, now, now);
    });
    return this.read(id);
  }

  /** Adds a conversation as it is, without its runs; one of the same id gives way with all its runs. */
  insertCopy({ id, title, systemPrompt, createdAt, updatedAt }: Conversation): void {
    transaction(this.#database, () => {
      this.#database.prepare('DELETE FROM conversations WHERE id = ?').run(id);
      this.#database
        .prepare(
          `INSERT INTO conversations (id, title, is_titled_by_person, system_prompt, created_at, updated_at)
           VALUES (?, ?, 1, ?, ?, ${freshUpdate})`,
        )
        .run(id, title, systemPrompt, createdAt, updatedAt);
    });
  }

  /** @throws ConversationError `not_found` */
  read(id: string): Conversation {
    const row = withStorageErrors(() =>
      this.#database
        .prepare(
          `SELECT ${summaryColumns}, c.system_prompt, COALESCE(d.text, '') AS draft
           FROM conversations c LEFT JOIN drafts d ON d.conversation_id = c.id WHERE c.id = ?`,
        )
        .get(id),
    );
    if (row === undefined) throw conversationNotFound(id);
    return {
      ...summaryOf(row),
      systemPrompt: String(row['system_prompt']),
      draft: String(row['draft']),
      runs: this.#runs.ofConversation(id),
    };
  }

  /** The conversations changed before `before` (all when null), newest first. */
  page(before: number | null, limit: number): ConversationPage {
    const rows = withStorageErrors(() =>
      this.#database
        .prepare(
          `SELECT ${summaryColumns} FROM conversations c WHERE c.updated_at < ?
           ORDER BY c.updated_at DESC LIMIT ?`,
        )
        .all(before ?? Number.MAX_VALUE, limit + 1),
    );
    const conversations = rows.slice(0, limit).map(summaryOf);
    const more = rows.length > limit;
    return { conversations, more, next: more ? (conversations.at(-1)?.updatedAt ?? null) : null };
  }

  /**
   * Conversations that hold what was searched for, by their newest match.
   *
   * @param before `next` of the page before, null for the first page
   */
  async search(text: string, before: number | null, limit: number): Promise<ConversationPage> {
    const query = parseSearch(text);
    if (query === null) return emptyPage;
    const conversations: ConversationSummary[] = [];
    let last: number | null = null;
    for await (const match of this.#search.search(query)) {
      if (before !== null && match.documentId >= before) continue;
      if (conversations.length === limit) return { conversations, more: true, next: last };
      const row = this.#summaryRow(match.conversationId);
      if (row === undefined) continue;
      // Titles and messages are shown as they were written; only what agents say is Markdown.
      const snippet = match.turn === 0 ? snippetOf : markdownSnippetOf;
      conversations.push({ ...summaryOf(row), snippet: snippet(match.text, query.needles) });
      last = match.documentId;
      // Reading Markdown takes milliseconds, and a run that streams must not wait for a whole page of it.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { conversations, more: false, next: null };
  }

  rename(id: string, title: string): void {
    const sql = 'UPDATE conversations SET title = ?, is_titled_by_person = 1 WHERE id = ?';
    transaction(this.#database, () => {
      if (this.#database.prepare(sql).run(title, id).changes === 0) throw conversationNotFound(id);
      this.#search.replace({ conversationId: id, runId: '', turn: 0 }, title);
    });
  }

  setSystemPrompt(id: string, text: string): void {
    this.#change(id, 'UPDATE conversations SET system_prompt = ? WHERE id = ?', [text, id]);
  }

  /** Keeps what a person has typed and not sent. An empty text forgets it. */
  saveDraft(id: string, text: string): void {
    this.#change(
      id,
      `INSERT OR REPLACE INTO drafts (conversation_id, text)
       SELECT id, ? FROM conversations WHERE id = ?`,
      [text, id],
    );
  }

  /** Deletes a conversation with everything that belongs to it. */
  remove(id: string): void {
    this.#change(id, 'DELETE FROM conversations WHERE id = ?', [id]);
  }

  /**
   * Adds a run to its conversation: the first message becomes the title unless the person gave one,
   * the draft was what is sent, and the conversation moves to the front.
   *
   * @throws ConversationError `not_found`, `run_in_progress`, `storage_unwritable`
   */
  addRun(run: RunRecord): void {
    transaction(this.#database, () => {
      const { conversationId } = run;
      const conversation = this.#database
        .prepare(
          `SELECT is_titled_by_person AS titled,
             EXISTS (SELECT 1 FROM runs WHERE conversation_id = c.id) AS has_runs
           FROM conversations c WHERE id = ?`,
        )
        .get(conversationId);
      if (conversation === undefined) throw conversationNotFound(conversationId);
      this.#runs.insert(run);
      if (conversation['titled'] === 0 && conversation['has_runs'] === 0) {
        this.#database
          .prepare('UPDATE conversations SET title = ? WHERE id = ?')
          .run(titleOf(run.task), conversationId);
      }
      this.#database.prepare('DELETE FROM drafts WHERE conversation_id = ?').run(conversationId);
      this.#touch(conversationId, run.startedAt);
    });
  }

  #summaryRow(id: string): Row | undefined {
    return withStorageErrors(() =>
      this.#database
        .prepare(`SELECT ${summaryColumns} FROM conversations c WHERE c.id = ?`)
        .get(id),
    );
  }

  /** Moves a conversation to the front of the list. */
  #touch(id: string, now: number): void {
    this.#database
      .prepare(`UPDATE conversations SET updated_at = ${freshUpdate} WHERE id = ?`)
      .run(now, id);
  }

  #change(id: string, sql: string, values: readonly string[]): void {
    const { changes } = transaction(this.#database, () =>
      this.#database.prepare(sql).run(...values),
    );
    if (changes === 0) throw conversationNotFound(id);
  }
}

const emptyPage: ConversationPage = { conversations: [], more: false, next: null };

/** A time of change that no other conversation has and that never goes back with the clock. */
const freshUpdate = 'MAX(?, COALESCE((SELECT MAX(updated_at) FROM conversations) + 1, 0))';

/** A summary of its row. */
export function summaryOf(row: Row): ConversationSummary {
  const liveRunId = row['live_run_id'];
  return {
    id: String(row['id']),
    title: String(row['title']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    liveRunId: typeof liveRunId === 'string' ? liveRunId : null,
    snippet: null,
  };
}
