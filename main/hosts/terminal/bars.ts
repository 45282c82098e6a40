import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { argmax, barLengths, softmax } from '../../../contracts/logits.ts';
import { paint, type TerminalStyle } from './style.ts';

/** Below this width the probabilities are left out. */
const narrowColumns = 36;

export interface BarRow {
  readonly label: string;
  readonly logit: number;
  /** Chosen by the logits. */
  readonly isRaw: boolean;
  /** Chosen after pins, suggestions, guard and masks. */
  readonly isEffective: boolean;
}

/** Rows of a head's logits; the raw choice is the argmax. */
export function barRows(
  labels: readonly string[],
  logits: readonly number[],
  effective = argmax(logits),
): BarRow[] {
  const raw = argmax(logits);
  return logits.map((logit, index) => ({
    label: labels[index] ?? `slot ${index}`,
    logit,
    isRaw: index === raw,
    isEffective: index === effective,
  }));
}

/**
 * One line a logit: mark, label, bar as the window draws it, the logit, its probability.
 * Fits `style.columns`; on narrow terminals the bar shrinks first, then goes, then labels are cut.
 */
export function renderBars(rows: readonly BarRow[], style: TerminalStyle): string[] {
  if (rows.length === 0) return [];
  const probabilities = softmax(rows.map((row) => row.logit));
  const lengths = barLengths(rows.map((row) => row.logit));
  const numbers = rows.map((row, index) => {
    const percent = `${((probabilities[index] ?? 0) * 100).toFixed(1)}%`;
    const logit = row.logit.toFixed(3).padStart(8);
    return style.columns < narrowColumns ? logit : `${logit} ${percent.padStart(6)}`;
  });
  const numberWidth = Math.max(...numbers.map((text) => text.length));
  const room = style.columns - 2 - numberWidth - 2;
  const widestLabel = Math.max(...rows.map((row) => stringWidth(row.label)));
  const labelWidth = Math.max(1, Math.min(widestLabel, room < 16 ? room : Math.max(8, room - 8)));
  const barWidth = Math.min(40, room - labelWidth);
  return rows.map((row, index) => {
    const bar = barWidth >= 4 ? drawBar(lengths[index] ?? 0, barWidth, style) : '';
    const line = `${markOf(row, style)} ${fit(row.label, labelWidth)} ${bar}${bar === '' ? '' : ' '}${numbers[index] ?? ''}`;
    return row.isEffective ? paint(style, 'green', line) : line;
  });
}

function markOf(row: BarRow, style: TerminalStyle): string {
  if (row.isEffective) return style.unicode ? '▶' : '>';
  if (row.isRaw) return style.unicode ? '▷' : '-';
  return ' ';
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function drawBar(length: number, width: number, style: TerminalStyle): string {
  const filled = Math.max(0, Math.min(1, length)) * width;
  if (!style.unicode) return '#'.repeat(Math.round(filled)).padEnd(width);
  const whole = Math.floor(filled);
  const part = eighths[Math.floor((filled - whole) * 8)] ?? '';
  return `${'█'.repeat(whole)}${whole < width ? part : ''}`.padEnd(width);
}

/** Cuts or pads a label to a width in terminal cells, never through a grapheme. */
function fit(label: string, width: number): string {
  const clean = stripVTControlCharacters(label).replace(/\p{Cc}/gu, ' ');
  let text = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(clean)) {
    const cells = stringWidth(segment);
    if (used + cells > width) break;
    text += segment;
    used += cells;
  }
  return text + ' '.repeat(Math.max(0, width - used));
}
