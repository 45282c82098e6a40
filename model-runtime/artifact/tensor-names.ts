import { headTensorName } from '../adaptation/vector.ts';
import { embeddingName, lmHeadName } from '../adaptation/selection.ts';

/**
 * Names of the tensors in the files of a router directory. Those of adapted.safetensors are checkpoint
 * names, each [out, in] as the base stores it.
 */
export const routerTensors = {
  /** router_head.safetensors: F32 [outputs, hidden]; for other heads than linear [parameters]. */
  head: headTensorName,
  /** embed_m.safetensors: c M, F32 [hidden, hidden], symmetric. */
  embeddingM: 'embed_m',
  /** embed_tokens.safetensors: an adapted embedding, [vocabulary, hidden]. */
  embedding: embeddingName,
  /** lm_head.safetensors: [vocabulary, hidden]. */
  lmHead: lmHeadName,
} as const;
