/**
 * Conversations, their runs, turns, routes, drafts, and the events of every run.
 *
 * `updated_at` is unique, so that a page of the list ends at a definite place. Members that are read
 * back whole (a decision, a verdict) are JSON. `events.body` is packed (see event-packing.ts).
 */
export const sql = `
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  is_titled_by_person INTEGER NOT NULL DEFAULT 0,
  system_prompt TEXT NOT NULL DEFAULT '',
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL UNIQUE
) STRICT;

CREATE TABLE drafts (
  conversation_id TEXT PRIMARY KEY REFERENCES conversations(id) ON DELETE CASCADE,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
  owner TEXT NOT NULL,
  task TEXT NOT NULL,
  status TEXT NOT NULL,
  budget TEXT,
  code TEXT,
  message TEXT,
  answer TEXT,
  verdict TEXT,
  agents TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  last_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_conversation ON runs(conversation_id, started_at, id);
CREATE UNIQUE INDEX live_run_of_conversation ON runs(conversation_id) WHERE status = 'running';

CREATE TABLE turns (
  run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  slot INTEGER,
  role TEXT,
  provider TEXT,
  model TEXT,
  resolved_model TEXT,
  text TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  complete INTEGER NOT NULL,
  finish_reason TEXT,
  verdict TEXT,
  suggestion TEXT,
  failures TEXT NOT NULL,
  usage TEXT,
  cost_usd REAL,
  first_token_ms REAL,
  latency_ms REAL,
  PRIMARY KEY (run_id, turn)
) STRICT;

CREATE TABLE routes (
  run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  role TEXT NOT NULL,
  decision TEXT NOT NULL,
  PRIMARY KEY (run_id, turn, attempt)
) STRICT;

CREATE TABLE events (
  run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (run_id, first_seq)
) STRICT;
`;
