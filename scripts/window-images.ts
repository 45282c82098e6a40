import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { Host } from '../test/e2e/host.ts';

/**
 * Makes the pictures of the README from the real window: the browser host with its demo router and rehearsal
 * agents, in light and dark. `node scripts/window-images.ts`, after `npm run build`.
 */
const folder = fileURLToPath(new URL('../docs/images', import.meta.url));
const questions = [
  'Explain why the sky is blue to a ten-year-old, and revise it once.',
  'A bat and a ball cost $1.10 together. The bat costs $1 more than the ball. What does the ball cost?',
];

const host = new Host();
await host.start();
const systemChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const browser = await chromium.launch({
  ...(systemChromium === undefined ? {} : { executablePath: systemChromium }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  });
  await page.goto(await host.address());
  for (const question of questions) {
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('textbox', { name: 'Your message' }).fill(question);
    await page.getByRole('textbox', { name: 'Your message' }).press('Enter');
    await page.getByRole('region', { name: 'Answer', exact: true }).waitFor({ timeout: 120_000 });
  }
  await page.locator('.history__dot').first().waitFor();
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(300);
    const name = colorScheme === 'light' ? 'window.png' : 'window-dark.png';
    await page.screenshot({ path: join(folder, name) });
    console.log(join('docs', 'images', name));
  }
} finally {
  await browser.close();
  await host.dispose();
}
