import { ORPCError } from '@orpc/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openConversation,
  refreshConversation,
  sendMessage,
  stopRun,
} from '../../../renderer/stores/chat.ts';
import { draftOf } from '../../../renderer/stores/draft-state.ts';
import { setDraft } from '../../../renderer/stores/drafts.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { playing, tellingTurns } from '../fake/scripted-run.ts';
import { testPage, type TestPage } from '../fake/test-session.ts';

/** Lets a script go on step by step. */
class Steps {
  #left = 0;
  #wake = () => {};
  readonly pause = async () => {
    while (this.#left <= 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#left -= 1;
  };
  go(steps: number): void {
    this.#left = steps;
    this.#wake();
  }
}

describe('the conversation of a page', () => {
  let app: FakeApp;
  let steps: Steps;
  let page: TestPage;
  const pages: TestPage[] = [];
  const chatOf = (one: TestPage) => one.session.chat.getState();
  const lastRun = (one: TestPage) => chatOf(one).runs.at(-1);
  const textOf = (one: TestPage) =>
    lastRun(one)
      ?.turns.map(({ text }) => text)
      .join('|') ?? '';

  const open = async (): Promise<TestPage> => {
    const opened = testPage(app);
    pages.push(opened);
    await opened.begin();
    return opened;
  };

  beforeEach(async () => {
    app = new FakeApp();
    steps = new Steps();
    app.script = playing(tellingTurns, steps.pause);
    page = await open();
  });
  afterEach(() => pages.splice(0).forEach((one) => one.close()));

  it('creates a conversation with its first message and follows the run to its end', async () => {
    steps.go(Infinity);
    expect(await sendMessage(page.session, 'How much is the ball?', {})).toBe(true);
    await page.until(() => expect(lastRun(page)?.status).toBe('accepted'));
    expect(app.conversations.size).toBe(1);
    expect(lastRun(page)).toMatchObject({ task: 'How much is the ball?' });
    expect(lastRun(page)).toEqual(app.conversations.values().next().value?.runs[0]);
  });

  it('loses nothing when it is opened again in mid-run', async () => {
    await sendMessage(page.session, 'How much is the ball?', {});
    steps.go(20);
    await page.until(() => expect(textOf(page)).not.toBe(''));
    page.close();
    const again = await open();
    await openConversation(again.session, [...app.conversations.keys()][0] ?? '');
    await again.until(() => expect(textOf(again)).toBe(textOf(page)));
    steps.go(Infinity);
    await again.until(() => expect(lastRun(again)?.status).toBe('accepted'));
    expect(chatOf(again).runs).toEqual([...app.conversations.values()][0]?.runs);
  });

  it('shows on a second page what the first one began', async () => {
    const seeded = app.seed('Shared');
    const second = await open();
    await openConversation(page.session, seeded.id);
    await openConversation(second.session, seeded.id);
    steps.go(Infinity);
    await sendMessage(page.session, 'Both see this', {});
    await second.until(() => expect(lastRun(second)?.status).toBe('accepted'));
    await page.until(() => expect(lastRun(page)?.status).toBe('accepted'));
    expect(chatOf(second).runs).toEqual(chatOf(page).runs);
  });

  it('goes on where it was after the connection broke', async () => {
    await sendMessage(page.session, 'How much is the ball?', {});
    steps.go(20);
    await page.until(() => expect(textOf(page)).not.toBe(''));
    page.host = 'away';
    page.cut();
    steps.go(Infinity);
    await page.until(() => expect(page.session.connection.getState().phase.state).toBe('lost'));
    page.host = 'there';
    await page.until(() => expect(lastRun(page)?.status).toBe('accepted'));
    expect(chatOf(page).runs).toEqual([...app.conversations.values()][0]?.runs);
    expect(page.session.view.getState().notices).toEqual([]);
  });

  it('keeps the partial text of a stopped run', async () => {
    await sendMessage(page.session, 'How much is the ball?', {});
    steps.go(20);
    await page.until(() => expect(textOf(page)).not.toBe(''));
    const before = textOf(page);
    await stopRun(page.session);
    expect(chatOf(page).stopping).toEqual([lastRun(page)?.id]);
    steps.go(Infinity);
    await page.until(() => expect(lastRun(page)?.status).toBe('stopped'));
    expect(textOf(page).startsWith(before)).toBe(true);
    expect(chatOf(page).stopping).toEqual([]);
  });

  it('leaves a refused message in the composer and says why', async () => {
    const seeded = app.seed('Refusing');
    await openConversation(page.session, seeded.id);
    app.start = () => {
      throw new ORPCError('no_agent_available', { message: 'No slot is bound.' });
    };
    setDraft(page.session, seeded.id, 'Hello');
    expect(await sendMessage(page.session, 'Hello', {})).toBe(false);
    expect(draftOf(page.session.drafts.getState(), seeded.id)).toBe('Hello');
    expect(page.session.view.getState().notices).toMatchObject([
      { failure: { code: 'no_agent_available', message: 'No slot is bound.' } },
    ]);
    expect(chatOf(page).sending).toBeNull();
  });

  it('sends nothing while a run is going on, nor an empty message', async () => {
    expect(await sendMessage(page.session, ' \n ', {})).toBe(false);
    await sendMessage(page.session, 'First', {});
    expect(await sendMessage(page.session, 'Second', {})).toBe(false);
    expect(app.live.size).toBe(1);
    steps.go(Infinity);
  });

  it('drops the answer for a conversation that was left meanwhile', async () => {
    const slow = app.seed('Slow');
    const quick = app.seed('Quick');
    const opening = openConversation(page.session, slow.id);
    await openConversation(page.session, quick.id);
    await opening;
    expect(chatOf(page)).toMatchObject({ conversationId: quick.id, title: 'Quick' });
  });

  it('shows the empty page when its conversation is deleted elsewhere', async () => {
    const seeded = app.seed('Doomed');
    await openConversation(page.session, seeded.id);
    app.conversations.delete(seeded.id);
    app.changes.send({ kind: 'conversation_removed', id: seeded.id });
    await page.until(() => expect(chatOf(page).conversationId).toBeNull());
  });

  it('says why a conversation cannot be opened', async () => {
    const message = 'The database is damaged.';
    app.get = () => {
      const data = { code: 'storage_corrupt', retryable: false, message };
      throw new ORPCError('FAILED', { message, data });
    };
    await openConversation(page.session, 'c-1');
    expect(chatOf(page)).toMatchObject({ phase: 'failed', failure: { message } });
  });

  it('knows a conversation that does not exist, also when it existed until now', async () => {
    await openConversation(page.session, 'gone');
    expect(chatOf(page)).toMatchObject({ phase: 'missing', conversationId: 'gone' });
    const seeded = app.seed('Deleted while this page was away');
    await openConversation(page.session, seeded.id);
    expect(chatOf(page)).toMatchObject({ phase: 'ready', title: seeded.title });
    app.conversations.delete(seeded.id);
    await refreshConversation(page.session, seeded.id);
    expect(chatOf(page)).toMatchObject({ phase: 'missing', title: '', runs: [] });
  });
});
