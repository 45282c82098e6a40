import type { RouteLogits, RouteRequest } from './route.ts';

export interface RouteOptions {
  /** Cancels between chunks; the prefix cache survives. */
  readonly signal?: AbortSignal;
  /** Tokens done of tokens to run, after each chunk. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * A router that is ready to be asked. Implemented by the runtime's client over the route process, and by
 * scripted routers in tests. Rejects with the runtime's typed error.
 */
export interface Router {
  route(request: RouteRequest, options?: RouteOptions): Promise<RouteLogits>;
}
