import type { Page } from '@playwright/test';
import { firstHalfText, startAgents, wholeText, type Agents } from './agents.ts';
import { asPage, useAgents, useRehearsal } from './api-client.ts';
import { connected, enter, expect, test } from './fixtures.ts';

let agents: Agents;
test.beforeAll(async ({ host }) => {
  agents = await startAgents();
  await asPage(host, (client) => useAgents(client, agents));
});
test.afterAll(async ({ host }) => {
  await asPage(host, useRehearsal);
  await agents.server.close();
});
test.afterEach(() => agents.release());

/** Types a message into a new conversation and sends it. */
async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('textbox', { name: 'Your message' }).fill(text);
  await page.getByRole('textbox', { name: 'Your message' }).press('Enter');
}

const answer = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true });
const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });
const turns = (page: Page) => page.getByRole('article', { name: /^Turn \d/ });
const bars = (page: Page, title: string) =>
  page.getByRole('list', { name: title }).getByRole('listitem');

test('a message is routed, answered as it streams, and judged: bars for every turn', async ({
  tab,
}) => {
  agents.hold();
  await ask(tab, 'A bat and a ball cost $1.10. What does the ball cost?');
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  // Half of the answer is there and the rest is not: it streams.
  await expect(tab.getByText('because the bat')).toHaveCount(0);
  await expect(stopButton(tab)).toBeVisible();
  agents.release();

  await expect(answer(tab)).toContainText(wholeText);
  await expect(answer(tab)).toContainText('Accepted by the Verifier');
  await expect(answer(tab).getByText(/Verifier: accepted/)).toBeVisible();
  await expect(answer(tab).locator('strong', { hasText: 'ball' })).toBeVisible();

  const count = await turns(tab).count();
  expect(count).toBeGreaterThanOrEqual(2);
  for (let turn = 1; turn <= count; turn += 1) {
    await tab
      .getByRole('button', { name: `Inspect the routing of turn ${turn}`, exact: true })
      .click();
    await expect(bars(tab, 'Agents')).toHaveCount(7);
    await expect(bars(tab, 'Roles')).toHaveCount(3);
    await expect(bars(tab, 'Agents').first()).toContainText(/logit −?\d/);
    await expect(tab.getByRole('region', { name: 'Decision' }).first()).toContainText('margin');
  }
  await expect(tab.getByRole('region', { name: 'Margin history' })).toContainText('uncalibrated');
});

test('a reload in mid-run loses nothing', async ({ tab }) => {
  agents.hold();
  await ask(tab, 'Reload while this is answered.');
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  await tab.reload();
  await connected(tab);
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  await expect(stopButton(tab)).toBeVisible();
  agents.release();
  await expect(answer(tab)).toContainText(wholeText);
  const shown = await answer(tab).innerText();
  await tab.reload();
  await expect(answer(tab)).toContainText(wholeText);
  expect(await answer(tab).innerText()).toBe(shown);
});

test('Stop keeps what was said, also after a reload', async ({ tab }) => {
  agents.hold();
  await ask(tab, 'Stop this in the middle.');
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  await stopButton(tab).click();
  await expect(tab.getByText('Partial text: stopped')).toBeVisible();
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  await expect(tab.getByRole('button', { name: 'Send' })).toBeVisible();
  await tab.reload();
  await expect(tab.getByText('Partial text: stopped')).toBeVisible();
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
});

test('a second page on the same conversation agrees, live and afterwards', async ({
  tab,
  context,
}) => {
  agents.hold();
  await ask(tab, 'Two pages watch this.');
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  const second = await context.newPage();
  await second.goto(tab.url());
  await connected(second);
  await expect(second.getByText(firstHalfText).first()).toBeVisible();
  agents.release();
  await expect(answer(tab)).toContainText(wholeText);
  await expect(answer(second)).toContainText(wholeText);
  // What is read aloud comes last, and without the marks of its Markdown.
  for (const page of [tab, second]) {
    await expect(page.getByRole('log', { name: 'Finished parts' })).toContainText(wholeText);
    await expect(page.getByRole('log', { name: 'Finished parts' })).toContainText('Run over.');
  }
  const transcript = (page: Page) => page.locator('main').innerText();
  await expect.poll(() => transcript(second)).toBe(await transcript(tab));
  // The composer of one page, the transcript of the other.
  await second.getByRole('textbox', { name: 'Your message' }).fill('And once more?');
  await second.getByRole('textbox', { name: 'Your message' }).press('Enter');
  await expect(tab.getByRole('region', { name: 'Message: And once more?' })).toBeVisible();
  await expect(answer(tab)).toHaveCount(2);
});

test('a draft survives a reload, and Enter while composing does not send', async ({ tab }) => {
  await tab.getByRole('button', { name: 'New conversation' }).click();
  const box = tab.getByRole('textbox', { name: 'Your message' });
  await box.fill('Half a thought');
  await box.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true });
  await expect(box).toHaveValue('Half a thought');
  await tab.reload();
  await expect(box).toHaveValue('Half a thought');
  await box.fill('');
});

test('a host that is killed in mid-run comes back with what was said', async ({
  tab,
  context,
  host,
  complaints,
}) => {
  agents.hold();
  await ask(tab, 'The program dies while this is answered.');
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  const port = Number(new URL(host.origin).port);
  await host.kill();
  await expect(tab.getByText('The connection to the program is lost')).toBeVisible();
  await host.start(port);
  // The host that was started anew knows neither cookie nor secret: the page says what helps.
  const heading = tab.getByRole('heading', { name: /needs a fresh address/ });
  await expect(heading).toBeVisible();
  const fresh = await context.newPage();
  await enter(fresh, host);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await connected(tab);
  await expect(tab.getByText(firstHalfText).first()).toBeVisible();
  await expect(tab.getByText('Partial text: stopped')).toBeVisible();
  // A page that finds nobody says so in the console; that is the browser's own line.
  complaints.splice(0);
});
