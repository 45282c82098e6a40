import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { connected, expect, test } from './fixtures.ts';
import { layoutProblems } from './screens/layout-problems.ts';

const themes = ['light', 'dark'] as const;
const sizes = [
  { width: 1280, height: 800 },
  { width: 900, height: 700 },
] as const;

/** Looks at a screen in both themes and at both sizes: layout, accessibility, and a picture of each. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const size of sizes) {
      await page.setViewportSize(size);
      // The chart and other things that follow their box are drawn in the next frames.
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      const where = `${name}, ${colorScheme}, ${size.width}x${size.height}`;
      await page.screenshot({ path: test.info().outputPath(`${where}.png`) });
      expect.soft(await layoutProblems(page), where).toEqual([]);
    }
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')}`);
    expect.soft(found, `axe: ${name}, ${colorScheme}`).toEqual([]);
  }
}

test('the real window after real turns: labelled for what it is, whole in both themes and sizes', async ({
  tab,
}) => {
  const box = tab.getByRole('textbox', { name: 'Your message' });
  await box.fill(
    'What does the ball cost? Revise averyveryverylongwordthatcannotbebrokenanywhere.',
  );
  await box.press('Enter');
  await expect(tab.getByRole('region', { name: 'Answer', exact: true })).toContainText('Accepted');
  await expect(tab.getByRole('button', { name: 'Rehearsal agents' })).toBeVisible();
  await expect(tab.getByRole('button', { name: /Demo router, untrained/ })).toBeVisible();
  await inspect(tab, 'conversation');
});

test('the pages before one is in', async ({ page, host, complaints }) => {
  await page.goto(`${host.origin}/enter`);
  await expect(page.getByText('opens with a one-time address')).toBeVisible();
  await inspect(page, 'door');
  await page.goto(await host.address());
  await connected(page);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await expect(page.getByRole('heading', { name: /needs a fresh address/ })).toBeVisible();
  await inspect(page, 'no secret');
  expect(complaints).toEqual([]);
});
