/**
 * Full-text search. A document is one text that can be found: a message, a turn, a title that a person
 * gave. Its id grows with time, so that the newest match is the one with the highest id.
 *
 * Both indexes hold no text and no positions. `found_words` has words of scripts that separate them;
 * `found_grams` has single characters and pairs of the scripts that do not (see search/search-text.ts).
 * The prefixes make a search while typing fast: without them two letters cost 50 ms, with them 0.2 ms.
 */
export const sql = `
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  UNIQUE (conversation_id, run_id, turn)
) STRICT;
CREATE VIRTUAL TABLE found_words USING fts5(
  text, content = '', contentless_delete = 1, detail = none, prefix = '2 3',
  tokenize = "unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE found_grams USING fts5(
  text, content = '', contentless_delete = 1, detail = none,
  tokenize = "unicode61 remove_diacritics 0"
);
CREATE TRIGGER forget_document AFTER DELETE ON documents BEGIN
  DELETE FROM found_words WHERE rowid = old.id;
  DELETE FROM found_grams WHERE rowid = old.id;
END;
`;
