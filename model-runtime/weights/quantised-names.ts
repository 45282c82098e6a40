/** Names under which a cache file holds the quantised form of a checkpoint tensor. */
export interface QuantisedNames {
  readonly weights: string;
  readonly scales: string;
}

export function block8Names(tensor: string): QuantisedNames {
  return { weights: `${tensor}.block8`, scales: `${tensor}.block8_scales` };
}

export function int8Names(tensor: string): QuantisedNames {
  return { weights: `${tensor}.int8`, scales: `${tensor}.int8_scales` };
}
