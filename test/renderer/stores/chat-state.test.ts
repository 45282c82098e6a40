import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { Conversation, RunRecord } from '../../../contracts/stored.ts';
import { noConversation, withConversation, withRun } from '../../../renderer/stores/chat-state.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';

const opened = openRun({
  id: 'r1',
  conversationId: 'c1',
  task: 'Q',
  agents: 'rehearsal',
  startedAt: 0,
});
const story = acceptedRun('r1', ['Four.']);
const after = (events: number) => story.slice(0, events).reduce(foldRun, opened);
const told = (...runs: RunRecord[]): Conversation => ({
  id: 'c1',
  title: 'Told',
  createdAt: 0,
  updatedAt: 0,
  liveRunId: null,
  snippet: null,
  systemPrompt: '',
  draft: '',
  runs,
});
const state = (...runs: RunRecord[]) => ({ ...noConversation, conversationId: 'c1', runs });

describe('a conversation told by the host', () => {
  it('does not take back what this page has already shown', () => {
    const ours = after(6);
    expect(withConversation(state(ours), told(after(3))).runs[0]).toBe(ours);
  });

  it('replaces what this page has not seen yet', () => {
    expect(withConversation(state(after(3)), told(after(6))).runs[0]).toEqual(after(6));
  });

  it('ends a run that a crash ended without an event', () => {
    const crashed = { ...after(4), status: 'stopped' as const };
    expect(withConversation(state(after(6)), told(crashed)).runs[0]).toBe(crashed);
  });

  it('keeps a run that began after the host answered', () => {
    expect(withConversation(state(opened), told()).runs).toEqual([opened]);
  });

  it('forgets the runs of another conversation', () => {
    const other = { ...state(after(3)), conversationId: 'c2' };
    expect(withConversation(other, told()).runs).toEqual([]);
  });

  it('keeps the identity of a run that did not change', () => {
    const run = after(story.length);
    expect(withConversation(state(run), told({ ...run })).runs[0]).toBe(run);
  });
});

describe('a list of runs', () => {
  it('stays the same list when a run did not change', () => {
    const runs = [after(3)];
    expect(withRun(runs, runs[0] as RunRecord)).toBe(runs);
  });
});
