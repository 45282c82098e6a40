import { connected, enter, expect, test } from './fixtures.ts';

test.describe('coming in', () => {
  test('a one-time address opens the page once; spent, it still leads a browser that is in', async ({
    page,
    host,
    complaints,
    browser,
  }) => {
    const address = await host.address();
    await page.goto(address);
    await connected(page);
    expect(page.url()).not.toContain(new URL(address).hash);

    const stranger = await browser.newContext();
    const strange = await stranger.newPage();
    await strange.goto(address);
    await expect(strange.getByText('This address was used already')).toBeVisible();
    await strange.goto(`${host.origin}/`);
    await expect(strange.getByText('opens with a one-time address')).toBeVisible();
    await stranger.close();
    expect(complaints).toEqual([]);
  });

  test('a second tab gets in through an open one, and stays in without it', async ({
    tab,
    context,
    host,
  }) => {
    const second = await context.newPage();
    await second.goto(`${host.origin}/`);
    await connected(second);
    await expect(second.getByRole('button', { name: 'New conversation' })).toBeVisible();
    await tab.close();
    await second.reload();
    await connected(second);
  });

  test('a tab that nobody vouches for is told what it lacks', async ({ page, host, context }) => {
    await enter(page, host);
    await page.close();
    const orphan = await context.newPage();
    await orphan.goto(`${host.origin}/`);
    await expect(orphan.getByRole('heading', { name: /needs a fresh address/ })).toBeVisible();
    await enter(orphan, host);
  });
});
