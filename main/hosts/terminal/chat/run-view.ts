import type { RunEvent, RunEventOf } from '../../../../contracts/events.ts';
import type { OutputStream } from '../context.ts';
import { paint, type TerminalStyle } from '../style.ts';
import { renderDecision } from './decision-view.ts';
import { printable } from './printable.ts';

/** Writes the events of a run for a person, as they come. */
export class RunView {
  readonly #output: OutputStream;
  readonly #style: TerminalStyle;
  readonly #labels: readonly string[];
  #turns = 0;
  /** What the last delta was, while its line is open. */
  #open: RunEventOf<'delta'>['channel'] | null = null;

  constructor(output: OutputStream, style: TerminalStyle, labels: readonly string[]) {
    this.#output = output;
    this.#style = style;
    this.#labels = labels;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'routed':
        this.#turns = event.turn;
        this.#lines(
          renderDecision(`turn ${event.turn}`, event.decision, this.#labels, this.#style),
        );
        return;
      case 'dispatch_started':
        this.#lines([this.#dim(`${printable(event.provider)}, ${printable(event.model)}`)]);
        return;
      case 'delta':
        this.#delta(event);
        return;
      case 'dispatch_failed':
        this.#lines([this.#red(`${printable(event.message)} ${nextSteps[event.next]}`)]);
        return;
      case 'turn_completed':
        this.#lines(turnNotes(event).map((note) => this.#dim(note)));
        return;
      case 'run_completed':
        this.#lines([paint(this.#style, endColours[event.status], this.#ending(event)), '']);
        return;
      case 'run_failed':
        this.#lines([this.#red(`${printable(event.message)} (${event.code})`), '']);
        return;
      case 'run_started':
      case 'turn_started':
      case 'dispatch_finished':
        return;
    }
  }

  #delta({ channel, text }: RunEventOf<'delta'>): void {
    if (this.#open !== null && this.#open !== channel) this.#closeLine();
    const shown = printable(text);
    this.#output.write(channel === 'reasoning' ? this.#dim(shown) : shown);
    this.#open = channel;
  }

  #ending({ status, budget, verdict, answer }: RunEventOf<'run_completed'>): string {
    const turns = this.#turns === 1 ? '1 turn' : `${this.#turns} turns`;
    const without = answer === null ? ', without an answer' : '';
    switch (status) {
      case 'accepted': {
        const diagnosis = verdict?.diagnosis ?? '';
        return `accepted after ${turns}${diagnosis === '' ? '' : `: ${printable(diagnosis)}`}`;
      }
      case 'max_turns':
        return `ended after ${turns}, the most allowed${without}`;
      case 'budget':
        return `ended after ${turns} by the budget of ${(budget ?? 'turns').replace('_', ' ')}${without}`;
      case 'stopped':
        return `stopped; what had arrived is kept`;
    }
  }

  #lines(lines: readonly string[]): void {
    this.#closeLine();
    for (const line of lines) this.#output.write(`${line}\n`);
  }

  #closeLine(): void {
    if (this.#open !== null) this.#output.write('\n');
    this.#open = null;
  }

  #dim(text: string): string {
    return paint(this.#style, 'dim', text);
  }

  #red(text: string): string {
    return paint(this.#style, 'red', text);
  }
}

const endColours = {
  accepted: 'green',
  max_turns: 'yellow',
  budget: 'yellow',
  stopped: 'yellow',
} as const;

const nextSteps = {
  retry: 'Trying again.',
  reselect: 'Choosing another slot.',
  end: '',
} as const;

function turnNotes({
  role,
  verdict,
  suggestion,
  complete,
}: RunEventOf<'turn_completed'>): string[] {
  if (!complete) return ['cut off'];
  if (role === 'Thinker') {
    return [suggestion === null ? 'no suggestion' : `suggests ${suggestion.role} next`];
  }
  if (verdict === null) return [];
  return [verdict.status === 'unknown' ? 'no clear verdict: counts as revise' : verdict.status];
}
