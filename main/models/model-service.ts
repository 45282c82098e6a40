import { EventPublisher } from '@orpc/server';
import type { RouterState } from '../../contracts/app/models.ts';
import { toFailure, TypedError } from '../../contracts/failure.ts';
import type { ProfileId } from '../../contracts/profiles.ts';
import type { RouteLogits } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import type { OpenedRouter, RouterRuntime } from './runtime-port.ts';

export type ModelErrorCode =
  /** The program is closing, or another router was selected while one was being opened. */
  'router_closed';

export class ModelError extends TypedError<ModelErrorCode> {}

/** Which router decides, with which profile. */
export interface RouterChoice {
  readonly router: string;
  readonly profile: ProfileId;
}

/** Training metadata of the published checkpoint, in the order of its head. */
const publishedLabels: readonly string[] = [
  'gpt-5',
  'claude-sonnet-4-20250514',
  'gemini-2.5-pro',
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B',
  'google/gemma-3-27b-it',
  'Qwen/Qwen3-32B (reasoning)',
  'Qwen/Qwen3-32B (direct)',
];

interface Opening {
  readonly cancel: AbortController;
  readonly opened: Promise<OpenedRouter>;
}

/**
 * The active router: opened when first needed, replaced when another is selected. Whoever watches sees
 * the newest state; states in between may be passed over.
 */
export class ModelService {
  readonly #runtime: RouterRuntime;
  readonly #states = new EventPublisher<{ state: RouterState }>({ maxBufferedEvents: 1 });
  readonly #closing = new AbortController();
  #opening: Opening | null = null;
  #choice: RouterChoice;
  #state: RouterState;

  constructor(runtime: RouterRuntime, choice: RouterChoice) {
    this.#runtime = runtime;
    this.#choice = choice;
    this.#state = idleState(choice);
  }

  get runtime(): Pick<RouterRuntime, 'list' | 'profiles'> {
    return this.#runtime;
  }

  get state(): RouterState {
    return this.#state;
  }

  /** The active router as the coordinator asks it: a question waits until the router is open. */
  get router(): Router {
    return {
      route: async (request, options): Promise<RouteLogits> =>
        (await this.#open()).route(request, options),
    };
  }

  /** Labels of the active router's agents; those of the published router until it is open. */
  get agentLabels(): readonly string[] {
    return this.#state.router?.agentLabels ?? publishedLabels;
  }

  /** Opens and loads the active router; a failure is in the state, for whoever watches. */
  async warm(): Promise<void> {
    try {
      await (await this.#open()).warm();
    } catch {
      // The state says what failed; the next question tries again and gets the error itself.
    }
  }

  /**
   * Makes another router or profile the active one. The one before is closed first: two loaded routers
   * need more memory than a person may have.
   *
   * @throws the runtime's typed error; the choice stands, and the next question tries it again
   */
  async select(choice: RouterChoice): Promise<RouterState> {
    this.#refuseClosed();
    await this.#begin(choice).opened;
    void this.warm();
    return this.#state;
  }

  /** The state now and at every change, until the signal aborts. */
  watch(signal?: AbortSignal): AsyncGenerator<RouterState, void, undefined> {
    const closing = this.#closing.signal;
    const end = signal ? AbortSignal.any([signal, closing]) : closing;
    const changes = this.#states.subscribe('state', { signal: end });
    let isFirst = true;
    return {
      next: async () => {
        if (isFirst) {
          isFirst = false;
          return { done: false, value: this.#state };
        }
        try {
          return await changes.next();
        } catch (error) {
          if (end.aborted) return { done: true, value: undefined };
          throw error;
        }
      },
      return: (value) => changes.return(value) as Promise<IteratorResult<RouterState, void>>,
      throw: (error) => changes.throw(error) as Promise<IteratorResult<RouterState, void>>,
      [Symbol.asyncIterator]() {
        return this;
      },
      [Symbol.asyncDispose]: async () => void (await changes.return(undefined)),
    };
  }

  /** Closes the active router. May be called twice. */
  async close(): Promise<void> {
    this.#closing.abort();
    const opening = this.#opening;
    this.#opening = null;
    await ended(opening);
  }

  async #open(): Promise<OpenedRouter> {
    this.#refuseClosed();
    return (this.#opening ?? this.#begin(this.#choice)).opened;
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) {
      throw new ModelError('router_closed', 'The program is closing.');
    }
  }

  #begin(choice: RouterChoice): Opening {
    const before = this.#opening;
    const cancel = new AbortController();
    const opening: Opening = {
      cancel,
      opened: ended(before).then(() =>
        this.#runtime.open({
          ...choice,
          signal: cancel.signal,
          onPhase: (phase) => this.#update(opening, { phase }),
        }),
      ),
    };
    this.#opening = opening;
    this.#choice = choice;
    this.#state = idleState(choice);
    this.#update(opening, {});
    opening.opened.then(
      ({ summary }) => this.#update(opening, { router: summary, isDemo: summary.kind === 'demo' }),
      (error: unknown) => {
        this.#update(opening, { phase: { state: 'failed', failure: toFailure(error) } });
        // Forgotten, so that the next question tries again.
        if (this.#opening === opening) this.#opening = null;
      },
    );
    return opening;
  }

  /** Tells the watchers, unless another router has become the active one. */
  #update(opening: Opening, change: Partial<RouterState>): void {
    if (this.#opening !== opening) return;
    this.#state = { ...this.#state, ...change };
    this.#states.publish('state', this.#state);
  }
}

/** Ends what was opened, or is being opened. How it fails is nobody's business any more. */
async function ended(opening: Opening | null): Promise<void> {
  opening?.cancel.abort();
  await opening?.opened.then((router) => router.close()).catch(() => undefined);
}

function idleState(choice: RouterChoice): RouterState {
  return {
    router: null,
    profile: choice.profile,
    isDemo: choice.router === 'demo',
    phase: { state: 'idle' },
  };
}
