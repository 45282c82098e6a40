import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { pageSecretKey } from '../../../contracts/app/handshake.ts';
import { FakeApp } from '../../renderer/fake/fake-app.ts';
import { startFakeHost } from '../../renderer/fake/fake-host.ts';
import { playing, tellingTurns } from '../../renderer/fake/scripted-run.ts';
import { watch } from '../fixtures.ts';
import { layoutProblems } from './layout-problems.ts';
import { screens } from './screens.ts';

const builtPage = join(fileURLToPath(new URL('../../..', import.meta.url)), 'out', 'renderer');
/** What is looked at where: axe-core once for each theme and form of the window, layout in every size. */
const windows = [
  { theme: 'light', width: 1280, height: 800, axe: true },
  { theme: 'dark', width: 1280, height: 800, axe: true },
  { theme: 'light', width: 900, height: 700, axe: true },
  { theme: 'dark', width: 900, height: 700, axe: true },
  // What a window of 1280 pixels has at 200 % zoom.
  { theme: 'light', width: 640, height: 400, axe: false },
] as const;

// Snapshots of every step would take longer than the steps.
test.use({ trace: 'off' });

for (const { theme, width, height, axe } of windows) {
  test(`every screen, ${theme}, ${width} x ${height}`, async ({ browser }, info) => {
    test.setTimeout(120_000);
    const app = new FakeApp();
    app.script = playing(tellingTurns, async () => undefined);
    const host = await startFakeHost(app, builtPage);
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const complaints = watch(context);
    await context.addInitScript(
      ([key, secret]) => {
        // The empty page that comes before has no storage.
        if (location.protocol === 'http:') sessionStorage.setItem(key, secret);
      },
      [pageSecretKey, 'a'.repeat(43)] as const,
    );
    const page = await context.newPage();
    for (const screen of screens) {
      await test.step(screen.name, async () => {
        await screen.show(page, app, host.url);
        await drawn(page);
        await page.screenshot({ path: info.outputPath(`${screen.name}.png`) });
        expect.soft(await layoutProblems(page), `layout of ${screen.name}`).toEqual([]);
        if (axe) expect.soft(await barriers(page), `accessibility of ${screen.name}`).toEqual([]);
      });
    }
    expect(complaints).toEqual([]);
    await context.close();
    await host.close();
  });
}

/** Waits until nothing on the page moves or loads any more. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(
      document.getAnimations().map((animation) => animation.finished.catch(() => 0)),
    );
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

/** What axe-core finds, one line each. Legacy mode: the page has no frames, and needs no second page. */
async function barriers(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} (${node.failureSummary ?? ''})`),
  );
}
