import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { hasDisplay } from '../../../main/hosts/open-address.ts';
import { electronBinary } from '../../../scripts/electron-binary.ts';
import { skipUnless } from '../skip.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const binary = electronBinary(root);

test.describe('the desktop app', () => {
  skipUnless(binary !== null, 'The Electron runtime has not been fetched: npx install-electron.');
  skipUnless(
    binary === null || hasDisplay(),
    'Electron needs a display: run the tests under xvfb-run.',
  );

  let dataDirectory: string;
  let app: ElectronApplication;
  let page: Page;
  test.beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'trinity-electron-e2e-'));
    const args = [root, '--data-dir', dataDirectory];
    // Chromium refuses to run as root with its sandbox.
    if (process.getuid?.() === 0) args.unshift('--no-sandbox');
    app = await _electron.launch({ executablePath: binary ?? '', args });
    page = await app.firstWindow();
  });
  test.afterAll(async () => {
    await app.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  test('shows the page under app://, isolated, with nothing of Node in it', async () => {
    await expect(page.getByRole('button', { name: 'New conversation' })).toBeVisible();
    expect(page.url()).toMatch(/^app:\/\/bundle\//);
    const seen = await page.evaluate(() => ({
      require: typeof (globalThis as { require?: unknown }).require,
      process: typeof (globalThis as { process?: unknown }).process,
      isolated: globalThis.crossOriginIsolated,
    }));
    expect(seen).toEqual({ require: 'undefined', process: 'undefined', isolated: true });
  });

  test('answers a message with a route process of its own', async () => {
    const box = page.getByRole('textbox', { name: 'Your message' });
    await box.fill('What does the ball cost?');
    await box.press('Enter');
    await expect(page.getByRole('region', { name: 'Answer', exact: true })).toContainText(
      'Accepted by the Verifier',
      { timeout: 60_000 },
    );
  });

  test('reaches nothing but itself', async () => {
    const outcome = await page.evaluate(async () => {
      try {
        await fetch('https://example.com/');
        return 'fetched';
      } catch {
        return 'refused';
      }
    });
    expect(outcome).toBe('refused');
    const permission = await page.evaluate(async () => {
      try {
        await navigator.mediaDevices.getUserMedia({ audio: true });
        return 'granted';
      } catch {
        return 'denied';
      }
    });
    expect(permission).toBe('denied');
  });

  test('lets no page open a window or go elsewhere', async () => {
    const before = app.windows().length;
    await page.evaluate(() => void window.open('file:///etc/passwd'));
    await page.evaluate(() => void (location.href = 'https://example.com/'));
    await expect(page.getByRole('button', { name: 'New conversation' })).toBeVisible();
    expect(page.url()).toMatch(/^app:\/\/bundle\//);
    expect(app.windows()).toHaveLength(before);
  });
});
