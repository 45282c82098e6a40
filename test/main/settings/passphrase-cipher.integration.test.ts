import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { KeyFile } from '../../../main/settings/keys/key-file.ts';
import { passphraseCipher } from '../../../main/settings/keys/passphrase-cipher.ts';
import { createVault } from '../../../main/settings/keys/vault.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const quick = { N: 2 ** 4, r: 8, p: 1 };

describe('the passphrase scheme', () => {
  it('opens what it sealed with the same passphrase, in another program too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        async (secret, passphrase) => {
          const sealed = await passphraseCipher(passphrase, quick).seal(secret.toWellFormed());
          const opened = await passphraseCipher(passphrase, quick).unseal(sealed);
          expect(opened).toBe(secret.toWellFormed());
        },
      ),
    );
  });

  it('works at its full strength, which is kept with what was sealed', async () => {
    const cipher = passphraseCipher('correct horse');
    const sealed = await cipher.seal('sk-0123456789abcdef');
    expect(JSON.parse(sealed)).toMatchObject({ N: 131_072, r: 8, p: 1 });
    expect(sealed).not.toContain('sk-0123456789abcdef');
    expect(await passphraseCipher('correct horse', quick).unseal(sealed)).toBe(
      'sk-0123456789abcdef',
    );
  });

  it('seals the same secret differently every time', async () => {
    const cipher = passphraseCipher('correct horse', quick);
    expect(await cipher.seal('secret')).not.toBe(await cipher.seal('secret'));
  });

  it('refuses another passphrase, anything changed, and a cost that would take all memory', async () => {
    const sealed = await passphraseCipher('correct horse', quick).seal('secret');
    await expect(passphraseCipher('wrong horse', quick).unseal(sealed)).rejects.toThrow();
    const parts = JSON.parse(sealed) as Record<string, unknown>;
    const changes: Record<string, unknown> = {
      ...{ v: 2, N: 2 ** 30, r: 1, p: 2, extra: 1 },
      ...{ salt: 'AAAA', iv: 'AAAAAAAAAAAAAAAA', tag: 'AAAAAAAAAAAAAAAAAAAAAA==', text: 'AAAA' },
    };
    for (const [name, value] of Object.entries(changes)) {
      const changed = JSON.stringify({ ...parts, [name]: value });
      const cipher = passphraseCipher('correct horse', quick);
      await expect(cipher.unseal(changed), name).rejects.toThrow();
    }
    for (const nonsense of ['', '{}', 'plain text']) {
      await expect(passphraseCipher('x', quick).unseal(nonsense)).rejects.toThrow();
    }
  });

  it('says, in a vault, who stored a key that its passphrase does not open', async () => {
    const folder = temporaryFolder();
    const open = (passphrase: string) =>
      createVault({
        file: new KeyFile(join(folder, 'keys.json'), createSystemRandom()),
        ciphers: [passphraseCipher(passphrase, quick)],
        environment: [],
        program: 'the browser host',
        random: createSystemRandom(),
      });
    const origin = 'https://api.example.com';
    const item = await open('correct horse').put('secret', origin, 'passphrase');
    expect(await open('correct horse').open(item.id, origin)).toBe('secret');
    await expect(open('wrong horse').open(item.id, origin)).rejects.toMatchObject({
      code: 'key_closed',
      message: expect.stringContaining('the browser host'),
    });
  });
});
