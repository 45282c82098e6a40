import { Suspense, useState } from 'react';
import type { Suggestion } from '../../contracts/events.ts';
import type { RoleName } from '../../contracts/roles.ts';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { withoutOpenSuggestion, withoutSuggestionTags } from '../../contracts/suggestion-tags.ts';
import { liveRun } from '../stores/chat-state.ts';
import { usePart } from '../stores/use-session.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { PlainText } from './plain-text.tsx';
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
      {(run === null ? [] : finishedParts(run)).slice(-kept).map(({ id, role, text }) => (
        // A paragraph is there at once with its whole text, so that it is spoken once.
        <Suspense key={id} fallback={null}>
          <p>
            {role === null ? '' : `${role}: `}
            <PlainText source={text} />
          </p>
        </Suspense>
      ))}
    </div>
  );
}

interface FinishedPart {
  readonly id: string;
  /** Who speaks, where a turn begins. */
  readonly role: RoleName | null;
  /** Markdown. */
  readonly text: string;
}

/** What is finished of a run, in order. The last block of a text that still grows is not. */
export function finishedParts(run: RunRecord): FinishedPart[] {
  const parts = run.turns.flatMap((turn) => {
    const isOver = turn.complete || run.status !== 'running';
    const blocks = markdownBlocks(spokenText(turn, isOver));
    const closed = isOver ? blocks : blocks.slice(0, -1);
    const { suggestion } = turn;
    const all = suggestion === null ? closed : [...closed, suggestionWords(suggestion)];
    return all.map((text, index) => ({
      id: `${turn.turn}.${index}`,
      role: index === 0 ? turn.role : null,
      text,
    }));
  });
  if (run.status === 'running') return parts;
  return [...parts, { id: 'end', role: null, text: `Run over. ${runOutcome(run).text}.` }];
}

/** A turn's text; a Thinker's without the tags of its suggestion, which is spoken in words after it. */
function spokenText({ role, text, suggestion }: TurnRecord, isOver: boolean): string {
  if (role !== 'Thinker') return text;
  if (!isOver) return withoutOpenSuggestion(text);
  return suggestion === null ? text : withoutSuggestionTags(text);
}

function suggestionWords({ role, text }: Suggestion): string {
  return `Suggests the ${role}: ${text}`;
}
