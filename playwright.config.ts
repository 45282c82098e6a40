import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** Debian's Chromium where it is, else the one that `npx playwright install chromium` fetches. */
const systemChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const isRoot = process.getuid?.() === 0;

/**
 * End-to-end tests: the real browser host with real services and a real route process, in a real browser. One
 * worker, because each starts a host of its own. The page must be built: `npm run build`.
 */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? 'reports/e2e.json' }],
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    actionTimeout: 20_000,
    trace: 'retain-on-failure',
    launchOptions: {
      ...(systemChromium === undefined ? {} : { executablePath: systemChromium }),
      args: [
        // Chromium refuses to run as root with its sandbox.
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
