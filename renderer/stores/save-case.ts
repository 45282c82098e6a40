import { failureOf } from './failure.ts';
import type { SavedTurn } from './inspector-state.ts';
import type { Session } from './session.ts';

/**
 * Saves what the router read in a turn as an evaluation case; with `expectChoice` the slot and role that it
 * chose become what the case expects. How it went is in the inspector's `savedTurn`.
 */
export async function saveTurnAsCase(
  session: Session,
  of: {
    readonly conversationId: string;
    readonly runId: string;
    readonly turn: number;
    readonly expectChoice: boolean;
  },
): Promise<void> {
  const { runId, turn } = of;
  const asked: SavedTurn = { runId, turn, phase: 'saving', path: null, failure: null };
  session.inspector.setState({ savedTurn: asked });
  const settle = (change: Partial<SavedTurn>) => {
    session.inspector.setState((state) =>
      state.savedTurn === asked ? { savedTurn: { ...asked, ...change } } : state,
    );
  };
  try {
    const { path } = await session.client.evals.saveCase(of);
    settle({ phase: 'saved', path });
  } catch (error) {
    settle({ phase: 'failed', failure: failureOf(error) });
  }
}
