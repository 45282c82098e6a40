import type { DatabaseSync } from 'node:sqlite';
import { withStorageErrors } from '../storage-errors.ts';
import { fold, indexedText, type SearchQuery } from './search-text.ts';

/** Where a text of a conversation stands: turn 0 is the run's message; a title has no run. */
export interface Place {
  readonly conversationId: string;
  readonly runId: string;
  readonly turn: number;
}

/** A conversation that was found, by its newest text that matches. */
export interface Match extends Place {
  readonly documentId: number;
  readonly text: string;
}

/** Matches read at a time; between two readings others get their turn. */
const sliceLimit = 256;

/** The full-text index of a database. Writes are made inside the caller's transaction. */
export class SearchIndex {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Adds a text that was not there; one that is there stays as it is. */
  add(place: Place, text: string): void {
    const { changes, lastInsertRowid } = this.#database
      .prepare('INSERT OR IGNORE INTO documents (conversation_id, run_id, turn) VALUES (?, ?, ?)')
      .run(place.conversationId, place.runId, place.turn);
    if (changes === 0) return;
    const { words, grams } = indexedText(text);
    this.#database
      .prepare('INSERT INTO found_words (rowid, text) VALUES (?, ?)')
      .run(lastInsertRowid, words);
    if (grams === '') return;
    this.#database
      .prepare('INSERT INTO found_grams (rowid, text) VALUES (?, ?)')
      .run(lastInsertRowid, grams);
  }

  /** Takes the place of a text that was there: it counts as new. */
  replace(place: Place, text: string): void {
    this.#database
      .prepare('DELETE FROM documents WHERE conversation_id = ? AND run_id = ? AND turn = ?')
      .run(place.conversationId, place.runId, place.turn);
    this.add(place, text);
  }

  /**
   * Conversations that match, each once, the newest match first. Ordered by time and not by rank: to
   * rank a common word means to read every match.
   */
  async *search(query: SearchQuery): AsyncGenerator<Match, void, undefined> {
    const seen = new Set<string>();
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const slice = this.#slice(query, before);
      for (const { documentId, ...place } of slice) {
        if (seen.has(place.conversationId)) continue;
        const text = this.#textOf(place);
        if (text === null || !holds(text, query.runs)) continue;
        seen.add(place.conversationId);
        yield { ...place, documentId, text };
      }
      const last = slice.at(-1);
      if (last === undefined || slice.length < sliceLimit) return;
      before = last.documentId;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #slice(query: SearchQuery, before: number): (Place & { readonly documentId: number })[] {
    const { words, grams } = query;
    const [table, match] = words === null ? ['found_grams', grams] : ['found_words', words];
    const both = words !== null && grams !== null;
    const alsoGrams = both
      ? 'AND m.rowid IN (SELECT rowid FROM found_grams WHERE found_grams MATCH ?)'
      : '';
    const rows = withStorageErrors(() =>
      this.#database
        .prepare(
          `SELECT d.id, d.conversation_id, d.run_id, d.turn
           FROM ${table} m JOIN documents d ON d.id = m.rowid
           WHERE ${table} MATCH ? AND m.rowid < ? ${alsoGrams}
           ORDER BY m.rowid DESC LIMIT ${sliceLimit}`,
        )
        .all(match, before, ...(both ? [grams] : [])),
    );
    return rows.map((row) => ({
      documentId: Number(row['id']),
      conversationId: String(row['conversation_id']),
      runId: String(row['run_id']),
      turn: Number(row['turn']),
    }));
  }

  #textOf({ conversationId, runId, turn }: Place): string | null {
    const read = (sql: string, ...values: (string | number)[]): string | null => {
      const text = this.#database.prepare(sql).get(...values)?.['text'];
      return typeof text === 'string' ? text : null;
    };
    return withStorageErrors(() => {
      if (runId === '') {
        return read('SELECT title AS text FROM conversations WHERE id = ?', conversationId);
      }
      if (turn === 0) return read('SELECT task AS text FROM runs WHERE id = ?', runId);
      return read('SELECT text FROM turns WHERE run_id = ? AND turn = ?', runId, turn);
    });
  }
}

/** Pairs of characters may stand apart in a text; the run they come from must stand in it whole. */
function holds(text: string, runs: readonly string[]): boolean {
  if (runs.length === 0) return true;
  const folded = fold(text);
  return runs.every((run) => folded.includes(run));
}

/** Adds what a database held before it had this index. */
export function indexEverything(database: DatabaseSync): void {
  const index = new SearchIndex(database);
  const add = (sql: string): void => {
    for (const row of database.prepare(sql).iterate()) {
      const conversationId = String(row['conversation_id']);
      const place = { conversationId, runId: String(row['run_id']), turn: Number(row['turn']) };
      index.add(place, String(row['text']));
    }
  };
  add(`SELECT id AS conversation_id, '' AS run_id, 0 AS turn, title AS text
       FROM conversations WHERE is_titled_by_person = 1`);
  add(`SELECT conversation_id, id AS run_id, 0 AS turn, task AS text FROM runs ORDER BY rowid`);
  add(`SELECT r.conversation_id, t.run_id, t.turn, t.text FROM turns t JOIN runs r ON r.id = t.run_id
       ORDER BY r.rowid, t.turn`);
}
