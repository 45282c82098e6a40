/** How a body is to be read; `unknown` until enough of it is here. */
export type BodyKind = 'unknown' | 'events' | 'whole' | 'page';

/**
 * What a body is, by its first characters before its content type: compatible servers send streams as
 * text/plain and single answers as event streams.
 */
export function bodyKindOf(start: string, contentType: string): BodyKind {
  const text = start.trimStart();
  if (text === '') return 'unknown';
  if (text.startsWith('{') || text.startsWith('[')) return 'whole';
  if (text.startsWith('<')) return 'page';
  if (/\bevent-stream\b/i.test(contentType)) return 'events';
  if (/^(data|event|id|retry)?:/.test(text)) return 'events';
  // The start of a field name, cut by the network.
  if (/^(d|da|dat|data|e|ev|eve|even|event|i|id|r|re|ret|retr|retry)$/.test(text)) return 'unknown';
  return 'whole';
}
