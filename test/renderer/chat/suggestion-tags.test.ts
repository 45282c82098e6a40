import { describe, expect, it } from 'vitest';
import { withoutSuggestionTags } from '../../../renderer/chat/suggestion-tags.ts';

describe("a Thinker's text", () => {
  it('is shown without the tags of its suggestion', () => {
    expect(
      withoutSuggestionTags(
        'Think.\n\n<suggestion>Do\nthis.</suggestion>\n<suggested_role>worker</suggested_role>',
      ),
    ).toBe('Think.');
  });

  it('keeps an open tag, other tags, and a tag that another one closes', () => {
    const text = '<suggestion>half <b>bold</b> <suggested_role>x</suggestion';
    expect(withoutSuggestionTags(text)).toBe(text);
  });
});
