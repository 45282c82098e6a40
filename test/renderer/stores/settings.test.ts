import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeSettings } from '../../../renderer/stores/settings.ts';
import { dismiss, report } from '../../../renderer/stores/view.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

describe('the settings of a page', () => {
  let app: FakeApp;
  let page: TestPage;
  const theme = () => page.session.settings.getState().theme;

  beforeEach(async () => {
    app = new FakeApp();
    page = testPage(app);
    await page.begin();
  });
  afterEach(() => page.close());

  it('show a change at once and store it', async () => {
    const changing = changeSettings(page.session, { theme: 'dark' });
    expect(theme()).toBe('dark');
    expect(await changing).toBe(true);
    expect(app.settings.theme).toBe('dark');
  });

  it('come back to what is stored when a change is refused', async () => {
    page.cut();
    expect(await changeSettings(page.session, { theme: 'dark' })).toBe(false);
    expect(theme()).toBe('system');
    expect(page.session.view.getState().notices).toMatchObject([
      { what: 'The change was not stored.' },
    ]);
  });

  it('know the theme before the host answers', async () => {
    await changeSettings(page.session, { theme: 'dark' });
    expect(testPage(app, page.memory).session.settings.getState().theme).toBe('dark');
  });
});

describe('notices', () => {
  it('say the same thing once, keep the latest four, and go when dismissed', () => {
    const { session } = testPage(new FakeApp());
    for (const what of ['a', 'b', 'a', 'c', 'd', 'e']) report(session, what, null);
    const shown = () => session.view.getState().notices;
    expect(shown().map(({ what }) => what)).toEqual(['a', 'c', 'd', 'e']);
    dismiss(session, shown()[0]?.id ?? 0);
    expect(shown().map(({ what }) => what)).toEqual(['c', 'd', 'e']);
  });
});
