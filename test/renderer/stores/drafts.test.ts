import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversation, sendMessage } from '../../../renderer/stores/chat.ts';
import { draftOf } from '../../../renderer/stores/draft-state.ts';
import { flushDrafts, setDraft } from '../../../renderer/stores/drafts.ts';
import { ensureConversation } from '../../../renderer/stores/ensure-conversation.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

describe('unsent text', () => {
  let app: FakeApp;
  let page: TestPage;
  const draft = (one: TestPage, id: string | null) => draftOf(one.session.drafts.getState(), id);

  beforeEach(async () => {
    app = new FakeApp();
    page = testPage(app);
    await page.begin();
  });
  afterEach(() => page.close());

  it('is saved once when typing rests, not at every key', async () => {
    const { id } = app.seed('One');
    const saved: string[] = [];
    const change = app.conversations.set.bind(app.conversations);
    app.conversations.set = (key, value) => {
      saved.push(value.draft);
      return change(key, value);
    };
    setDraft(page.session, id, 'a');
    setDraft(page.session, id, 'ab');
    setDraft(page.session, id, 'abc');
    await page.until(() => expect(app.get(id).draft).toBe('abc'));
    expect(saved).toEqual(['abc']);
  });

  it('survives a reload, for each conversation apart', async () => {
    const one = app.seed('One');
    const two = app.seed('Two');
    setDraft(page.session, one.id, 'for one');
    setDraft(page.session, two.id, 'for two');
    flushDrafts(page.session);
    await page.until(() => expect(app.get(two.id).draft).toBe('for two'));
    const reloaded = testPage(app);
    await reloaded.begin();
    await openConversation(reloaded.session, one.id);
    expect(draft(reloaded, one.id)).toBe('for one');
    await openConversation(reloaded.session, two.id);
    expect(draft(reloaded, two.id)).toBe('for two');
    reloaded.close();
  });

  it('of a conversation that does not exist yet survives a reload too', () => {
    setDraft(page.session, null, 'first words');
    flushDrafts(page.session);
    const reloaded = testPage(app, page.memory);
    expect(draft(reloaded, null)).toBe('first words');
  });

  it('is gone once the message was taken, and stays gone after a reload', async () => {
    setDraft(page.session, null, 'Hello');
    flushDrafts(page.session);
    await sendMessage(page.session, 'Hello', {});
    flushDrafts(page.session);
    expect(draft(page, null)).toBe('');
    expect(page.memory.get('trinity.draft')).toBeUndefined();
  });

  it('moves into the conversation that is created for it, once and for all who ask', async () => {
    setDraft(page.session, null, 'What now?');
    flushDrafts(page.session);
    const ask = () => ensureConversation(page.session);
    await Promise.all([ask(), ask()]);
    const ids = [...app.conversations.keys()];
    expect(ids).toHaveLength(1);
    expect(page.session.chat.getState().conversationId).toBe(ids[0]);
    expect(draft(page, ids[0] ?? null)).toBe('What now?');
    expect(draft(page, null)).toBe('');
    await page.until(() => expect(app.get(ids[0] ?? '').draft).toBe('What now?'));
    expect(page.memory.get('trinity.draft')).toBeUndefined();
  });

  it('that a person is typing is not replaced by the stored one', async () => {
    const { id } = app.seed('One');
    app.change(id, { draft: 'stored' });
    setDraft(page.session, id, 'being typed');
    await openConversation(page.session, id);
    expect(draft(page, id)).toBe('being typed');
  });
});
