import { expect, type Page } from '@playwright/test';
import type { FakeApp } from '../../renderer/fake/fake-app.ts';

/** One state of the window, and how to come to it from the one before. */
export interface Screen {
  readonly name: string;
  readonly show: (page: Page, app: FakeApp, url: string) => Promise<void>;
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Your message' });
const toEnd = (page: Page, selector: string) =>
  page.locator(selector).evaluate((box) => box.scrollTo(0, box.scrollHeight));
const question =
  'A bat and a ball cost $1.10 together. The bat costs $1 more than the ball. What does the ball cost?';

/** Every screen of the page, in an order in which each follows from the one before. */
export const screens: readonly Screen[] = [
  {
    name: 'welcome',
    show: async (page, app, url) => {
      app.seed('Merge two sorted lists', [], 30 * 3_600_000);
      app.seed(`Why is the sky blue, ${'explained at length, '.repeat(6)}`, [], 26 * 3_600_000);
      await page.goto(url);
      await expect(page.getByRole('heading', { name: /watch who answers/ })).toBeVisible();
      await expect(page.getByRole('button', { name: 'Rehearsal agents' })).toBeVisible();
    },
  },
  {
    name: 'answered',
    show: async (page) => {
      await composer(page).fill(question);
      await composer(page).press('Enter');
      await expect(page.getByRole('region', { name: 'Answer', exact: true })).toBeVisible();
      await expect(page.locator('.prose strong').first()).toBeAttached();
    },
  },
  {
    name: 'inspected turn',
    show: async (page) => {
      await page.getByRole('button', { name: 'Inspect the routing of turn 2' }).click();
      await expect(page.locator('.history__dot').first()).toBeAttached();
    },
  },
  {
    name: 'inspected turn, end',
    show: async (page) => {
      await page.getByText('Table', { exact: true }).click();
      await toEnd(page, '.inspector__body');
    },
  },
  {
    name: 'preview',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await composer(page).fill('And if they cost $2.20?');
      await page.getByRole('button', { name: 'Preview route' }).click();
      await page.getByRole('checkbox', { name: 'Slot 4 may be chosen' }).uncheck();
      await expect(page.getByText(/which you left out/)).toBeVisible();
    },
  },
  {
    name: 'router failed',
    show: async (page, app) => {
      await page.keyboard.press('Escape');
      const message =
        'The model file is damaged: its digest is another one. Choose another router.';
      const failure = { code: 'damaged', retryable: false, message };
      app.setRouter({ ...app.router, phase: { state: 'failed', failure } });
      await expect(page.getByText('The router is not running.')).toBeVisible();
    },
  },
  {
    name: 'delete',
    show: async (page, app) => {
      app.setRouter({
        ...app.router,
        phase: { state: 'ready', loadMs: 412, rssBytes: 190_000_000 },
      });
      if (await page.getByRole('button', { name: 'Conversations', exact: true }).isVisible()) {
        await page.getByRole('button', { name: 'Conversations', exact: true }).click();
      }
      await page.getByRole('button', { name: 'Delete “Merge two sorted lists”' }).focus();
      await page.keyboard.press('Enter');
      await expect(page.getByRole('dialog', { name: 'Delete conversation?' })).toBeVisible();
    },
  },
  {
    name: 'agents',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Alt+Digit2');
      await expect(page.getByRole('button', { name: 'Bind all slots' })).toBeVisible();
    },
  },
  {
    name: 'agents bound and tested',
    show: async (page, app) => {
      await page.getByLabel('Key', { exact: true }).fill('sk-or-0123456789abcdef');
      await page.getByRole('button', { name: 'Bind all slots' }).click();
      await page.getByRole('button', { name: 'Test Slot 0' }).click();
      await expect(page.getByText(/accepted the key/)).toBeVisible();
      app.slots = app.slots.map((slot) => (slot.index === 1 ? { ...slot, key: null } : slot));
      await page.getByRole('button', { name: 'Test Slot 1' }).click();
      await expect(page.getByText(/refused the key/)).toBeVisible();
      await toEnd(page, '.page__body');
    },
  },
  {
    name: 'one slot',
    show: async (page) => {
      await page.getByRole('button', { name: 'Change Slot 2' }).click();
      await page.getByText('Parameters').click();
    },
  },
  {
    name: 'settings',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Alt+Digit3');
      await expect(page.getByText('demo, untrained')).toBeVisible();
    },
  },
  {
    name: 'settings, drawn choices',
    show: async (page) => {
      await page.getByRole('radio', { name: 'Drawn', exact: true }).check();
      await page.getByLabel(/^Seed/).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'settings, end',
    show: async (page) => {
      await expect(page.getByText('Nothing so far.')).toBeAttached();
      await toEnd(page, '.page__body');
    },
  },
  {
    name: 'shortcuts',
    show: async (page) => {
      await page.keyboard.press('Control+/');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
  },
  {
    name: 'no such conversation',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.evaluate(() => (location.hash = '#/c/gone'));
      await expect(page.getByText('This conversation does not exist')).toBeVisible();
    },
  },
];
