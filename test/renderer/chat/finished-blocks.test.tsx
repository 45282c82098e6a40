import { render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import { FinishedBlocks, finishedParts } from '../../../renderer/chat/finished-blocks.tsx';
import { SessionContext } from '../../../renderer/stores/use-session.ts';
import { acceptedRun, decisionOf, numbered, type EventBody } from '../../fixtures/run-events.ts';
import { FakeApp } from '../fake/fake-app.ts';
import { testPage } from '../fake/test-session.ts';

it('reads an answer aloud without the marks of its Markdown', async () => {
  const story = acceptedRun('r', [
    'The **ball** costs `$0.05`.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n',
    'There',
  ]);
  const opened = openRun({
    id: 'r',
    conversationId: 'c',
    task: 'How much?',
    agents: 'rehearsal',
    startedAt: 0,
  });
  const growing = story.slice(0, 7).reduce(foldRun, opened);
  const { session, close } = testPage(new FakeApp());
  session.chat.setState({ conversationId: 'c', runs: [growing] });
  const view = render(
    <SessionContext value={session}>
      <FinishedBlocks />
    </SessionContext>,
  );
  const region = screen.getByRole('log', { name: 'Finished parts' });
  await waitFor(
    () =>
      expect([...region.querySelectorAll('p')].map((part) => part.textContent)).toEqual([
        'Worker: The ball costs $0.05.\na, b\n1, 2',
      ]),
    { timeout: 15_000 },
  );
  view.unmount();
  close();
}, 20_000);

describe('the finished parts of a Thinker', () => {
  const hash = `v1:${'a'.repeat(64)}`;
  const dispatch = { slot: 2, role: 'Thinker', provider: 'local', model: 'small' } as const;
  const thinking: EventBody[] = [
    { type: 'turn_started', turn: 1, transcriptHash: hash, messageCount: 1 },
    { type: 'routed', turn: 1, decision: decisionOf() },
    { type: 'dispatch_started', turn: 1, call: 1, ...dispatch },
  ];
  const said = (text: string, ...more: EventBody[]) => {
    const opened = openRun({
      id: 'r',
      conversationId: 'c',
      task: 'How much?',
      agents: 'rehearsal',
      startedAt: 0,
    });
    const delta = { type: 'delta', turn: 1, channel: 'text', text } as const;
    const run = numbered('r', [...thinking, delta, ...more]).reduce(foldRun, opened);
    return finishedParts(run).map((part) => part.text);
  };

  it('end where a suggestion begins, while it is written', () => {
    expect(said('Add.\n\nThen.\n\n<suggestion>Do\n\nthis\n\nnow')).toEqual(['Add.\n\n']);
  });

  it('say a suggestion in words once the turn is over', () => {
    const tags =
      '<suggestion>Add the prices.</suggestion>\n<suggested_role>worker</suggested_role>';
    const text = `Think.\n\n${tags}`;
    const completed = {
      type: 'turn_completed',
      turn: 1,
      slot: 2,
      role: 'Thinker',
      text,
      textHash: hash,
      complete: true,
      verdict: null,
      suggestion: { role: 'Worker', text: 'Add the prices.' },
    } as const;
    expect(said(text, completed)).toEqual(['Think.', 'Suggests the Worker: Add the prices.']);
  });
});
