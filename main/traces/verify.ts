import type { Message } from '../../contracts/transcript.ts';
import { textHash, transcriptHash } from '../../coordinator/hash.ts';
import { openingMessages } from '../../coordinator/replay.ts';
import { decisionProblems } from './decision-check.ts';
import { EventOrder } from './event-order.ts';
import { readTrace, type ReadLine } from './reader.ts';
import type { TraceLine, TraceLineOf } from './trace-line.ts';

export interface TraceProblem {
  /** 1 for the first line. */
  readonly line: number;
  readonly check: 'schema' | 'order' | 'chain' | 'decision' | 'text';
  readonly message: string;
}

export interface TraceReport {
  readonly runId: string;
  readonly content: 'hash' | 'full';
  readonly lines: number;
  readonly turns: number;
  readonly decisions: number;
  /** Lines of types that this version does not know. */
  readonly unknown: number;
  /** False when the terminal event is missing: the program died, or the file was cut. */
  readonly hasEnded: boolean;
  /** True when the last line is not whole. */
  readonly isTorn: boolean;
  readonly problems: readonly TraceProblem[];
}

/** More problems than this are counted by nobody; the first ones say what is wrong. */
const mostProblems = 100;

/**
 * Checks a trace: every line against its schema, the order of events, `seq` without gaps, the `prev`
 * chain, raw choices and margins recomputed from the logits; with text, every hash recomputed from it.
 *
 * A torn last line, a missing end and unknown types are facts of the report, not problems: a trace is
 * written by programs that may die and by versions that come later. That the end of a trace was cut off
 * cannot be told from a program that died.
 *
 * @throws TraceError `unreadable`, `not_a_trace`
 */
export async function verifyTrace(path: string): Promise<TraceReport> {
  const check = new TraceCheck();
  for await (const line of readTrace(path)) check.take(line);
  return check.report();
}

class TraceCheck {
  readonly #order = new EventOrder();
  readonly #problems: TraceProblem[] = [];
  #texts: TextCheck | null = null;
  #runId = '';
  #content: 'hash' | 'full' = 'hash';
  #lines = 0;
  #turns = 0;
  #decisions = 0;
  #unknown = 0;
  #isTorn = false;
  #prev: string | null = null;

  take(read: ReadLine): void {
    if (read.kind === 'torn') {
      this.#isTorn = true;
      return;
    }
    this.#lines += 1;
    if (read.kind === 'broken') {
      this.#add(read.number, 'schema', read.reason);
      this.#prev = read.sha256;
      return;
    }
    const head = read.kind === 'event' ? read.line : read.head;
    if (read.kind === 'event' && read.line.type === 'run_started' && this.#lines === 1) {
      this.#begin(read.line);
    }
    if (head.prev !== this.#prev) {
      this.#add(read.number, 'chain', 'prev is not the hash of the line before');
    }
    this.#prev = read.sha256;
    if (head.seq !== read.number - 1) {
      this.#add(read.number, 'order', `seq is ${head.seq} where ${read.number - 1} was due`);
    }
    if (head.runId !== this.#runId) this.#add(read.number, 'order', 'the line is of another run');
    if (read.kind === 'unknown') this.#unknown += 1;
    else this.#takeEvent(read.number, read.line);
  }

  report(): TraceReport {
    return {
      runId: this.#runId,
      content: this.#content,
      lines: this.#lines,
      turns: this.#turns,
      decisions: this.#decisions,
      unknown: this.#unknown,
      hasEnded: this.#order.hasEnded,
      isTorn: this.#isTorn,
      problems: this.#problems,
    };
  }

  #begin(line: TraceLineOf<'run_started'>): void {
    this.#runId = line.runId;
    this.#content = line.task === undefined ? 'hash' : 'full';
    this.#texts = line.task === undefined ? null : new TextCheck();
  }

  #takeEvent(number: number, line: TraceLine): void {
    const problem = this.#order.problemWith(line);
    // An event of an unknown type may have stood where the order seems broken.
    if (problem !== null && this.#unknown === 0) this.#add(number, 'order', problem);
    if (line.type === 'turn_started') this.#turns += 1;
    if (line.type === 'routed') {
      this.#decisions += 1;
      for (const message of decisionProblems(line.decision, line.turn)) {
        this.#add(number, 'decision', message);
      }
    }
    for (const message of this.#texts?.problemsWith(line) ?? []) {
      this.#add(number, 'text', message);
    }
  }

  #add(line: number, check: TraceProblem['check'], message: string): void {
    if (this.#problems.length < mostProblems) this.#problems.push({ line, check, message });
  }
}

/** Recomputes the hashes of a full trace. A text from which a secret was removed has no hash to compare. */
class TextCheck {
  #messages: Message[] = [];
  #shown = '';

  problemsWith(line: TraceLine): string[] {
    switch (line.type) {
      case 'run_started':
        this.#messages = openingMessages(line.earlier ?? [], { ...line, task: line.task ?? '' });
        return this.#transcriptProblems(line.transcriptHash);
      case 'turn_started':
        this.#shown = '';
        return this.#transcriptProblems(line.transcriptHash);
      case 'routed':
        return this.#transcriptProblems(line.decision.transcriptHash);
      case 'delta':
        if (line.channel === 'text') this.#shown += line.text ?? '';
        return [];
      case 'turn_completed':
        return this.#turnProblems(line);
      case 'dispatch_started':
      case 'dispatch_finished':
      case 'dispatch_failed':
      case 'run_completed':
      case 'run_failed':
        return [];
    }
  }

  #transcriptProblems(recorded: string): string[] {
    if (this.#messages.some(({ content }) => wasRedacted(content))) return [];
    return transcriptHash(this.#messages) === recorded
      ? []
      : ['transcriptHash is not that of the texts before it'];
  }

  #turnProblems(line: TraceLineOf<'turn_completed'>): string[] {
    const text = line.text ?? '';
    if (line.complete) this.#messages.push({ role: 'assistant', content: text });
    if (wasRedacted(text) || wasRedacted(this.#shown)) return [];
    const problems: string[] = [];
    if (textHash(text) !== line.textHash) problems.push('textHash is not that of the text');
    if (text !== this.#shown) problems.push('the text is not what its deltas make');
    return problems;
  }
}

function wasRedacted(text: string): boolean {
  return text.includes('[redacted]');
}
