import type { RouterState } from '../../contracts/app/models.ts';
import type { Notice } from '../../contracts/app/settings.ts';
import type { ProfileId } from '../../contracts/profiles.ts';
import type { Router } from '../../contracts/router.ts';
import {
  demoName,
  publishedAgentLabels,
  RuntimeError,
  type RouterClient,
} from '../../model-runtime/client.ts';

/** Which router decides, with which profile. */
export interface RouterChoice {
  readonly router: string;
  readonly profile: ProfileId;
}

/** The active router of an app. */
export class ModelService {
  readonly #client: RouterClient;
  /** What opening had to say. */
  readonly notices: readonly Notice[];

  private constructor(client: RouterClient, notices: readonly Notice[]) {
    this.#client = client;
    this.notices = notices;
  }

  /**
   * Makes the router of the settings active. Where it is gone or broken the demo router takes its place
   * and the notice says so; the settings keep their choice. Nothing is loaded yet.
   */
  static async open(client: RouterClient, choice: RouterChoice): Promise<ModelService> {
    try {
      await client.select(choice.router, choice.profile);
      return new ModelService(client, []);
    } catch (error) {
      if (!(error instanceof RuntimeError) || choice.router === demoName) throw error;
      await client.select(demoName, choice.profile);
      const message = `${error.message} The demo router, which is untrained, decides until another one is chosen.`;
      return new ModelService(client, [{ code: error.code, message }]);
    }
  }

  get router(): Router {
    return this.#client;
  }

  get state(): RouterState {
    return this.#client.state();
  }

  /** Labels of the active router's agents; the published router's while they are not known. */
  get agentLabels(): readonly string[] {
    return this.state.router?.agentLabels ?? publishedAgentLabels;
  }

  /** The state now and at every change, until the signal aborts. */
  async *watch(signal?: AbortSignal): AsyncGenerator<RouterState, void, undefined> {
    yield* this.#client.watch(signal);
  }

  /** Tokens of each text by the active router's tokenizer. @throws RuntimeError */
  countTokens(texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    return this.#client.countTokens(texts, signal);
  }

  list() {
    return this.#client.list();
  }

  profiles() {
    return this.#client.profiles({ probe: true });
  }

  /** Makes another router active and begins to load it. @throws RuntimeError; then nothing changes */
  async select(choice: RouterChoice): Promise<RouterState> {
    await this.#client.select(choice.router, choice.profile);
    this.warm();
    return this.state;
  }

  /** Builds what is missing and loads the active router. @throws RuntimeError with the reason */
  load(): Promise<RouterState> {
    return this.#client.load();
  }

  /** Begins to build what is missing and to load the active router. How it goes is in the state. */
  warm(): void {
    // A failure is in the state, and the next question tries again and gets the error itself.
    this.load().catch(() => undefined);
  }

  /** Ends the router's process. May be called twice. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
