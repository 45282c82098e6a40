const tags = /<(suggestion|suggested_role)>[\s\S]*?<\/\1>/g;

/**
 * A Thinker's text without the tags that its parser reads. What they say is shown beside the text, and a
 * copy of the turn keeps them.
 */
export function withoutSuggestionTags(text: string): string {
  return text.replaceAll(tags, '').trim();
}
