import { z } from 'zod';

/** Where a secret is kept. */
export const keySchemes = ['safe-storage', 'passphrase', 'plain-0600', 'session', 'env'] as const;
export const keySchemeSchema = z.enum(keySchemes);
export type KeyScheme = z.infer<typeof keySchemeSchema>;

/** What a secret is for: a provider's key, or the value of an extra header. */
export const secretKindSchema = z.enum(['key', 'header']);
export type SecretKind = z.infer<typeof secretKindSchema>;

/** What may be said of a secret. `last4` only for secrets of 12 characters or more. */
export const vaultItemSchema = z.object({
  id: z.string().min(1).max(200),
  scheme: keySchemeSchema,
  /** Scheme, host and port the secret may be sent to: `https://api.example.com`. */
  origin: z.string(),
  last4: z.string().length(4).nullable(),
  /** Absent where it was not kept: a key of the environment, or an item of an older file. */
  kind: secretKindSchema.optional(),
});
export type VaultItem = z.infer<typeof vaultItemSchema>;
