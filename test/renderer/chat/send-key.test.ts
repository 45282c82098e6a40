import { describe, expect, it } from 'vitest';
import { isSendKey } from '../../../renderer/chat/send-key.ts';

const enter = { key: 'Enter', keyCode: 13, shiftKey: false, altKey: false, isComposing: false };

describe('isSendKey', () => {
  it('sends on Enter', () => {
    expect(isSendKey(enter)).toBe(true);
  });

  it('begins a new line with Shift', () => {
    expect(isSendKey({ ...enter, shiftKey: true })).toBe(false);
  });

  it('lets an input method confirm a word, as Chromium and Firefox say it', () => {
    expect(isSendKey({ ...enter, isComposing: true })).toBe(false);
  });

  it('lets an input method confirm a word, as Safari says it', () => {
    expect(isSendKey({ ...enter, keyCode: 229 })).toBe(false);
  });

  it('does nothing on other keys', () => {
    expect(isSendKey({ ...enter, key: 'a', keyCode: 65 })).toBe(false);
  });
});
