import { useState } from 'react';
import type { RunRecord } from '../../contracts/stored.ts';
import { liveRun } from '../stores/chat-state.ts';
import { usePart } from '../stores/use-session.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { runOutcome } from './turn-words.ts';

/** Blocks that stand in the region at once: a screen reader speaks what is added. */
const kept = 3;

/** Speaks a running answer block by block, each once it is finished, and then how the run ended. */
export function FinishedBlocks() {
  const live = usePart('chat', (state) => liveRun(state)?.id ?? null);
  const [spokenRun, setSpokenRun] = useState(live);
  // A run that was over when the page opened is not news.
  if (live !== null && live !== spokenRun) setSpokenRun(live);
  const run = usePart('chat', ({ runs }) => runs.find(({ id }) => id === spokenRun) ?? null);
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-label="Finished parts">
      {(run === null ? [] : finishedParts(run)).slice(-kept).map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}

/** What is finished of a run, in order. The last block of a text that still grows is not. */
export function finishedParts(run: RunRecord): { id: string; text: string }[] {
  const parts = run.turns.flatMap((turn) => {
    const isOver = turn.complete || run.status !== 'running';
    const blocks = markdownBlocks(turn.text);
    const closed = isOver ? blocks : blocks.slice(0, -1);
    return closed.map((text, index) => ({
      id: `${turn.turn}.${index}`,
      text: index === 0 && turn.role !== null ? `${turn.role}: ${text}` : text,
    }));
  });
  if (run.status === 'running') return parts;
  return [...parts, { id: 'end', text: `Run over. ${runOutcome(run).text}.` }];
}
