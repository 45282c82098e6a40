/**
 * The address of a link that an agent's text may carry, or the empty text: http, https and mailto, each
 * absolute. A relative address would lead into the program itself.
 */
export function allowedLink(address: string): string {
  if (!/^(https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return '';
  const { protocol, username, password } = new URL(address);
  const isAllowed = protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:';
  return isAllowed && username === '' && password === '' ? address : '';
}
