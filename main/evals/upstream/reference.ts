/**
 * The published reference suite: where it comes from and what its files hash to. The files are not part
 * of this repository; the model library fetches them, or a person names them.
 *
 * Source: GitHub nshkrdotcom/trinity_coordinator (MIT), examples/fixtures.
 */
export const referenceSuite = {
  repository: 'https://github.com/nshkrdotcom/trinity_coordinator',
  commit: '93cbcae28973d9a227af6aaa6c426bcae7217edc',
  cases: {
    path: 'examples/fixtures/qwen_router_prompt_eval_cases.json',
    sha256: 'e70b62de76f4ae510f6b1b7a0e925c3a7feddc2fbc04df514958f502e7eac2b4',
  },
  snapshot: {
    path: 'examples/fixtures/qwen_router_prompt_eval_logits.json',
    sha256: '8128f0ff352fcdf157640d570cbde0d60da3a959deb543ecaf20a3e5b762420d',
  },
  /** sha256 of `router_head.safetensors` rebuilt from the published vector. */
  headSha256: '7ff2db0e6659cac4dd68c5fff47a112768042b31321127aeb1412a6d8e6c09be',
} as const;
