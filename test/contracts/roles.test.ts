import { describe, expect, it } from 'vitest';
import { parseRole, roleId, roleNameOf } from '../../contracts/roles.ts';

describe('parseRole', () => {
  it('takes every alias, trimmed and in any case', () => {
    for (const text of ['0', 'w', 'Worker', ' solver ', 'SOLVER'])
      expect(parseRole(text)).toBe('Worker');
    for (const text of ['1', 'T', 'thinker']) expect(parseRole(text)).toBe('Thinker');
    for (const text of ['2', 'v', ' Verifier']) expect(parseRole(text)).toBe('Verifier');
  });
  it('gives null for anything else, names of object members included', () => {
    for (const text of ['', '3', 'work er', 'constructor', '__proto__']) {
      expect(parseRole(text)).toBeNull();
    }
  });
});

describe('role ids', () => {
  it('follow the order of the head', () => {
    expect([roleId('Worker'), roleId('Thinker'), roleId('Verifier')]).toEqual([0, 1, 2]);
  });
  it('name an unknown id after its number', () => {
    expect(roleNameOf(1)).toBe('Thinker');
    expect(roleNameOf(5)).toBe('role_5');
  });
});
