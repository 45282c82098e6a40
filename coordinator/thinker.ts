import type { Suggestion } from '../contracts/events.ts';
import { withoutReasoning } from './reasoning-block.ts';

/**
 * A Thinker's suggestion: `<suggestion>text</suggestion>` and `<suggested_role>role</suggested_role>`,
 * in any order, the first of each. Null unless both are there, closed and not empty.
 *
 * Tags and roles are read in any case and surrounding space is ignored. Roles are `worker`, `solver`
 * (the same) and `verifier`: a Thinker cannot suggest another Thinker. A tag that opens again before it
 * closes is malformed, and a malformed pair suggests nothing.
 */
export function parseSuggestion(text: string): Suggestion | null {
  const visible = withoutReasoning(text);
  const content = contentOf(visible, 'suggestion');
  const role = suggestedRole(contentOf(visible, 'suggested_role'));
  if (content === null || role === null) return null;
  return { role, text: content };
}

function suggestedRole(text: string | null): Suggestion['role'] | null {
  switch (text?.toLowerCase()) {
    case 'worker':
    case 'solver':
      return 'Worker';
    case 'verifier':
      return 'Verifier';
    default:
      return null;
  }
}

function contentOf(text: string, tag: string): string | null {
  // Lower-casing by ASCII only, so that indices stay those of the text.
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const open = lower.indexOf(`<${tag}>`);
  if (open === -1) return null;
  const start = open + tag.length + 2;
  const end = lower.indexOf(`</${tag}>`, start);
  if (end === -1) return null;
  if (lower.slice(start, end).includes(`<${tag}>`)) return null;
  const content = text.slice(start, end).trim();
  return content === '' ? null : content;
}
