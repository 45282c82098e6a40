/** What the scanner reports: a reason and whether it was a key given twice. */
export class ScanFault extends Error {
  readonly duplicate: boolean;

  constructor(reason: string, duplicate = false) {
    super(reason);
    this.duplicate = duplicate;
  }
}

/**
 * Cursor over the JSON text of a safetensors header. It reads only what such a header may hold: objects
 * of known depth, strings, and lists of whole numbers. Unlike JSON.parse it sees a key given twice, and
 * nesting or number tricks of a hostile file cost nothing because they are refused where they start.
 *
 * @throws ScanFault with a reason that names the position
 */
export class HeaderScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads `{ "key": member, ... }`, calling `member` at each value; refuses a key given twice. */
  object(member: (key: string) => void): void {
    this.#expect('{');
    const seen = new Set<string>();
    if (this.#accept('}')) return;
    do {
      const key = this.string();
      if (seen.has(key)) throw new ScanFault(`the key ${quote(key)} is given twice`, true);
      seen.add(key);
      this.#expect(':');
      member(key);
    } while (this.#accept(','));
    this.#expect('}');
  }

  /** Reads a JSON string with its escapes. */
  string(): string {
    this.#expect('"');
    const start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code) || code < 0x20) throw this.#fault('an unfinished string');
      this.#at += code === 0x5c ? 2 : 1;
      if (code === 0x22) break;
    }
    const raw = this.#text.slice(start - 1, this.#at);
    if (!raw.includes('\\')) return raw.slice(1, -1);
    try {
      return String(JSON.parse(raw));
    } catch {
      throw this.#fault('a broken escape');
    }
  }

  /** Reads a list of at most `limit` whole numbers from 0 to 2^53 - 1. */
  wholeNumbers(limit: number): number[] {
    const numbers: number[] = [];
    this.#expect('[');
    if (this.#accept(']')) return numbers;
    do {
      if (numbers.length === limit) throw this.#fault(`a list longer than ${limit}`);
      numbers.push(this.#wholeNumber());
    } while (this.#accept(','));
    this.#expect(']');
    return numbers;
  }

  /** Refuses anything but white space up to the end. */
  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault('text after the header object');
  }

  #wholeNumber(): number {
    this.#skipSpace();
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at += 1;
    const digits = this.#text.slice(start, this.#at);
    const value = Number(digits);
    const isPlain = digits !== '' && digits.length <= 16 && (digits === '0' || digits[0] !== '0');
    if (!isPlain || !Number.isSafeInteger(value)) throw this.#fault('no whole number');
    return value;
  }

  #expect(character: string): void {
    if (!this.#accept(character)) throw this.#fault(`no ${character}`);
  }

  #accept(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #fault(reason: string): ScanFault {
    return new ScanFault(`the header has ${reason} at character ${this.#at}`);
  }
}

/** A key as a message may show it: quoted, escaped, at most 80 characters. */
export function quote(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
