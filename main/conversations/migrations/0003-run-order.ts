/**
 * The runs of a conversation are read in the order in which they were added, which is that of their
 * rowids: `started_at` is wall-clock time, and a machine's clock may step back between two runs.
 */
export const sql = `
DROP INDEX runs_by_conversation;
CREATE INDEX runs_by_conversation ON runs(conversation_id);
`;
