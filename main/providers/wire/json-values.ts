/** The JSON value of a text, or undefined: what others send is never trusted to parse. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The JSON values of an event's data: one as a rule, one a line where a server leaves out the blank lines
 * between its events. What does not parse is undefined.
 */
export function parseLines(data: string): unknown[] {
  const whole = parseJson(data);
  if (whole !== undefined || !data.includes('\n')) return [whole];
  return data
    .split('\n')
    .filter((line) => line.trim() !== '' && line.trim() !== '[DONE]')
    .map(parseJson);
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value when it is an object, else null. */
export function objectOf(value: unknown): JsonObject | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as JsonObject)
    : null;
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value when it is a string that is not empty, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value when it is a whole number of at least zero, else null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
