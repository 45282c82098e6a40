import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversation } from '../../../renderer/stores/chat.ts';
import {
  removeConversation,
  renameConversation,
  searchConversations,
} from '../../../renderer/stores/conversations.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

describe('the list of conversations', () => {
  let app: FakeApp;
  let page: TestPage;
  const titles = () =>
    page.session.conversations.getState().conversations.map(({ title }) => title);

  beforeEach(async () => {
    app = new FakeApp();
    app.seed('Apples');
    app.seed('Pears');
    page = testPage(app);
    await page.begin();
  });
  afterEach(() => page.close());

  it('shows what another window made', async () => {
    const made = app.seed('Plums');
    app.changes.send({ kind: 'conversation', id: made.id });
    await page.until(() => expect(titles()).toEqual(['Plums', 'Pears', 'Apples']));
  });

  it('shows what matches the search, and the answer to the latest search only', async () => {
    await Promise.all([
      searchConversations(page.session, 'app'),
      searchConversations(page.session, 'pear'),
    ]);
    expect(titles()).toEqual(['Pears']);
  });

  it('renames at once, also the open one', async () => {
    const id = [...app.conversations.keys()][0] ?? '';
    await openConversation(page.session, id);
    expect(await renameConversation(page.session, id, '  Golden apples ')).toBe(true);
    expect(titles()).toContain('Golden apples');
    expect(page.session.chat.getState().title).toBe('Golden apples');
    expect(app.get(id).title).toBe('Golden apples');
  });

  it('does not rename to nothing', async () => {
    const id = [...app.conversations.keys()][0] ?? '';
    expect(await renameConversation(page.session, id, '   ')).toBe(false);
    expect(app.get(id).title).toBe('Apples');
  });

  it('forgets a deleted one and leaves it', async () => {
    const id = [...app.conversations.keys()][0] ?? '';
    await openConversation(page.session, id);
    expect(await removeConversation(page.session, id)).toBe(true);
    expect(titles()).toEqual(['Pears']);
    expect(page.session.chat.getState().conversationId).toBeNull();
  });

  it('keeps a conversation that could not be deleted, and says why', async () => {
    app.conversations.delete = () => {
      throw new Error('The disk is full.');
    };
    const id = [...app.conversations.keys()][0] ?? '';
    expect(await removeConversation(page.session, id)).toBe(false);
    expect(titles()).toContain('Apples');
    expect(page.session.view.getState().notices).toHaveLength(1);
  });
});
