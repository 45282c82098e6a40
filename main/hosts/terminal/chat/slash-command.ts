import { parseRole, type RoleName } from '../../../../contracts/roles.ts';

/** What a typed line asks for. */
export type ChatLine =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'help' | 'save' | 'history' | 'exit' | 'unpin' | 'pins' }
  | { readonly kind: 'pin_slot'; readonly slot: number }
  | { readonly kind: 'pin_role'; readonly role: RoleName }
  | { readonly kind: 'route'; readonly text: string }
  /** Null shows the system prompt, an empty text removes it. */
  | { readonly kind: 'system'; readonly text: string | null }
  /** Null shows where traces go, an empty path turns them off. */
  | { readonly kind: 'trace'; readonly path: string | null }
  | { readonly kind: 'mistake'; readonly message: string };

/** The commands, as `/help` shows them. */
export const commandHelp: readonly (readonly [string, string])[] = [
  ['/route TEXT', 'show what the router would decide for a message, calling nobody'],
  ['/pin slot N', 'call this slot in every turn'],
  ['/pin role worker|thinker|verifier', 'use this role in every turn'],
  ['/pin off', 'leave the choice to the router again'],
  ['/system TEXT', 'set the system prompt; alone: show it; /system off: remove it'],
  ['/trace FILE', 'write the next runs to FILE; alone: show where; /trace off: stop'],
  ['/history', 'show the conversation so far'],
  ['/save', 'keep this conversation, and what follows, in the data directory'],
  ['/exit', 'end (so does Ctrl-D)'],
  ['//TEXT', 'send a message that begins with a slash'],
];

/** The meaning of a typed line. A line that begins with one slash is a command. */
export function parseChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) };
  if (!text.startsWith('/')) return { kind: 'message', text };
  const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  switch (name.toLowerCase()) {
    case 'help':
    case '?':
      return { kind: 'help' };
    case 'exit':
    case 'quit':
      return { kind: 'exit' };
    case 'save':
      return { kind: 'save' };
    case 'history':
      return { kind: 'history' };
    case 'pin':
      return parsePin(rest);
    case 'route':
      if (rest === '') return mistake('/route needs a message: /route What is 17 + 25?');
      return { kind: 'route', text: rest };
    case 'system':
      return { kind: 'system', text: rest === '' ? null : offOr(rest) };
    case 'trace':
      return { kind: 'trace', path: rest === '' ? null : offOr(rest) };
    default:
      return mistake(`There is no command /${name}. /help lists them; //${name} sends it as text.`);
  }
}

function parsePin(rest: string): ChatLine {
  const [what = '', value = ''] = rest.toLowerCase().split(/\s+/);
  if (what === '') return { kind: 'pins' };
  if (what === 'off') return { kind: 'unpin' };
  if (what === 'slot' && /^\d{1,3}$/.test(value) && Number(value) <= 255) {
    return { kind: 'pin_slot', slot: Number(value) };
  }
  const role = what === 'role' ? parseRole(value) : null;
  if (role !== null) return { kind: 'pin_role', role };
  return mistake('Say /pin slot N, /pin role worker|thinker|verifier, or /pin off.');
}

function offOr(text: string): string {
  return text.toLowerCase() === 'off' ? '' : text;
}

function mistake(message: string): ChatLine {
  return { kind: 'mistake', message };
}
