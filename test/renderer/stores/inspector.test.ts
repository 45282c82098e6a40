import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import { openConversation } from '../../../renderer/stores/chat.ts';
import { inspectedTurn } from '../../../renderer/stores/inspector-state.ts';
import {
  inspectTurn,
  leaveWhatIf,
  previewRoute,
  stepTurn,
  toggleWhatIfSlot,
} from '../../../renderer/stores/inspector.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

const runOf = (id: string) =>
  acceptedRun(id, ['Four.']).reduce(
    foldRun,
    openRun({ id, conversationId: 'c1', task: 'Q', agents: 'rehearsal', startedAt: 0 }),
  );

describe('the inspected turn', () => {
  const runs = [runOf('r1'), runOf('r2')];

  it('is the latest one while none is chosen', () => {
    expect(inspectedTurn(runs, null)).toMatchObject({ run: { id: 'r2' }, turn: { turn: 2 } });
  });

  it('is the chosen one, whatever comes after it', () => {
    const chosen = inspectedTurn(runs, { runId: 'r1', turn: 1 });
    expect(chosen).toMatchObject({ run: { id: 'r1' }, turn: { turn: 1 } });
  });

  it('falls back to the latest when the chosen one is not there', () => {
    expect(inspectedTurn(runs, { runId: 'gone', turn: 1 })?.run.id).toBe('r2');
  });

  it('is none before the first turn, also while a later run has none yet', () => {
    const begun = openRun({
      id: 'r3',
      conversationId: 'c1',
      task: 'Q',
      agents: 'rehearsal',
      startedAt: 0,
    });
    expect(inspectedTurn([], null)).toBeNull();
    expect(inspectedTurn([begun], null)).toBeNull();
    expect(inspectedTurn([...runs, begun], null)?.run.id).toBe('r2');
  });
});

describe('the inspector', () => {
  let app: FakeApp;
  let page: TestPage;
  const inspector = () => page.session.inspector.getState();

  beforeEach(async () => {
    app = new FakeApp();
    app.seed('Told', [runOf('r1'), runOf('r2')]);
    page = testPage(app);
    await page.begin();
    await openConversation(page.session, 'c1');
  });
  afterEach(() => page.close());

  it('steps from turn to turn over the borders of runs, and follows again at the last', () => {
    stepTurn(page.session, -1);
    expect(inspector().chosen).toEqual({ runId: 'r2', turn: 1 });
    stepTurn(page.session, -1);
    expect(inspector().chosen).toEqual({ runId: 'r1', turn: 2 });
    stepTurn(page.session, 1);
    stepTurn(page.session, 1);
    expect(inspector().chosen).toBeNull();
    stepTurn(page.session, 1);
    expect(inspector().chosen).toBeNull();
  });

  it('shows a preview without a turn of its own, and the turns again afterwards', async () => {
    await previewRoute(page.session, { text: 'What now?', pins: {} });
    expect(inspector().whatIf).toMatchObject({ phase: 'ready', decision: { tokenCount: 9 } });
    expect(page.session.chat.getState().runs).toHaveLength(2);
    leaveWhatIf(page.session);
    expect(inspector().whatIf).toBeNull();
  });

  it('routes again without the slots that were left out', async () => {
    await previewRoute(page.session, { text: 'What now?', pins: {} });
    await toggleWhatIfSlot(page.session, 4);
    expect(inspector().whatIf).toMatchObject({
      disabledSlots: [4],
      decision: { slot: { raw: 4, effective: 6 } },
    });
    await toggleWhatIfSlot(page.session, 4);
    expect(inspector().whatIf).toMatchObject({
      disabledSlots: [],
      decision: { slot: { effective: 4 } },
    });
  });

  it('says why a preview failed, and keeps which slots were left out', async () => {
    await previewRoute(page.session, {
      text: 'What now?',
      pins: {},
      disabledSlots: [0, 1, 2, 3, 4, 5, 6],
    });
    expect(inspector().whatIf).toMatchObject({
      phase: 'failed',
      failure: { code: 'no_agent_available' },
      disabledSlots: [0, 1, 2, 3, 4, 5, 6],
    });
  });

  it('previews a text on an empty page and creates no conversation', async () => {
    await openConversation(page.session, null);
    const before = [...app.conversations.keys()];
    await previewRoute(page.session, { text: 'What now?', pins: {} });
    expect(inspector().whatIf).toMatchObject({ phase: 'ready' });
    expect([...app.conversations.keys()]).toEqual(before);
    expect(page.session.chat.getState().conversationId).toBeNull();
  });

  it('drops the answer to an older preview', async () => {
    const older = previewRoute(page.session, { text: 'a', pins: {} });
    const newer = previewRoute(page.session, { text: 'four', pins: {} });
    await Promise.all([older, newer]);
    expect(inspector().whatIf).toMatchObject({ text: 'four', decision: { tokenCount: 4 } });
  });

  it('leaves the preview when a turn is chosen', async () => {
    await previewRoute(page.session, { text: 'What now?', pins: {} });
    inspectTurn(page.session, { runId: 'r1', turn: 1 });
    expect(inspector()).toMatchObject({ whatIf: null, chosen: { runId: 'r1', turn: 1 } });
  });
});
