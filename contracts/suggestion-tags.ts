const tags = /<(suggestion|suggested_role)>[\s\S]*?<\/\1>/gi;
const unclosed = /<(suggestion|suggested_role)>(?![\s\S]*<\/\1>)[\s\S]*$/i;
const marks = /<\/?(?:suggestion|suggested_role)>/gi;

/**
 * A Thinker's text without the tags that its parser reads. What they say is shown beside the text, and a
 * copy of the turn keeps them.
 */
export function withoutSuggestionTags(text: string): string {
  return text.replaceAll(tags, '').trim();
}

/** The same of a text that still grows: a tag that is open at its end has begun a suggestion. */
export function withoutOpenSuggestion(text: string): string {
  return withoutSuggestionTags(text).replace(unclosed, '').trim();
}

/** A text with what the tags hold, and a space in the place of each mark, for a single line of it. */
export function withoutSuggestionMarks(text: string): string {
  return text.replaceAll(marks, ' ');
}
