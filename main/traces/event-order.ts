import { budgetKinds } from '../../contracts/events.ts';
import type { TraceLine, TraceLineOf } from './trace-line.ts';

/** Where a run is, by the last event that was seen. */
type State =
  | 'start'
  | 'between_turns'
  | 'turn_open'
  | 'routed'
  | 'attempt'
  | 'retrying'
  | 'call_over'
  | 'call_failed'
  | 'ended';

/** What may follow. A terminal may follow everything: who drives a run may have to end it in the middle. */
const after: Readonly<Record<State, readonly TraceLine['type'][]>> = {
  start: ['run_started'],
  between_turns: ['turn_started'],
  turn_open: ['routed'],
  // A turn that was selected again and then not called closes without a further attempt.
  routed: ['dispatch_started', 'turn_completed'],
  attempt: ['delta', 'dispatch_finished', 'dispatch_failed', 'turn_completed'],
  retrying: ['dispatch_started', 'turn_completed'],
  call_over: ['turn_completed'],
  call_failed: ['routed', 'turn_completed'],
  ended: [],
};

/**
 * Follows the events of one run and says of each whether it may come where it comes: first and last
 * event, turns one by one, each closed before the next begins, calls counted from 1 and made as the last
 * decision says, an ending that what came before allows.
 */
export class EventOrder {
  #state: State = 'start';
  #turn = 0;
  #calls = 0;
  /** The last decision of the turn. */
  #decided: { readonly slot: number; readonly role: string } | null = null;
  /** Of the last turn that closed. */
  #verdict: 'accepted' | 'revised' | 'unknown' | null = null;

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** A sentence about what is out of order, or null. Goes on from the event either way. */
  problemWith(line: TraceLine): string | null {
    const problem = this.#problem(line);
    this.#advance(line);
    return problem;
  }

  #problem(line: TraceLine): string | null {
    const endsHere = isTerminal(line) && this.#state !== 'start' && this.#state !== 'ended';
    if (!endsHere && !after[this.#state].includes(line.type)) {
      return `${line.type} cannot follow here (${this.#state.replaceAll('_', ' ')})`;
    }
    const isOfRun = line.type === 'run_started' || isTerminal(line);
    const turn = isOfRun ? 0 : line.type === 'turn_started' ? this.#turn + 1 : this.#turn;
    if (line.turn !== turn) return `${line.type} has turn ${line.turn} instead of ${turn}`;
    if (line.type === 'dispatch_started' && line.call !== this.#calls + 1) {
      return `call ${line.call} follows call ${this.#calls}`;
    }
    if (
      (line.type === 'dispatch_finished' || line.type === 'dispatch_failed') &&
      line.call !== this.#calls
    ) {
      return `call ${line.call} ends where call ${this.#calls} was open`;
    }
    if (line.type === 'run_completed') return endingProblem(line, this.#verdict);
    return this.#decidedProblem(line);
  }

  /** A call and what it makes are of the slot and the role that were decided. */
  #decidedProblem(line: TraceLine): string | null {
    const decided = this.#decided;
    if (decided === null) return null;
    if ('slot' in line && line.slot !== decided.slot) {
      return `${line.type} is of slot ${line.slot}, where slot ${decided.slot} was decided`;
    }
    if ('role' in line && line.role !== decided.role) {
      return `${line.type} is of a ${line.role}, where a ${decided.role} was decided`;
    }
    return null;
  }

  #advance(line: TraceLine): void {
    switch (line.type) {
      case 'run_started':
        this.#state = 'between_turns';
        break;
      case 'turn_started':
        this.#state = 'turn_open';
        this.#turn = line.turn;
        this.#decided = null;
        break;
      case 'routed':
        this.#state = 'routed';
        this.#decided = {
          slot: line.decision.slot.effective,
          role: line.decision.role.effective,
        };
        break;
      case 'dispatch_started':
        this.#state = 'attempt';
        this.#calls = line.call;
        break;
      case 'delta':
        break;
      case 'dispatch_finished':
        this.#state = 'call_over';
        break;
      case 'dispatch_failed':
        this.#state = line.next === 'retry' ? 'retrying' : 'call_failed';
        break;
      case 'turn_completed':
        this.#state = 'between_turns';
        this.#verdict = line.verdict?.status ?? null;
        break;
      case 'run_completed':
      case 'run_failed':
        this.#state = 'ended';
    }
  }
}

/** Why a run cannot have ended as it says. */
function endingProblem(
  { status, budget, verdict }: TraceLineOf<'run_completed'>,
  last: 'accepted' | 'revised' | 'unknown' | null,
): string | null {
  const isAccepted = verdict?.status === 'accepted' && last === 'accepted';
  if (status === 'accepted' && !isAccepted) return 'the run was accepted without such a verdict';
  const due = {
    accepted: [null],
    stopped: [null],
    max_turns: ['turns'],
    budget: budgetsBeyondTurns,
  };
  if (due[status].some((kind) => kind === budget)) return null;
  return `an ending of the kind ${status} names ${budget === null ? 'no budget' : `the budget ${budget}`}`;
}

const budgetsBeyondTurns = budgetKinds.filter((kind) => kind !== 'turns');

function isTerminal(line: TraceLine): boolean {
  return line.type === 'run_completed' || line.type === 'run_failed';
}
