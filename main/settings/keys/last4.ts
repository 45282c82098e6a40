/** Shorter secrets would show too much of themselves. */
const shortestShown = 12;

/** The last four characters of a secret, for a person to tell keys apart; null for a short secret. */
export function last4Of(secret: string): string | null {
  return secret.length >= shortestShown ? secret.slice(-4) : null;
}
