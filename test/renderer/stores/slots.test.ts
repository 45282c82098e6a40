import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindAllSlots, bindSlot, testSlot } from '../../../renderer/stores/slots.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

const secret = 'sk-planted-0123456789abcdef';
const key = { secret, baseUrl: 'https://openrouter.ai/api/v1', scheme: 'session' } as const;

describe('the slots of a page', () => {
  let app: FakeApp;
  let page: TestPage;
  const slots = () => page.session.slots.getState();

  beforeEach(async () => {
    app = new FakeApp();
    page = testPage(app);
    await page.begin();
    await page.until(() => expect(slots().phase).toBe('ready'));
  });
  afterEach(() => page.close());

  it('are bound all at once, with the key going to the vault and nowhere else', async () => {
    const binding = { provider: 'openrouter', model: 'small' };
    expect(await bindAllSlots(page.session, binding, key)).toBe(true);
    expect(app.secrets).toEqual([secret]);
    expect(slots().slots.every((slot) => slot.binding?.model === 'small')).toBe(true);
    expect(slots().slots[0]?.key).toMatchObject({ last4: 'cdef' });
    const stores = Object.values(page.session).map((part: unknown) =>
      typeof part === 'object' && part !== null && 'getState' in part
        ? JSON.stringify((part as { getState(): unknown }).getState())
        : '',
    );
    expect(stores.join()).not.toContain(secret);
  });

  it('are not bound when the key cannot be stored', async () => {
    app.secrets.push = () => {
      throw new Error('The keychain is locked.');
    };
    const binding = { index: 0, name: 'Mine', provider: 'openrouter', model: 'small' };
    expect(await bindSlot(page.session, binding, key)).toBe(false);
    expect(app.slots[0]?.binding).toBeNull();
    expect(page.session.view.getState().notices).toHaveLength(1);
  });

  it('forget an older test when they are bound anew', async () => {
    const binding = { index: 0, name: 'Mine', provider: 'openrouter', model: 'small' };
    await bindSlot(page.session, binding, key);
    await testSlot(page.session, 0);
    expect(slots().tests[0]).toMatchObject({ phase: 'done', result: { ok: true } });
    await bindSlot(page.session, { ...binding, model: 'large' }, null);
    expect(slots().tests[0]).toBeUndefined();
  });

  it('show a test that could not even be made as a result', async () => {
    await testSlot(page.session, 99);
    expect(slots().tests[99]).toMatchObject({
      phase: 'done',
      result: { ok: false, message: 'No such slot.' },
    });
  });
});
