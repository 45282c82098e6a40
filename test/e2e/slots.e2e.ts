import type { Page } from '@playwright/test';
import { badKey, goodKey, startAgents, wholeText, type Agents } from './agents.ts';
import { asPage, openApiPage, useAgents, useRehearsal } from './api-client.ts';
import { expect, test } from './fixtures.ts';

let agents: Agents;
test.beforeAll(async () => {
  agents = await startAgents();
});
test.afterEach(({ host }) => asPage(host, useRehearsal));
test.afterAll(() => agents.server.close());

/** Opens the page of agents. */
async function openSlots(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Agents', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^One provider for all/ })).toBeVisible();
}

/** Binds slot 0 to the local provider through its dialog, which then tests it. */
async function bindFirstSlot(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Bind Slot 0', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').first().fill('Local agent');
  await dialog.getByLabel('Provider').selectOption('openai-compatible');
  await dialog.getByLabel('Model').fill('test-model');
  await dialog.getByLabel(/^Address/).fill(agents.baseUrl);
  await dialog.getByLabel(/^Key/).fill(key);
  await dialog.getByRole('button', { name: 'Store and test' }).click();
  await expect(dialog).toHaveCount(0);
}

test('a slot with a good key is tested, answers, and its key never comes back', async ({
  tab,
  host,
}) => {
  await openSlots(tab);
  await bindFirstSlot(tab, goodKey);
  const slot = tab.getByRole('listitem', { name: 'Local agent' });
  await expect(slot.getByRole('status')).toContainText(/model/);
  await expect(slot.getByRole('status')).not.toContainText(/refused|wrong|Incorrect/i);

  // All slots by one card, and a message that they answer.
  const card = tab.getByRole('region', { name: /^One provider for all/ });
  await card.getByLabel('Provider').selectOption('openai-compatible');
  await card.getByLabel('Model').fill('test-model');
  await card.getByLabel(/^Address/).fill(agents.baseUrl);
  await card.getByLabel(/^Key/).fill(goodKey);
  await card.getByRole('button', { name: 'Bind all slots' }).click();
  await expect(tab.getByText(/Your agents answer now/)).toBeVisible();
  await tab.getByRole('button', { name: 'New conversation' }).click();
  await tab.getByRole('textbox', { name: 'Your message' }).fill('What does the ball cost?');
  await tab.getByRole('textbox', { name: 'Your message' }).press('Enter');
  await expect(tab.getByRole('region', { name: 'Answer', exact: true })).toContainText(wholeText);
  expect(
    agents.server.requests.some(({ headers }) => headers['authorization'] === `Bearer ${goodKey}`),
  ).toBe(true);

  // A page of ours asks for everything there is to ask.
  const api = await openApiPage(host);
  const items = await api.client.slots.keys({});
  expect(items.length).toBeGreaterThan(0);
  await Promise.all([
    api.client.slots.list({}),
    api.client.slots.schemes({}),
    api.client.slots.presets({}),
    api.client.settings.get({}),
    api.client.settings.about({}),
    api.client.slots.test({ index: 0 }),
  ]);
  for (const path of [
    'slots/openKey',
    'slots/getKey',
    'keys/open',
    'vault/open',
    'slots/keys/open',
  ]) {
    const asked = api.client as unknown as Record<
      string,
      Record<string, (input: object) => Promise<unknown>>
    >;
    const [room = '', name = ''] = path.split(/\/(.*)/);
    await expect(
      asked[room]![name]!({ id: items[0]!.id, origin: agents.server.origin }),
    ).rejects.toMatchObject({ status: 404 });
  }
  expect(api.received.join('\n')).not.toContain(goodKey);
  expect(api.received.join('\n')).not.toContain(Buffer.from(goodKey).toString('base64'));
  api.close();
  expect(await tab.content()).not.toContain(goodKey);
});

test('a slot with a bad key says so in words, and another takes its turn', async ({
  tab,
  host,
}) => {
  await asPage(host, async (client) => {
    await useAgents(client, agents);
    await client.slots.clear({ index: 0 });
  });
  await tab.reload();
  await openSlots(tab);
  await bindFirstSlot(tab, badKey);
  const slot = tab.getByRole('listitem', { name: 'Local agent' });
  await expect(slot.getByRole('status')).toContainText(/key/i);
  await expect(slot.getByRole('status')).not.toContainText(badKey);

  await tab.getByRole('button', { name: 'New conversation' }).click();
  await tab.getByLabel('Slot for this message').selectOption({ label: 'Local agent' });
  await tab.getByRole('textbox', { name: 'Your message' }).fill('Who answers this?');
  await tab.getByRole('textbox', { name: 'Your message' }).press('Enter');
  // The call is refused, the turn is selected again without that slot, and both facts are shown.
  await expect(tab.getByRole('article', { name: /^Turn 1/ })).toContainText(/key/i);
  await expect(tab.getByRole('region', { name: 'Answer', exact: true })).toContainText(wholeText);
  expect(await tab.content()).not.toContain(badKey);
});
