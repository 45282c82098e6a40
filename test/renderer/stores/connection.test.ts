import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryDelayMs } from '../../../renderer/stores/connection.ts';
import { failureOf } from '../../../renderer/stores/failure.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

describe('the connection of a page', () => {
  let app: FakeApp;
  let page: TestPage;
  const phase = () => page.session.connection.getState().phase;

  beforeEach(() => {
    app = new FakeApp();
    page = testPage(app);
  });
  afterEach(() => page.close());

  it('reads everything again after it was lost', async () => {
    await page.begin();
    page.host = 'away';
    page.cut();
    await page.until(() => expect(phase()).toMatchObject({ state: 'lost' }));
    app.seed('Made meanwhile');
    app.settings = { ...app.settings, theme: 'dark' };
    page.host = 'there';
    await page.until(() => {
      expect(page.session.settings.getState().theme).toBe('dark');
      expect(page.session.conversations.getState().conversations).toMatchObject([
        { title: 'Made meanwhile' },
      ]);
    });
    expect(phase()).toEqual({ state: 'open' });
  });

  it('follows the router again after it was lost', async () => {
    await page.begin();
    page.cut();
    await page.until(() => expect(phase()).toEqual({ state: 'open' }));
    app.setRouter({ ...app.router, phase: { state: 'restarting', attempt: 2 } });
    await page.until(() =>
      expect(page.session.router.getState().router?.phase).toEqual({
        state: 'restarting',
        attempt: 2,
      }),
    );
  });

  it('fails calls at once while it is lost, in words for a person', async () => {
    await page.begin();
    page.host = 'away';
    page.cut();
    await page.until(() => expect(phase()).toMatchObject({ state: 'lost' }));
    const error: unknown = await page.session.client.settings.get({}).catch((thrown) => thrown);
    expect(failureOf(error)).toMatchObject({ code: 'not_connected', retryable: true });
  });

  it('gives up trying only when the tab needs a fresh address', async () => {
    page.host = 'needs-address';
    page.start();
    await page.until(() => expect(phase()).toEqual({ state: 'needs-address' }));
  });

  it('tries at once when the person asks', async () => {
    page.host = 'away';
    page.start();
    const retryNow = () => page.session.connection.getState().retryNow;
    await vi.waitFor(() => expect(retryNow()).not.toBeNull());
    page.host = 'there';
    retryNow()?.();
    await vi.waitFor(() => expect(phase()).toEqual({ state: 'open' }));
    expect(retryNow()).toBeNull();
  });
});

describe('the delay before a retry', () => {
  it('doubles from a quarter of a second and stays at eight seconds', () => {
    expect([1, 2, 3, 6, 7, 50].map(retryDelayMs)).toEqual([250, 500, 1000, 8000, 8000, 8000]);
  });
});
