import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { OutputStream } from '../context.ts';

export interface LineReaderOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: OutputStream;
  /** A person types: lines are edited, and remembered for the arrow keys. */
  readonly isTerminal: boolean;
  readonly prompt: string;
  /** Lines of before, newest first. */
  readonly history: readonly string[];
  readonly onInterrupt: () => void;
}

/** Most lines that the arrow keys remember. */
export const historyLimit = 500;

/** Lines as they are typed or piped. While it is quiet, what is typed is kept and not shown. */
export class LineReader {
  readonly #interface: Interface;
  readonly #output: QuietableOutput;
  readonly #isTerminal: boolean;
  #history: readonly string[];

  constructor(options: LineReaderOptions) {
    this.#output = new QuietableOutput(options.output);
    this.#isTerminal = options.isTerminal;
    this.#history = options.history;
    this.#interface = createInterface({
      input: options.input,
      ...(options.isTerminal && { output: this.#output }),
      terminal: options.isTerminal,
      history: [...options.history],
      historySize: historyLimit,
      prompt: options.prompt,
    });
    this.#interface.on('SIGINT', options.onInterrupt);
    this.#interface.on('history', (history: string[]) => (this.#history = [...history]));
  }

  /** Lines remembered for the arrow keys, newest first. */
  get history(): readonly string[] {
    return this.#history;
  }

  /** Every line until the input ends or the reader is closed. */
  lines(): AsyncIterable<string> {
    return this.#interface;
  }

  prompt(): void {
    this.#output.isQuiet = false;
    if (this.#isTerminal) this.#interface.prompt();
  }

  quiet(): void {
    this.#output.isQuiet = true;
  }

  close(): void {
    this.#interface.close();
  }
}

class QuietableOutput extends Writable {
  readonly #output: OutputStream;
  isQuiet = false;

  constructor(output: OutputStream) {
    super({ decodeStrings: false });
    this.#output = output;
  }

  /** What readline wraps its lines at. */
  get columns(): number {
    return this.#output.columns ?? 80;
  }

  override _write(text: string | Uint8Array, _encoding: string, done: () => void): void {
    if (!this.isQuiet) this.#output.write(String(text));
    done();
  }
}
