import { z } from 'zod';

/** The three roles in the order of the head's last three outputs. */
export const roleNames = ['Worker', 'Thinker', 'Verifier'] as const;
export const roleNameSchema = z.enum(roleNames);
export type RoleName = z.infer<typeof roleNameSchema>;

const aliases: Readonly<Record<string, RoleName>> = {
  '0': 'Worker',
  w: 'Worker',
  worker: 'Worker',
  solver: 'Worker',
  '1': 'Thinker',
  t: 'Thinker',
  thinker: 'Thinker',
  '2': 'Verifier',
  v: 'Verifier',
  verifier: 'Verifier',
};

/** Role of an alias (`0|w|worker|solver`, `1|t|thinker`, `2|v|verifier`; trimmed, any case), or null. */
export function parseRole(text: string): RoleName | null {
  const alias = text.trim().toLowerCase();
  return Object.hasOwn(aliases, alias) ? (aliases[alias] ?? null) : null;
}

/** Index of a role among the role logits. */
export function roleId(name: RoleName): number {
  return roleNames.indexOf(name);
}

/** Display name of a role index; an index without a name is `role_<n>`. */
export function roleNameOf(id: number): RoleName | `role_${number}` {
  return roleNames[id] ?? `role_${id}`;
}
