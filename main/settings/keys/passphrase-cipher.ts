import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import type { SecretCipher } from './secret-cipher.ts';

/** scrypt's cost: 128 MB and about half a second a passphrase. Kept with what was sealed. */
const strength = { N: 2 ** 17, r: 8, p: 1 };
const saltBytes = 16;
const ivBytes = 12;

const sealedSchema = z.strictObject({
  v: z.literal(1),
  // Bounded, so that a changed file cannot make the program ask for all memory there is.
  N: z
    .number()
    .int()
    .min(2)
    .max(2 ** 20),
  r: z.number().int().min(1).max(32),
  p: z.number().int().min(1).max(16),
  salt: z.base64(),
  iv: z.base64(),
  tag: z.base64(),
  text: z.base64(),
});
type Sealed = z.infer<typeof sealedSchema>;
type Strength = Pick<Sealed, 'N' | 'r' | 'p'>;

/**
 * The scheme that seals secrets with a passphrase: AES-256-GCM under a key that scrypt derives from it.
 * Unsealing with another passphrase, or what was changed since, is refused by GCM's tag.
 *
 * @param cost scrypt's cost for what is sealed from now on
 */
export function passphraseCipher(passphrase: string, cost: Strength = strength): SecretCipher {
  const keys = new Map<string, Promise<Buffer>>();
  const keyOf = (salt: string, { N, r, p }: Strength): Promise<Buffer> => {
    const id = `${salt} ${N} ${r} ${p}`;
    const key = keys.get(id) ?? derive(passphrase, salt, { N, r, p });
    keys.set(id, key);
    return key;
  };
  // One salt for what this program seals: deriving a key is meant to be slow.
  const salt = randomBytes(saltBytes).toString('base64');
  return {
    scheme: 'passphrase',
    explanation: 'In a file, encrypted with your passphrase. It is needed at every start.',
    isAvailable: () => Promise.resolve(true),
    async seal(secret) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', await keyOf(salt, cost), iv);
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const sealed: Sealed = {
        ...{ v: 1, ...cost, salt, iv: iv.toString('base64') },
        tag: cipher.getAuthTag().toString('base64'),
        text: text.toString('base64'),
      };
      return JSON.stringify(sealed);
    },
    async unseal(text) {
      const sealed = sealedSchema.parse(JSON.parse(text));
      const key = await keyOf(sealed.salt, sealed);
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.iv, 'base64'), {
        authTagLength: 16,
      });
      decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
      const opened = decipher.update(Buffer.from(sealed.text, 'base64'));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    },
  };
}

function derive(passphrase: string, salt: string, { N, r, p }: Strength): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: 128 * N * r * 2 };
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
