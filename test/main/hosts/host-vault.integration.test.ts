import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHostVault } from '../../../main/hosts/host-vault.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { plainCipher } from '../../../main/settings/keys/secret-cipher.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const open = (dataDirectory: string, env: Record<string, string> = {}) =>
  openHostVault({
    ...{ dataDirectory, env, program: 'the browser host' },
    ciphers: [plainCipher],
    random: createSystemRandom(),
  });

describe('the vault of a host', () => {
  it('offers encryption where the environment has a passphrase, before the plain file', async () => {
    const schemes = async (env: Record<string, string>) =>
      (await open(temporaryFolder(), env).schemes()).map(({ scheme }) => scheme);
    expect(await schemes({})).toEqual(['plain-0600', 'session']);
    const withPassphrase = await schemes({ TRINITY_PASSPHRASE: 'correct horse' });
    expect(withPassphrase).toEqual(['passphrase', 'plain-0600', 'session']);
  });

  it('stores what only the passphrase opens', async () => {
    const folder = temporaryFolder();
    const env = { TRINITY_PASSPHRASE: 'correct horse' };
    const origin = 'https://api.example.com';
    const { id } = await open(folder, env).put('sk-0123456789', origin, 'passphrase');
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain('sk-0123456789');
    expect(await open(folder, env).open(id, origin)).toBe('sk-0123456789');
    await expect(open(folder).open(id, origin)).rejects.toMatchObject({ code: 'key_closed' });
  });

  it('takes keys of known providers from the environment, bound to their own origin', async () => {
    const vault = open(temporaryFolder(), { OPENAI_API_KEY: 'sk-0123456789abcdef' });
    const items = await vault.list();
    expect(items).toMatchObject([{ scheme: 'env', origin: 'https://api.openai.com' }]);
    const id = items[0]?.id ?? '';
    expect(await vault.open(id, 'https://api.openai.com')).toBe('sk-0123456789abcdef');
    await expect(vault.open(id, 'https://example.com')).rejects.toMatchObject({
      code: 'key_origin',
    });
  });
});
