import type { RouterState } from '../../../contracts/app/models.ts';
import type { RouterSummary } from '../../../contracts/manifest.ts';
import type { RouteLogits } from '../../../contracts/route.ts';
import type { Router } from '../../../contracts/router.ts';
import type { OpenedRouter, RouterRuntime } from '../../../main/models/runtime-port.ts';

export function summaryOf(id: string, agentCount = 7): RouterSummary {
  return {
    id,
    directory: `/routers/${id}`,
    kind: id === 'demo' ? 'demo' : 'built',
    status: 'complete',
    adapterRef: 'a'.repeat(64),
    agentCount,
    agentLabels: Array.from({ length: agentCount }, (_, index) => `label ${index}`),
    bytes: 1000,
    problem: null,
  };
}

/** A runtime whose routers answer from a scripted router. Names that begin with `broken` do not open. */
export class ScriptedRuntime implements RouterRuntime {
  readonly events: string[] = [];
  readonly #router: Router;

  constructor(router: Router) {
    this.#router = router;
  }

  async list() {
    return [summaryOf('demo')];
  }

  async profiles() {
    return [
      { id: 'cpu-f32' as const, availability: { state: 'available' as const, tested: true } },
    ];
  }

  async open({ router, onPhase }: Parameters<RouterRuntime['open']>[0]): Promise<OpenedRouter> {
    this.events.push(`open ${router}`);
    const ready: RouterState['phase'] = { state: 'ready', loadMs: 5, rssBytes: 1000 };
    onPhase({ state: 'loading' });
    if (router.startsWith('broken')) throw new Error(`${router} does not open`);
    return {
      summary: summaryOf(router),
      route: (request, options): Promise<RouteLogits> => this.#router.route(request, options),
      warm: async () => onPhase(ready),
      close: async () => void this.events.push(`close ${router}`),
    };
  }
}
