import type { Pins } from '../../contracts/app/chat.ts';
import { failureOf } from './failure.ts';
import { inspectedTurn, turnsOf, type TurnRef, type WhatIf } from './inspector-state.ts';
import type { Session } from './session.ts';
import { setInspectorOpen } from './view.ts';

/** Shows the latest turn, and each newer one as it comes. */
export function followLatest(session: Session): void {
  session.inspector.setState({ chosen: null, decisionIndex: null, whatIf: null });
}

/** Shows one turn and stays with it. */
export function inspectTurn(session: Session, turn: TurnRef): void {
  session.inspector.setState({ chosen: turn, decisionIndex: null, whatIf: null });
  setInspectorOpen(session, true);
}

export function showDecision(session: Session, index: number): void {
  session.inspector.setState({ decisionIndex: index });
}

/** Moves `by` turns from the one shown; moving onto the last one follows the latest again. */
export function stepTurn(session: Session, by: number): void {
  const { runs } = session.chat.getState();
  const all = turnsOf(runs);
  const now = inspectedTurn(runs, session.inspector.getState().chosen);
  const index = all.findIndex(({ run, turn }) => run === now?.run && turn === now.turn) + by;
  const target = all[index];
  if (target === undefined) return;
  if (index === all.length - 1) followLatest(session);
  else inspectTurn(session, { runId: target.run.id, turn: target.turn.turn });
}

/** Routes a text without calling anyone, and shows what would be chosen. */
export async function previewRoute(
  session: Session,
  of: { readonly text: string; readonly pins: Pins; readonly disabledSlots?: readonly number[] },
): Promise<void> {
  const previous = session.inspector.getState().whatIf;
  const asked: WhatIf = {
    text: of.text,
    pins: of.pins,
    disabledSlots: of.disabledSlots ?? [],
    phase: 'routing',
    decision: previous?.text === of.text ? previous.decision : null,
    failure: null,
  };
  session.inspector.setState({ whatIf: asked });
  setInspectorOpen(session, true);
  const settle = (change: Partial<WhatIf>) => {
    session.inspector.setState((state) =>
      state.whatIf === asked ? { whatIf: { ...asked, ...change } } : state,
    );
  };
  try {
    // Before the first message there is nothing to read, and a preview must not create anything.
    const { conversationId: open, creating } = session.chat.getState();
    const conversationId = open ?? (await creating);
    const { text, pins } = asked;
    const disabledSlots = [...asked.disabledSlots];
    const decision = await session.client.chat.whatIf({
      conversationId,
      text,
      pins,
      disabledSlots,
    });
    settle({ phase: 'ready', decision });
  } catch (error) {
    settle({ phase: 'failed', decision: null, failure: failureOf(error) });
  }
}

/** Shows that there is nothing to preview; what was asked for an earlier text is dropped. */
export function emptyPreview(session: Session): void {
  session.inspector.setState(({ whatIf }) =>
    whatIf === null
      ? {}
      : { whatIf: { ...whatIf, text: '', phase: 'empty', decision: null, failure: null } },
  );
}

/** Leaves a slot out of the preview, or takes it back in, and routes again. */
export async function toggleWhatIfSlot(session: Session, slot: number): Promise<void> {
  const { whatIf } = session.inspector.getState();
  if (whatIf === null) return;
  const { text, pins, disabledSlots } = whatIf;
  const next = disabledSlots.includes(slot)
    ? disabledSlots.filter((one) => one !== slot)
    : [...disabledSlots, slot];
  await previewRoute(session, { text, pins, disabledSlots: next });
}

export function leaveWhatIf(session: Session): void {
  session.inspector.setState({ whatIf: null });
}
