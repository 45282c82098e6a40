import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import { openConversation, sendMessage } from '../../../renderer/stores/chat.ts';
import { setInspectorOpen } from '../../../renderer/stores/view.ts';
import { acceptedRun, decisionOf } from '../../fixtures/run-events.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { renderPage, type RenderedPage } from '../fake/render-page.tsx';

const { adapterRef, profile, transcriptHash: suiteHash, agentMargin } = decisionOf();
const floors = {
  ...{ adapterRef, profile, suiteHash, calibratedAt: Date.UTC(2026, 10, 30), cases: 74 },
  ...{ agreeing: 74, agent: (agentMargin ?? 0) + 0.01, role: 5 },
};

let page: RenderedPage;
afterEach(() => page.close());
const history = () => within(screen.getByRole('region', { name: 'Margin history' }));

async function openTold(app: FakeApp): Promise<void> {
  const begun = { id: 'r1', conversationId: 'c1', task: 'Q', startedAt: 0 };
  const run = openRun({ ...begun, agents: 'rehearsal' });
  app.seed('Told', [acceptedRun('r1', ['Four.']).reduce(foldRun, run)]);
  page = await renderPage(app);
  await openConversation(page.session, 'c1');
  setInspectorOpen(page.session, true);
  await page.settle(history);
}

it('calls margins unsure by the floors that the active router was calibrated to', async () => {
  const app = new FakeApp();
  app.floors = floors;
  await openTold(app);
  await page.settle(() => history().getByText(/^floors /));
  expect(history().getByText(/^floors /).title).toContain('2026-11-30');
  fireEvent.click(history().getByRole('radio', { name: 'Table' }));
  const cells = history()
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );
  expect(cells.length).toBeGreaterThan(0);
  for (const [, agent, role] of cells) {
    expect(agent).toMatch(/, unsure$/);
    expect(role).not.toMatch(/unsure/);
  }
});

it('says uncalibrated without floors, and hears of a calibration with the next message', async () => {
  const app = new FakeApp();
  await openTold(app);
  expect(history().getByText('uncalibrated')).toBeDefined();
  app.floors = floors;
  await sendMessage(page.session, 'More.', {});
  await page.settle(() => history().getByText(/^floors /));
});
