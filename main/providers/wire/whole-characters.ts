/**
 * Keeps a character whole when its two UTF-16 halves arrive in two pieces, as JSON escapes allow: a
 * first half at the end of a piece waits for the next one. A half that never finds its other becomes
 * U+FFFD, because it could not be stored.
 */
export function createCharacterJoiner(): { push(piece: string): string; end(): string } {
  let half = '';
  return {
    push: (piece) => {
      const text = half + piece;
      const last = text.charCodeAt(text.length - 1);
      const isFirstHalf = last >= 0xd800 && last <= 0xdbff;
      half = isFirstHalf ? text.slice(-1) : '';
      return (isFirstHalf ? text.slice(0, -1) : text).toWellFormed();
    },
    end: () => {
      const rest = half.toWellFormed();
      half = '';
      return rest;
    },
  };
}
