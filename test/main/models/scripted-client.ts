import type { RouterState } from '../../../contracts/app/models.ts';
import type { RouterSummary } from '../../../contracts/manifest.ts';
import type { RouteLogits } from '../../../contracts/route.ts';
import type { Router } from '../../../contracts/router.ts';
import { RuntimeError, type RouterClient } from '../../../model-runtime/client.ts';

function summaryOf(id: string): RouterSummary {
  const agentLabels = Array.from({ length: 7 }, (_, index) => `label ${index}`);
  const kind = id === 'demo' ? 'demo' : 'built';
  return {
    ...{ id, kind, agentLabels, directory: `/routers/${id}`, status: 'complete' },
    ...{ adapterRef: 'a'.repeat(64), agentCount: 7, bytes: 1000, problem: null },
  };
}

/** The runtime's client over a scripted router. Names that begin with `gone` are not found. */
export class ScriptedClient implements RouterClient {
  readonly calls: string[] = [];
  readonly #router: Router;
  #state: RouterState = {
    ...{ router: null, profile: 'cpu-f32', isDemo: false },
    phase: { state: 'idle' },
  };

  constructor(router: Router) {
    this.#router = router;
  }

  state(): RouterState {
    return this.#state;
  }

  async *watch(): AsyncGenerator<RouterState> {
    yield this.#state;
  }

  async select(...[name, profile]: Parameters<RouterClient['select']>): Promise<RouterState> {
    this.calls.push(`select ${name} ${profile}`);
    if (name.startsWith('gone')) {
      throw new RuntimeError('router_not_found', `There is no router ${name}.`);
    }
    const phase = { state: 'idle' } as const;
    this.#state = { router: summaryOf(name), profile, isDemo: name === 'demo', phase };
    return this.#state;
  }

  async load(): Promise<RouterState> {
    this.calls.push('load');
    this.#state = { ...this.#state, phase: { state: 'ready', loadMs: 5, rssBytes: 1000 } };
    return this.#state;
  }

  async list() {
    return [summaryOf('demo')];
  }

  async profiles() {
    return [{ id: 'cpu-f32', availability: { state: 'available', tested: true } }] as const;
  }

  route(...args: Parameters<Router['route']>): Promise<RouteLogits> {
    return this.#router.route(...args);
  }

  /** Words, which is all that a test needs to tell one count from another. */
  async countTokens(texts: readonly string[]): Promise<number[]> {
    return texts.map((text) => text.split(/\s+/).filter((word) => word !== '').length);
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}
