import type { Conversation, RunRecord } from '../../../../contracts/stored.ts';
import { paint, type TerminalStyle } from '../style.ts';
import { printable } from './printable.ts';

/** A conversation so far: what was asked, who said what, how each run ended. */
export function renderHistory(conversation: Conversation, style: TerminalStyle): string[] {
  if (conversation.runs.length === 0) return ['Nothing has been said yet.'];
  return conversation.runs.flatMap((run) => [
    paint(style, 'bold', `you: ${printable(run.task)}`),
    ...run.turns.flatMap((turn) => [
      paint(style, 'cyan', `${turn.role ?? 'nobody'}, slot ${turn.slot ?? '?'}:`),
      printable(turn.text),
    ]),
    paint(style, 'dim', statusInWords(run)),
  ]);
}

function statusInWords({ status, code }: RunRecord): string {
  return status === 'failed' ? `failed (${code})` : status.replace('_', ' ');
}
