/**
 * Text of an agent as a terminal may print it: line breaks and tabs stay, every other control character
 * goes, so that no escape sequence can move the cursor, change a title or hide what was said; so do the
 * marks that reverse the direction of what follows. Works piece by piece: a sequence that is split over
 * pieces loses its first character all the same.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
