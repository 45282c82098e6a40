import type { OutputStream } from './context.ts';

/** What a terminal can show. */
export interface TerminalStyle {
  readonly columns: number;
  readonly colour: boolean;
  /** Block characters; plain ASCII on a dumb terminal. */
  readonly unicode: boolean;
  /** The line of the cursor can be cleared and written again: a terminal that is not dumb. */
  readonly canRedraw: boolean;
}

const defaultColumns = 80;

/**
 * Style of a stream. Colour needs a terminal, no NO_COLOR (https://no-color.org) and a TERM other than
 * `dumb`; FORCE_COLOR turns it on without a terminal. A dumb terminal or an ASCII locale gets ASCII bars.
 */
export function styleOf(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): TerminalStyle {
  const isDumb = env['TERM'] === 'dumb';
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const refused = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
  const locale = env['LC_ALL'] ?? env['LC_CTYPE'] ?? env['LANG'] ?? '';
  const isAsciiLocale = locale === 'C' || locale === 'POSIX';
  return {
    columns: Math.max(20, stream.columns ?? defaultColumns),
    colour: !refused && !isDumb && (forced || stream.isTTY === true),
    unicode: !isDumb && !isAsciiLocale,
    canRedraw: stream.isTTY === true && !isDumb,
  };
}

/** Goes to the start of the line and clears it. Only for a style that can redraw. */
export const clearLine = '\r\u001b[K';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** Wraps text in one SGR colour when the style has colour. */
export function paint(style: TerminalStyle, colour: keyof typeof codes, text: string): string {
  return style.colour ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}
