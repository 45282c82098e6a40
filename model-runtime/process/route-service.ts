import type { ProfileId } from '../../contracts/profiles.ts';
import { ensureDemoRouter } from '../demo/demo-router.ts';
import { GraphError } from '../graph/graph-error.ts';
import { cancelled, RuntimeError, toRuntimeError } from '../runtime-error.ts';
import { loadRouter, openRouter } from '../session/load-router.ts';
import type { NativeLoader } from '../session/native.ts';
import { probeProvider } from '../session/probe.ts';
import { ensureQuantisedWeights } from '../session/quantised-weights.ts';
import type { RouterSession } from '../session/router-session.ts';
import { WeightsError } from '../weights/weights-error.ts';
import type { RequestContext } from './process-server.ts';
import type { Loaded, LoadSpec, Routed, ToProcess } from './protocol.ts';

/**
 * What the route process does with its messages. It holds at most one router: loading another closes the
 * first. Builds, quantised weights and probes are asked of a process started for them alone.
 */
export class RouteService {
  readonly #native: NativeLoader | undefined;
  #session: RouterSession | null = null;

  /** @param native how ONNX Runtime is loaded; the real one when left out */
  constructor(native?: NativeLoader) {
    this.#native = native;
  }

  async handle(
    message: Exclude<ToProcess, { type: 'cancel' }>,
    context: RequestContext,
  ): Promise<unknown> {
    switch (message.type) {
      case 'load':
        return this.#load(message.spec);
      case 'route':
        return this.#route(message, context);
      case 'count_tokens':
        return this.#loaded().countTokens(message.texts, context);
      case 'prepare':
        return prepare(message.spec, context);
      case 'probe':
        return probeProvider(message.profile, this.#native);
      case 'build_demo':
        return ensureDemoRouter(message.directory, context);
    }
  }

  async #load(spec: LoadSpec): Promise<Loaded> {
    const started = performance.now();
    await this.#session?.close();
    this.#session = null;
    try {
      const { session, manifest } = await loadRouter(spec, this.#native);
      this.#session = session;
      return {
        profile: spec.profile satisfies ProfileId,
        adapterRef: manifest.adapterRef,
        agentCount: manifest.agents.count,
        loadMs: performance.now() - started,
        rssBytes: process.memoryUsage.rss(),
      };
    } catch (error) {
      throw ofLoading(error);
    }
  }

  async #route(
    { request }: Extract<ToProcess, { type: 'route' }>,
    context: RequestContext,
  ): Promise<Routed> {
    const logits = await this.#loaded().route(request, context);
    return { logits, rssBytes: process.memoryUsage.rss() };
  }

  #loaded(): RouterSession {
    if (this.#session !== null) return this.#session;
    throw new RuntimeError('invalid_request', 'No router is loaded.', { retryable: true });
  }
}

async function prepare(spec: LoadSpec, context: RequestContext): Promise<void> {
  try {
    const router = await openRouter(spec);
    try {
      await ensureQuantisedWeights(router.quantised, context);
    } finally {
      await router.close();
    }
  } catch (error) {
    if (context.signal.aborted) throw cancelled();
    throw ofLoading(error);
  }
}

/** Errors of other rooms keep their sentences, which name file and fault. */
function ofLoading(error: unknown): RuntimeError {
  if (error instanceof WeightsError || error instanceof GraphError) {
    return new RuntimeError('router_invalid', error.message, { cause: error });
  }
  return toRuntimeError(error, 'load_failed', 'The router could not be loaded.');
}
