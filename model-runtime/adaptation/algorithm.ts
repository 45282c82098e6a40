/**
 * Name of the arithmetic. It changes whenever equal inputs could give other bytes: blocks, their order of
 * addition, the eigensolver, the rounding. Kept decompositions and routers of another version are not
 * continued.
 */
export const algorithmVersion = 'svf-gram-1';
