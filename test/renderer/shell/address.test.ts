import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followAddress } from '../../../renderer/shell/address.ts';
import { showPage } from '../../../renderer/stores/view.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

describe('the address of a page', () => {
  let app: FakeApp;
  let page: TestPage;

  beforeEach(async () => {
    app = new FakeApp();
    page = testPage(app);
    await page.connect();
  });
  afterEach(() => {
    page.close();
    history.replaceState(null, '', '#');
  });

  it('opens the conversation that it names, and names the page that is shown', async () => {
    const { id } = app.seed('Named');
    history.replaceState(null, '', `#/c/${id}`);
    followAddress(page.session);
    await page.until(() => expect(page.session.chat.getState().phase).toBe('ready'));
    expect(page.session.chat.getState().title).toBe('Named');
    showPage(page.session, 'settings');
    expect(location.hash).toBe('#/settings');
  });

  it.each(['#/c/gone', '#/c/not%20an/id', `#/c/${'x'.repeat(300)}`])(
    'asks for whatever it names: %s',
    async (hash) => {
      history.replaceState(null, '', hash);
      followAddress(page.session);
      await page.until(() => expect(page.session.chat.getState().phase).toBe('missing'));
    },
  );
});
