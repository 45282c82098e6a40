import { stripVTControlCharacters } from 'node:util';

/**
 * Text of a file as one line that a terminal may print: no escape sequence, control character or mark that
 * reverses direction gets through.
 */
export function plainLine(text: string): string {
  return stripVTControlCharacters(text).replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    ' ',
  );
}
