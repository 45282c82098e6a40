import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import { openConversation } from '../../../renderer/stores/chat.ts';
import { stepTurn } from '../../../renderer/stores/inspector.ts';
import { setInspectorOpen } from '../../../renderer/stores/view.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { renderPage, type RenderedPage } from '../fake/render-page.tsx';

describe('saving a routed turn as an evaluation case', () => {
  let app: FakeApp;
  let page: RenderedPage;
  const inspector = () => within(screen.getByRole('complementary', { name: 'Routing inspector' }));
  const button = () => inspector().getByRole('button', { name: 'Save as evaluation case' });

  beforeEach(async () => {
    app = new FakeApp();
    const begun = { id: 'r1', conversationId: 'c1', task: 'Q', startedAt: 0 };
    const run = openRun({ ...begun, agents: 'rehearsal' });
    app.seed('Told', [acceptedRun('r1', ['Four.']).reduce(foldRun, run)]);
    page = await renderPage(app);
    await openConversation(page.session, 'c1');
    setInspectorOpen(page.session, true);
    await page.settle(button);
  });
  afterEach(() => page.close());

  it('sends the turn that is shown and says where the case is', async () => {
    fireEvent.click(button());
    await page.settle(() => inspector().getByText('Saved in /data/evals/saved-cases.jsonl'));
    expect(app.savedCases).toEqual([{ runId: 'r1', turn: 2, expectChoice: false }]);
    expect(button()).toMatchObject({ disabled: true });
  });

  it('says that its command is one of the sources, which an installed program does not have', () => {
    const words = inspector().getByText(/^Keeps the text that was routed/).textContent;
    expect(words).toContain('From a copy of the sources: npm run -s trinity -- eval --suite saved');
  });

  it('expects the choice when that is ticked', async () => {
    fireEvent.click(inspector().getByRole('checkbox', { name: /^Expect the slot and role/ }));
    fireEvent.click(button());
    await page.settle(() => inspector().getByText(/^Saved in/));
    expect(app.savedCases).toMatchObject([{ expectChoice: true }]);
  });

  it('offers another turn anew, and says why one was refused', async () => {
    fireEvent.click(button());
    await page.settle(() => inspector().getByText(/^Saved in/));
    stepTurn(page.session, -1);
    await page.settle(() => expect(button()).toMatchObject({ disabled: false }));
    expect(inspector().queryByText(/^Saved in/)).toBeNull();
    app.savedCases.push({ runId: 'r1', turn: 1, expectChoice: false });
    fireEvent.click(button());
    await page.settle(() => inspector().getByText('This turn is already saved.'));
    expect(button()).toMatchObject({ disabled: false });
  });
});
