import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultInstructions } from '../../../contracts/role-instructions.ts';
import { showPage } from '../../../renderer/stores/view.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { renderPage, type RenderedPage } from '../fake/render-page.tsx';

describe('the page of settings', () => {
  let app: FakeApp;
  let page: RenderedPage;

  beforeEach(async () => {
    app = new FakeApp();
    page = await renderPage(app);
    showPage(page.session, 'settings');
    await page.settle(() => screen.getByRole('heading', { name: 'Roles' }));
  });
  afterEach(() => page.close());

  const type = (label: string | RegExp, value: string) => {
    const field = screen.getByLabelText(label);
    fireEvent.change(field, { target: { value } });
    fireEvent.blur(field);
  };

  it('stores an instruction of one’s own, and forgets it when ours is wanted again', async () => {
    type('Instruction of the Worker', 'Answer in hexameters.');
    await page.settle(() =>
      expect(app.settings.roleInstructions).toEqual({ Worker: 'Answer in hexameters.' }),
    );
    const back = await screen.findByRole('button', {
      name: 'Use our instruction for the Worker again',
    });
    fireEvent.click(back);
    await page.settle(() => expect(app.settings.roleInstructions).toEqual({}));
    await page.settle(() =>
      expect(screen.getByLabelText('Instruction of the Worker')).toMatchObject({
        value: defaultInstructions.Worker,
      }),
    );
  });

  it('stores the words of a verdict, and ours again for an emptied field', async () => {
    type('Word that accepts', ' PASST ');
    await page.settle(() => expect(app.settings.coordinator.acceptWord).toBe('PASST'));
    type('Word that asks for a revision', 'NOCHMAL');
    await page.settle(() => expect(app.settings.coordinator.reviseWord).toBe('NOCHMAL'));
    type('Word that accepts', ' ');
    await page.settle(() => expect(app.settings.coordinator.acceptWord).toBe('ACCEPT'));
  });

  it('stores a limit in the unit of the contract, lifts it, and says what it cannot store', async () => {
    type('Time for one call (seconds)', '1.5');
    await page.settle(() => expect(app.settings.budgets.maxLatencyMs).toBe(1500));
    type('Time for one call (seconds)', '');
    await page.settle(() => expect(app.settings.budgets).not.toHaveProperty('maxLatencyMs'));
    type('Turns', '51');
    await page.settle(() => screen.getByText('Not stored: it must be between 1 and 50.'));
    expect(app.settings.budgets.maxTurns).toBe(5);
  });

  it('stores how a choice is made, and asks only for what that needs', async () => {
    expect(screen.queryByLabelText(/^Temperature/)).toBeNull();
    fireEvent.click(screen.getByRole('radio', { name: 'With shares' }));
    await page.settle(() => screen.getByLabelText(/^Temperature/));
    expect(screen.queryByLabelText(/^Seed/)).toBeNull();
    fireEvent.click(screen.getByRole('radio', { name: 'Drawn' }));
    await page.settle(() => screen.getByLabelText(/^Seed/));
    type(/^Temperature/, '0');
    await page.settle(() => screen.getByText(/^Not stored/));
    type(/^Temperature/, '0.7');
    type(/^Seed/, '7');
    await page.settle(() =>
      expect(app.settings.selection).toEqual({ mode: 'sample', temperature: 0.7, seed: 7 }),
    );
    type(/^Seed/, '');
    await page.settle(() => expect(app.settings.selection.seed).toBeNull());
  });
});
