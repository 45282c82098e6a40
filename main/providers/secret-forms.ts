import { secretForms } from '../../contracts/secret-forms.ts';

/**
 * Finds secrets in every form in which they may come back in somebody's text, and takes them out. Used on
 * what servers send before it becomes an event or a message.
 */
export class SecretForms {
  readonly #forms: readonly string[];

  /** @param minimumLength secrets shorter than this are ordinary words and are left alone */
  constructor(secrets: readonly string[], minimumLength = 4) {
    const long = secrets.filter((secret) => secret.length >= minimumLength);
    // Longest first, so that a form that contains another is replaced whole.
    this.#forms = [...new Set(long.flatMap(secretForms))].sort((a, b) => b.length - a.length);
  }

  /** The text with every form of every secret replaced by `[secret]`. */
  redact(text: string): string {
    return this.#forms.reduce((clean, form) => clean.replaceAll(form, mark), text);
  }

  /** True when a form of a secret stands in the text. */
  foundIn(text: string): boolean {
    return this.#forms.some((form) => text.includes(form));
  }

  /**
   * Redacts a text that arrives in pieces. Only a tail that may be the start of a form is held back, so
   * that ordinary text passes at once.
   */
  stream(): { push(piece: string): string; end(): string } {
    let held = '';
    return {
      push: (piece) => {
        const text = this.redact(held + piece);
        const tail = this.#openTail(text);
        held = text.slice(text.length - tail);
        return text.slice(0, text.length - tail);
      },
      end: () => {
        const rest = held;
        held = '';
        return rest;
      },
    };
  }

  /** Length of the longest tail of `text` that begins a form. */
  #openTail(text: string): number {
    let longest = 0;
    for (const form of this.#forms) {
      const most = Math.min(form.length - 1, text.length);
      for (let length = most; length > longest; length -= 1) {
        if (text.endsWith(form.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}

const mark = '[secret]';
