import { Icon } from '../controls/icon.tsx';
import { setDraft } from '../stores/drafts.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { showPage } from '../stores/view.ts';

const samples = [
  'A bat and a ball cost $1.10 together. The bat costs $1 more than the ball. What does the ball cost?',
  'Write a short function that merges two sorted lists, then check it.',
  'Explain why the sky is blue to a ten-year-old, in five sentences.',
];

/** The page before the first message: what will happen, and three ways to begin. */
export function Welcome() {
  const session = useSession();
  const conversationId = usePart('chat', (state) => state.conversationId);
  const choose = (text: string) => {
    setDraft(session, conversationId, text);
    document.getElementById('composer-text')?.focus();
  };
  return (
    <div className="welcome">
      <div className="welcome__mark" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
      <h2 className="welcome__title">Ask something, and watch who answers</h2>
      <p className="welcome__text">
        A small model on this computer reads the conversation before every turn. It decides which
        agent speaks next, as Worker, Thinker or Verifier, and you see the decision as it is made.
      </p>
      <ul className="welcome__samples" role="list">
        {samples.map((text) => (
          <li key={text}>
            <button type="button" className="welcome__sample" onClick={() => choose(text)}>
              <span>{text}</span>
              <Icon name="chevronRight" size={14} />
            </button>
          </li>
        ))}
      </ul>
      <Trial onSlots={() => showPage(session, 'slots')} />
    </div>
  );
}

/** Says plainly that a fresh installation rehearses, and that nobody answers where nobody is bound. */
function Trial({ onSlots }: { onSlots: () => void }) {
  const isDemo = usePart('router', ({ router }) => router?.isDemo ?? false);
  const agents = usePart('settings', ({ settings }) => settings?.agents ?? null);
  const isUnbound = usePart(
    'slots',
    ({ phase, slots }) => phase === 'ready' && slots.every(({ binding }) => binding === null),
  );
  const isRehearsal = agents === 'rehearsal';
  const isNobodyThere = agents === 'slots' && isUnbound;
  if (!isDemo && !isRehearsal && !isNobodyThere) return null;
  const tried = [
    isDemo ? 'a small demo router that was never trained' : '',
    isRehearsal ? 'rehearsal agents with scripted answers' : '',
  ].filter((part) => part !== '');
  return (
    <p className="welcome__trial">
      {tried.length === 0 ? '' : `You are trying the program with ${tried.join(' and ')}. `}
      {isRehearsal ? 'Nothing leaves this computer. ' : ''}
      {isNobodyThere ? 'No slot is bound to an agent yet, so no message can be answered. ' : ''}
      {isRehearsal || isNobodyThere ? (
        <button type="button" className="link-button" onClick={onSlots}>
          Bind real agents
        </button>
      ) : null}
    </p>
  );
}
