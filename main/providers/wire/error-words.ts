/** What an error body says, taken apart for patterns. None of it may be shown as it is. */
export interface ErrorWords {
  /** Everything the body says, lower case, for patterns. */
  readonly all: string;
  /** Values of members named code, type, status, reason and param, and keys of the body. */
  readonly identifiers: readonly string[];
  readonly message: string | null;
  readonly status: number | null;
  readonly retryDelayMs: number | null;
  readonly isPage: boolean;
}

/** Looks through a body of any shape: JSON of any provider, a page, nothing. */
export function wordsOf(body: string): ErrorWords {
  const isPage = /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
  const identifiers: string[] = [];
  let message: string | null = null;
  let status: number | null = null;
  let retryDelayMs: number | null = null;
  const visit = (value: unknown, key: string, depth: number): void => {
    if (depth > 8) return;
    if (Array.isArray(value)) value.slice(0, 50).forEach((item) => visit(item, key, depth + 1));
    else if (value !== null && typeof value === 'object') {
      Object.entries(value)
        .slice(0, 50)
        .forEach(([name, member]) => visit(member, name, depth + 1));
    } else if (typeof value === 'string') {
      if (/^(code|type|status|reason|param)$/.test(key)) identifiers.push(value);
      if (/^(message|detail|error|error_description|msg)$/.test(key)) message ??= value;
      const delay = key === 'retryDelay' ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined;
      if (delay !== undefined) retryDelayMs = Number(delay) * 1000;
    } else if (typeof value === 'number' && /^(code|status|status_code)$/.test(key)) {
      if (Number.isInteger(value) && value >= 400 && value < 600) status ??= value;
    }
  };
  const value = parseJson(body);
  if (value !== undefined) visit(value, '', 0);
  return { all: body.toLowerCase(), identifiers, message, status, retryDelayMs, isPage };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
