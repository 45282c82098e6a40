import type { RouterTokenizer, TokenizerMode } from './tokenizer.ts';

/** Characters of remembered lines: some hundred long messages. */
const limitCharacters = 4_000_000;

/**
 * Tokens of transcript lines, remembered: a conversation grows by a line at a time and is read whole at each
 * turn. Lines can be tokenised apart, because the tokenizer never joins a newline with what follows it.
 */
export class LineTokens {
  readonly #tokenizer: RouterTokenizer;
  readonly #remembered = new Map<string, Int32Array>();
  #characters = 0;

  constructor(tokenizer: RouterTokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** Ids of one line, its newline included where it has one. */
  of(line: string, mode: TokenizerMode): Int32Array {
    const key = `${mode} ${line}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) {
      this.#remembered.delete(key);
      this.#remembered.set(key, known);
      return known;
    }
    const ids = Int32Array.from(this.#tokenizer.encode(line, mode));
    this.#remember(key, ids);
    return ids;
  }

  #remember(key: string, ids: Int32Array): void {
    this.#remembered.set(key, ids);
    this.#characters += key.length;
    for (const oldest of this.#remembered.keys()) {
      if (this.#characters <= limitCharacters) break;
      this.#remembered.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
