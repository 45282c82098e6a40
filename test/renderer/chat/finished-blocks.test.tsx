import { render, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import { FinishedBlocks } from '../../../renderer/chat/finished-blocks.tsx';
import { SessionContext } from '../../../renderer/stores/use-session.ts';
import { acceptedRun } from '../../fixtures/run-events.ts';
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
