import type { Pins } from '../../../../contracts/app/chat.ts';
import type { RunEvent } from '../../../../contracts/events.ts';
import type { RouteDecision } from '../../../../contracts/route.ts';
import type { Conversation } from '../../../../contracts/stored.ts';
import type { App } from '../../../app.ts';

/** One conversation in the terminal: kept in memory until it is saved. */
export class ChatSession {
  readonly #app: App;
  readonly #dataDirectory: string;
  #conversations: App['conversations'];
  readonly #id: string;
  #isSaved: boolean;
  /** What the next messages fix. */
  pins: Pins = {};

  /** @param isSaved whether `app` keeps its conversations */
  constructor(app: App, dataDirectory: string, isSaved: boolean) {
    this.#app = app;
    this.#dataDirectory = dataDirectory;
    this.#conversations = app.conversations;
    this.#isSaved = isSaved;
    this.#id = app.conversations.create().id;
  }

  get isSaved(): boolean {
    return this.#isSaved;
  }

  get id(): string {
    return this.#id;
  }

  get agentLabels(): readonly string[] {
    return this.#app.models.agentLabels;
  }

  /** Sends a message and yields its run's events. When the signal aborts the run stops and ends as stopped. */
  async *send(text: string, signal: AbortSignal): AsyncGenerator<RunEvent, void, undefined> {
    const { runs } = this.#conversations;
    const { runId } = runs.start(this.#id, text, this.pins);
    const stop = (): void => runs.stop(runId);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      let streamId = '';
      for await (const message of runs.attach(runId, 0)) {
        if (message.kind === 'opened') {
          streamId = message.streamId;
          continue;
        }
        yield* message.events;
        runs.acknowledge(streamId, message.events.at(-1)?.seq ?? -1);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** What the router would decide. Calls nobody. */
  whatIf(text: string, signal: AbortSignal): Promise<RouteDecision> {
    const options = { pins: this.pins, disabledSlots: [] };
    return this.#conversations.runs.whatIf(this.#id, text, options, signal);
  }

  read(): Conversation {
    return this.#conversations.runs.read(this.#id);
  }

  setSystemPrompt(text: string): void {
    this.#conversations.conversations.setSystemPrompt(this.#id, text);
  }

  /** Keeps the conversation in the data directory, and what follows. */
  save(): void {
    if (this.#isSaved) return;
    const kept = this.#app.openConversations(this.#dataDirectory);
    this.#conversations.copyTo(kept, this.#id);
    this.#conversations = kept;
    this.#isSaved = true;
  }
}
