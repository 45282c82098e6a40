import { oc } from '@orpc/contract';
import { z } from 'zod';

export const traceFileSchema = z.object({
  runId: z.string(),
  path: z.string(),
  bytes: z.number(),
  content: z.enum(['hash', 'full']),
  modifiedAt: z.number(),
});

export const tracesContract = {
  list: oc
    .input(z.object({ limit: z.number().int().min(1).max(1000).default(100) }))
    .output(z.array(traceFileSchema)),
};
