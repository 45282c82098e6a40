import { test as base, expect, type BrowserContext, type Page } from '@playwright/test';
import { Host } from './host.ts';

interface WorkerThings {
  /** One host for all tests of a worker; a test that ends it starts its own. */
  readonly host: Host;
}

interface TestThings {
  /** What pages complained of, and requests that left this computer. Must be empty when a test ends. */
  readonly complaints: string[];
  /** A page that came in by a one-time address and is connected. */
  readonly tab: Page;
}

export const test = base.extend<TestThings, WorkerThings>({
  host: [
    async ({}, use) => {
      const host = new Host();
      await host.start();
      await use(host);
      expect(host.escaped, 'requests of the host that would have left this computer').toEqual([]);
      await host.dispose();
    },
    { scope: 'worker', timeout: 120_000 },
  ],

  complaints: async ({ context }, use) => {
    const complaints = watch(context);
    await use(complaints);
    expect(complaints, 'console errors and warnings, and requests beyond loopback').toEqual([]);
  },

  tab: async ({ page, host, complaints }, use) => {
    expect(complaints).toEqual([]);
    await enter(page, host);
    await use(page);
  },
});

export { expect };

/** Opens a page by a one-time address and waits until it is connected. */
export async function enter(page: Page, host: Host, place = ''): Promise<void> {
  await page.goto(await host.address());
  await connected(page);
  if (place !== '') {
    await page.goto(`${host.origin}/${place}`);
    await connected(page);
  }
}

/** Waits until a page of the app shows itself. */
export async function connected(page: Page): Promise<void> {
  await expect(page.getByRole('navigation', { name: 'Conversations and pages' })).toBeAttached();
  await expect(page.getByText('The connection to the program is lost')).toHaveCount(0);
}

/** Collects what every page of a context complains of. */
export function watch(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  context.on('weberror', (error) => complaints.push(`thrown: ${String(error.error())}`));
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isLocal = ['about:', 'data:', 'blob:'].includes(protocol) || hostname === '127.0.0.1';
    if (!isLocal) complaints.push(`left this computer: ${request.url()}`);
  });
  return complaints;
}
