import { describe, expect, it } from 'vitest';
import {
  withoutOpenSuggestion,
  withoutSuggestionMarks,
  withoutSuggestionTags,
} from '../../contracts/suggestion-tags.ts';

describe("a Thinker's text", () => {
  it('is shown without the tags of its suggestion', () => {
    expect(
      withoutSuggestionTags(
        'Think.\n\n<suggestion>Do\nthis.</suggestion>\n<suggested_role>worker</suggested_role>',
      ),
    ).toBe('Think.');
  });

  it('ends at a suggestion that has begun, while it grows', () => {
    expect(withoutOpenSuggestion('Think.\n\n<suggestion>Do\n\nthis')).toBe('Think.');
    expect(withoutOpenSuggestion('Think.<suggestion>Do.</suggestion>\n<suggested_role>wor')).toBe(
      'Think.',
    );
  });

  it('keeps what the tags hold where only their marks must go', () => {
    const text = 'A<suggestion>Do this.</suggestion>';
    expect(withoutSuggestionMarks(text)).toBe('A Do this. ');
  });

  it('keeps an open tag, other tags, and a tag that another one closes', () => {
    const text = '<suggestion>half <b>bold</b> <suggested_role>x</suggestion';
    expect(withoutSuggestionTags(text)).toBe(text);
  });
});
