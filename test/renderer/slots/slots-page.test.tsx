import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSlots, refreshHealth } from '../../../renderer/stores/slots.ts';
import { showPage } from '../../../renderer/stores/view.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { renderPage, type RenderedPage } from '../fake/render-page.tsx';

describe('the page of agents', () => {
  let app: FakeApp;
  let page: RenderedPage;
  const secret = 'sk-planted-0123456789abcdef';

  beforeEach(async () => {
    app = new FakeApp();
    page = await renderPage(app);
    showPage(page.session, 'slots');
    await page.settle(() => screen.getByRole('button', { name: 'Bind all slots' }));
  });
  afterEach(() => page.close());

  const bindAll = async () => {
    fireEvent.change(screen.getByLabelText('Key'), { target: { value: secret } });
    fireEvent.click(screen.getByRole('button', { name: 'Bind all slots' }));
    await page.settle(() => screen.getByText(/Your agents answer now/));
  };

  it('binds every slot to one provider and lets the agents answer', async () => {
    await bindAll();
    expect(app.slots.every(({ binding }) => binding?.provider === 'openrouter')).toBe(true);
    expect(app.settings.agents).toBe('slots');
  });

  it('shows of a key only where it is kept and its last characters', async () => {
    await bindAll();
    expect(document.body.innerHTML).not.toContain(secret);
    expect(screen.getAllByText(/key …cdef, this session only/).length).toBeGreaterThan(0);
    expect(screen.getByLabelText('Key')).toMatchObject({ value: '', type: 'password' });
  });

  it('binds again without the key, which is stored already', async () => {
    await bindAll();
    fireEvent.change(screen.getByLabelText('Model'), { target: { value: 'another' } });
    fireEvent.click(screen.getByRole('button', { name: 'Bind all slots' }));
    await page.settle(() => expect(app.slots[0]?.binding?.model).toBe('another'));
    expect(app.slots[0]?.key).toMatchObject({ last4: 'cdef' });
    expect(app.secrets).toEqual([secret]);
  });

  it('keeps the checkpoint’s label apart from what is called', async () => {
    await bindAll();
    const slot = within(screen.getByRole('listitem', { name: /^Slot 2/ }));
    slot.getByText('gemini-2.5-pro');
    slot.getByText('meta-llama/llama-3.3-70b-instruct');
  });

  it('tells the result of a test in words', async () => {
    await bindAll();
    fireEvent.click(screen.getByRole('button', { name: /^Test Slot 0/ }));
    await page.settle(() => screen.getByText(/accepted the key and knows the model/));
    app.slots[1] = { ...(app.slots[1] as (typeof app.slots)[0]), key: null };
    fireEvent.click(screen.getByRole('button', { name: /^Test Slot 1/ }));
    await page.settle(() => screen.getByText(/refused the key/));
  });

  it('says beside a slot that its test passed or failed, until a call says more', async () => {
    await bindAll();
    const slot = (index: number) =>
      within(screen.getByRole('listitem', { name: new RegExp(`^Slot ${index}`) }));
    slot(1).getByText('Not proven yet');
    app.slots[1] = { ...(app.slots[1] as (typeof app.slots)[0]), key: null };
    fireEvent.click(screen.getByRole('button', { name: /^Test Slot 0/ }));
    fireEvent.click(screen.getByRole('button', { name: /^Test Slot 1/ }));
    await page.settle(() => slot(0).getByText('Test passed'));
    await page.settle(() => slot(1).getByText('Test failed'));
    expect(slot(1).queryByText('Not proven yet')).toBeNull();
    app.slots[1] = { ...(app.slots[1] as (typeof app.slots)[0]), health: { state: 'healthy' } };
    await refreshHealth(page.session);
    await page.settle(() => slot(1).getByText('Working'));
  });

  it('binds one slot in its dialog and tests it', async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Bind Slot 3' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Slot 3' }));
    fireEvent.change(dialog.getByLabelText('Name'), { target: { value: 'Ada' } });
    fireEvent.change(dialog.getByLabelText('Provider'), { target: { value: 'ollama' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Store and test' }));
    await page.settle(() => screen.getByRole('listitem', { name: 'Ada' }));
    expect(app.slots[3]?.binding).toMatchObject({
      name: 'Ada',
      provider: 'ollama',
      model: 'llama3.2',
    });
    expect(app.slots[2]?.binding).toBeNull();
  });

  it('calls a slot by its number and model until it is named, whichever the model is', async () => {
    await bindAll();
    screen.getByRole('listitem', { name: 'Slot 2 · llama-3.3-70b-instruct' });
    fireEvent.click(screen.getByRole('button', { name: /^Change Slot 2/ }));
    const dialog = within(screen.getByRole('dialog', { name: 'Slot 2' }));
    expect(dialog.getByLabelText('Name')).toMatchObject({ value: '' });
    fireEvent.change(dialog.getByLabelText('Model'), { target: { value: 'qwen/qwen3-32b' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Store and test' }));
    await page.settle(() => screen.getByRole('listitem', { name: 'Slot 2 · qwen3-32b' }));
  });

  it('says before binding that a key is missing, for all slots and for one', () => {
    const isMissing = /^OpenRouter needs a key: paste it, or start the program with/;
    screen.getByText(isMissing);
    expect(screen.getByRole('button', { name: 'Bind all slots' })).toMatchObject({
      disabled: true,
    });
    fireEvent.click(screen.getByRole('button', { name: 'Bind Slot 3' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Slot 3' }));
    dialog.getByText(isMissing);
    expect(dialog.getByRole('button', { name: 'Store and test' })).toMatchObject({
      disabled: true,
    });
  });

  it('binds without a typed key where the environment holds one', async () => {
    const origin = 'https://openrouter.ai';
    app.keys.push({ id: 'env:OPENROUTER_API_KEY', scheme: 'env', origin, last4: 'cdef' });
    await loadSlots(page.session);
    await page.settle(() => screen.getByText(/There is a key …cdef, from the environment/));
    fireEvent.click(screen.getByRole('button', { name: 'Bind all slots' }));
    await page.settle(() => screen.getByText(/Your agents answer now/));
    expect(app.slots[0]?.key).toMatchObject({ scheme: 'env' });
  });

  it('does not bind what is incomplete, and says what is missing', () => {
    fireEvent.change(screen.getByLabelText('Model'), { target: { value: '' } });
    expect(screen.getByText('Name a model.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Bind all slots' })).toMatchObject({
      disabled: true,
    });
  });
});
