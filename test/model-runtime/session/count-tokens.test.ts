import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../model-runtime/session/count-tokens.ts';
import type { RouterTokenizer } from '../../../model-runtime/session/tokenizer.ts';

/** One token a character, so that every count is known. */
const characters: RouterTokenizer = { encode: (text) => [...text].map(() => 1) };
const context = (signal = new AbortController().signal) => ({
  signal,
  breathe: () => Promise.resolve(),
});

describe('counting tokens', () => {
  it('counts each text, however long, and never more at a time than the tokenizer takes well', async () => {
    let longest = 0;
    const tokenizer: RouterTokenizer = {
      encode: (text, mode) => {
        longest = Math.max(longest, text.length);
        return characters.encode(text, mode);
      },
    };
    const counts = await countTokens(tokenizer, ['', 'four', 'x'.repeat(10_001)], context());
    expect(counts).toEqual([0, 4, 10_001]);
    expect(longest).toBeLessThanOrEqual(4_000);
  });

  it('stops between two pieces', async () => {
    const stop = new AbortController();
    const tokenizer: RouterTokenizer = {
      encode: () => {
        stop.abort();
        return [1];
      },
    };
    await expect(
      countTokens(tokenizer, ['x'.repeat(9_000)], context(stop.signal)),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('refuses what would take too long', async () => {
    await expect(
      countTokens(characters, ['x'.repeat(1_500_000), 'x'.repeat(500_001)], context()),
    ).rejects.toMatchObject({ code: 'too_long' });
  });
});
