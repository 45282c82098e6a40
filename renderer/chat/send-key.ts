/** What a key press in the composer says, of the members that matter. */
export interface ComposerKey {
  readonly key: string;
  readonly keyCode: number;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/**
 * True for the Enter that sends. An Enter that confirms a word of an input method does not: browsers say
 * so by `isComposing`, and some by key code 229 on the press that ends the composition.
 */
export function isSendKey(press: ComposerKey): boolean {
  const isInputMethod = press.isComposing || press.keyCode === 229;
  return press.key === 'Enter' && !press.shiftKey && !press.altKey && !isInputMethod;
}
