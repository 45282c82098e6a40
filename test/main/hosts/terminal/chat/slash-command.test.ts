import { describe, expect, it } from 'vitest';
import {
  commandHelp,
  parseChatLine,
} from '../../../../../main/hosts/terminal/chat/slash-command.ts';

describe('a typed line', () => {
  const table: readonly (readonly [string, object])[] = [
    ['  What is 17 + 25? ', { kind: 'message', text: 'What is 17 + 25?' }],
    ['   ', { kind: 'nothing' }],
    ['//etc/hosts is a file', { kind: 'message', text: '/etc/hosts is a file' }],
    ['/route What  is it?', { kind: 'route', text: 'What  is it?' }],
    ['/route', { kind: 'mistake' }],
    ['/PIN slot 3', { kind: 'pin_slot', slot: 3 }],
    ['/pin role solver', { kind: 'pin_role', role: 'Worker' }],
    ['/pin role V', { kind: 'pin_role', role: 'Verifier' }],
    ['/pin off', { kind: 'unpin' }],
    ['/pin', { kind: 'pins' }],
    ['/pin slot -1', { kind: 'mistake' }],
    ['/pin slot 256', { kind: 'mistake' }],
    ['/pin role judge', { kind: 'mistake' }],
    ['/system', { kind: 'system', text: null }],
    ['/system off', { kind: 'system', text: '' }],
    ['/system Be brief.', { kind: 'system', text: 'Be brief.' }],
    ['/trace', { kind: 'trace', path: null }],
    ['/trace off', { kind: 'trace', path: '' }],
    ['/trace my run.jsonl', { kind: 'trace', path: 'my run.jsonl' }],
    ['/save', { kind: 'save' }],
    ['/history', { kind: 'history' }],
    ['/quit', { kind: 'exit' }],
    ['/sav', { kind: 'mistake' }],
    ['/', { kind: 'mistake' }],
  ];
  it.each(table)('%j is understood', (line, meaning) => {
    expect(parseChatLine(line)).toMatchObject(meaning);
  });

  it('can be every command that the help names', () => {
    for (const [command] of commandHelp) {
      const line = command.replace('worker|thinker|verifier', 'worker').replace('N', '1');
      expect(parseChatLine(line).kind, command).not.toBe('mistake');
    }
  });
});
