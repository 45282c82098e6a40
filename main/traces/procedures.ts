import { implement } from '@orpc/server';
import { tracesContract } from '../../contracts/app/traces.ts';
import type { TraceService } from './trace-service.ts';

/** The procedures of `traces`. */
export function tracesProcedures(traces: TraceService) {
  const os = implement(tracesContract);
  return { list: os.list.handler(({ input }) => traces.list(input.limit)) };
}
