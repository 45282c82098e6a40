import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversation } from '../../../renderer/stores/chat.ts';
import { changeSettings } from '../../../renderer/stores/settings.ts';
import { setInspectorOpen } from '../../../renderer/stores/view.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { renderPage, type RenderedPage } from '../fake/render-page.tsx';
import { playing, tellingTurns } from '../fake/scripted-run.ts';

describe('the page', () => {
  let app: FakeApp;
  let page: RenderedPage;
  const composer = () => screen.getByRole('textbox', { name: 'Your message' });
  const say = (text: string) => {
    fireEvent.change(composer(), { target: { value: text } });
    fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 13 });
  };

  beforeEach(async () => {
    app = new FakeApp();
    app.script = playing(tellingTurns, async () => undefined);
    page = await renderPage(app);
  });
  afterEach(() => page.close());

  it('says at first that router and agents are for trying, and offers ways to begin', async () => {
    expect(screen.getByText(/a small demo router that was never trained/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Demo router, untrained' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Rehearsal agents' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /sky is blue/ }));
    expect(composer()).toMatchObject({ value: expect.stringContaining('sky is blue') });
  });

  it('says before the first message that nobody answers where no slot is bound', async () => {
    await changeSettings(page.session, { agents: 'slots' });
    await page.settle(() => screen.getByText(/so no message can be answered/));
    fireEvent.click(screen.getByRole('button', { name: 'No agent bound' }));
    screen.getByRole('heading', { name: 'Agents' });
  });

  it('shows a run with its turns, reasons, failure, answer and verdict', async () => {
    say('How much is the ball?');
    await page.settle(() => screen.getByRole('region', { name: 'Answer' }));
    const turns = screen.getAllByRole('article').map((turn) => turn.getAttribute('aria-label'));
    expect(turns).toEqual([
      'Turn 1: Thinker, Slot 6',
      'Turn 2: Worker, Slot 6',
      'Turn 3: Verifier, Slot 1',
    ]);
    const second = within(screen.getByRole('article', { name: /Turn 2/ }));
    second.getByText(
      /The Thinker of turn 1 suggested Worker; the router would have chosen Verifier/,
    );
    second.getByText(/Slot 4 failed: The provider is rate limiting this key/);
    second.getByText(/Selected again: The router chose Slot 4, which had just failed/);
    const answer = within(screen.getByRole('region', { name: 'Answer' }));
    answer.getByText('Accepted by the Verifier');
    answer.getByText(/passes the check\.$/);
    await page.settle(() => answer.getByText('$0.05', { selector: 'strong' }));
  });

  it('announces bars as text, with what was taken and what the router chose', async () => {
    say('How much is the ball?');
    await page.settle(() => screen.getByRole('region', { name: 'Answer' }));
    fireEvent.click(screen.getByRole('button', { name: 'Inspect the routing of turn 2' }));
    const bars = within(screen.getByRole('complementary', { name: 'Routing inspector' }));
    bars.getByText(
      /^Slot 4: logit 30\.20, >99\.9 %, the router’s own choice, which had just failed$/,
    );
    bars.getByText(/^Slot 6: logit 15\.80, <0\.1 %, taken$/);
    bars.getByText(/^Worker: logit 2\.10, 2\.9 %, taken$/);
    fireEvent.click(bars.getByRole('radio', { name: 'First choice' }));
    bars.getByText(/^Slot 4: logit 30\.20, >99\.9 %, taken$/);
  });

  it('tells the margins as a table with the same points as the chart', async () => {
    say('How much is the ball?');
    await page.settle(() => screen.getByRole('region', { name: 'Answer' }));
    fireEvent.click(screen.getByRole('radio', { name: 'Table' }));
    const table = within(screen.getByRole('region', { name: 'Margins' }));
    const rows = table.getAllByRole('row').map((row) => row.textContent);
    expect(rows).toEqual([
      'TurnMessageAgentRoleChoice',
      '115.402.70router’s choice',
      '2114.403.50suggested, slot unavailable',
      '312.508.90router’s choice',
    ]);
    screen.getByText('uncalibrated');
  });

  it('does not send while an input method is composing', async () => {
    fireEvent.change(composer(), { target: { value: 'にほん' } });
    fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 229 });
    fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 13, isComposing: true });
    fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 13, shiftKey: true });
    expect(app.live.size).toBe(0);
    expect(composer()).toMatchObject({ value: 'にほん' });
  });

  it('starts a run with the pins that were set, and forgets them afterwards', async () => {
    const started: unknown[] = [];
    const start = app.start.bind(app);
    app.start = (id, task, pins) => {
      started.push(pins);
      return start(id, task, pins);
    };
    const slot = screen.getByRole('combobox', { name: 'Slot for this message' });
    const role = screen.getByRole('combobox', { name: 'Role for this message' });
    fireEvent.change(slot, { target: { value: '2' } });
    fireEvent.change(role, { target: { value: 'Thinker' } });
    say('Pinned');
    await page.settle(() => expect(started).toEqual([{ slot: 2, role: 'Thinker' }]));
    await page.settle(() => expect(slot).toMatchObject({ value: '' }));
  });

  it('previews a route without a run, and offers to leave agents out', async () => {
    fireEvent.change(composer(), { target: { value: 'What if?' } });
    fireEvent.click(screen.getByRole('button', { name: /Preview/ }));
    await page.settle(() => screen.getByText('Preview.'));
    await page.settle(() => screen.getByRole('checkbox', { name: 'Slot 4 may be chosen' }));
    fireEvent.click(screen.getByRole('checkbox', { name: 'Slot 4 may be chosen' }));
    await page.settle(() => screen.getByText(/The router chose Slot 4, which you left out/));
    expect(app.live.size).toBe(0);
    expect(composer()).toMatchObject({ value: 'What if?' });
  });

  it('shows no decision for a text that was cleared, and previews the next one', async () => {
    fireEvent.change(composer(), { target: { value: 'What if?' } });
    fireEvent.click(screen.getByRole('button', { name: /Preview/ }));
    await page.settle(() => screen.getByRole('checkbox', { name: 'Slot 4 may be chosen' }));
    fireEvent.change(composer(), { target: { value: '' } });
    await page.settle(() => screen.getByText('Type something to preview.'));
    expect(screen.queryByRole('checkbox', { name: 'Slot 4 may be chosen' })).toBeNull();
    fireEvent.change(composer(), { target: { value: 'And now?' } });
    await page.settle(() => screen.getByRole('checkbox', { name: 'Slot 4 may be chosen' }));
    expect(screen.queryByText('Type something to preview.')).toBeNull();
  });

  it('deletes a conversation only after asking', async () => {
    const seeded = app.seed('Doomed');
    app.changes.send({ kind: 'conversation', id: seeded.id });
    await page.settle(() => screen.getByRole('button', { name: 'Delete “Doomed”' }));
    fireEvent.click(screen.getByRole('button', { name: 'Delete “Doomed”' }));
    fireEvent.click(screen.getByRole('button', { name: 'Keep it' }));
    expect(app.conversations.has(seeded.id)).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Delete “Doomed”' }));
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await page.settle(() => expect(app.conversations.has(seeded.id)).toBe(false));
  });

  it('says that a conversation does not exist, and leads on to the newest or a new one', async () => {
    const seeded = app.seed('Newest');
    app.changes.send({ kind: 'conversation', id: seeded.id });
    await page.settle(() => screen.getByRole('button', { name: 'Newest' }));
    await openConversation(page.session, 'gone');
    await page.settle(() => screen.getByText('This conversation does not exist'));
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('No such conversation');
    expect(screen.queryByRole('textbox', { name: 'Your message' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Open the newest' }));
    await page.settle(() => expect(composer()).toBeTruthy());
    expect(page.session.chat.getState().conversationId).toBe(seeded.id);
    await openConversation(page.session, 'gone');
    fireEvent.click(await screen.findByRole('button', { name: 'Begin a new one' }));
    expect(page.session.chat.getState()).toMatchObject({ conversationId: null, phase: 'ready' });
    expect(composer()).toBeTruthy();
  });

  it('says that the connection is lost and that it comes back by itself', async () => {
    page.host = 'away';
    page.cut();
    await page.settle(() => screen.getByText(/The connection to the program is lost/));
    expect(screen.getByRole('button', { name: /Preview/ })).toMatchObject({ disabled: true });
  });

  it('says that the router is not running, and why', async () => {
    const failure = { code: 'damaged', retryable: false, message: 'Its file is damaged.' };
    app.setRouter({ ...app.router, phase: { state: 'failed', failure } });
    await page.settle(() => screen.getByText(/Its file is damaged\./));
    expect(screen.getByRole('button', { name: 'Choose a router' })).toBeTruthy();
  });

  it('closes what lies over it with Escape, and stays in the conversation', async () => {
    const seeded = app.seed('Open');
    await openConversation(page.session, seeded.id);
    setInspectorOpen(page.session, true);
    fireEvent.keyDown(window, { key: 'Escape' });
    expect(page.session.view.getState().inspectorOpen).toBe(false);
    expect(page.session.chat.getState().conversationId).toBe(seeded.id);
  });

  it('lists its shortcuts', () => {
    fireEvent.keyDown(window, { key: '/', code: 'Slash', ctrlKey: true });
    const dialog = within(screen.getByRole('dialog', { name: 'Keyboard shortcuts' }));
    dialog.getByText('Stop the run');
  });
});
