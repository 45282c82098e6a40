import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentKeys } from '../../../main/settings/keys/environment-keys.ts';
import { KeyFile } from '../../../main/settings/keys/key-file.ts';
import { plainCipher, type SecretCipher } from '../../../main/settings/keys/secret-cipher.ts';
import { createVault } from '../../../main/settings/keys/vault.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const random = createSystemRandom();
const secret = 'sk-test-0123456789abcdef';
const here = 'https://api.example.com';
const elsewhere = 'https://api.example.com:8443';

/** Stands for a system's key store: what it seals does not show the secret. */
const systemCipher: SecretCipher = {
  scheme: 'safe-storage',
  explanation: 'In the key store of the system.',
  isAvailable: () => Promise.resolve(true),
  seal: (text) => Promise.resolve(Buffer.from(text).toString('hex')),
  unseal: (sealed) => Promise.resolve(Buffer.from(sealed, 'hex').toString()),
};

function open(folder: string, options: { ciphers?: SecretCipher[]; program?: string } = {}) {
  const path = join(folder, 'keys.json');
  return createVault({
    file: new KeyFile(path, random),
    ciphers: options.ciphers ?? [plainCipher],
    environment: environmentKeys([{ variable: 'EXAMPLE_KEY', origin: here }], {
      EXAMPLE_KEY: secret,
      OTHER_KEY: 'never looked at',
    }),
    program: options.program ?? 'the browser host',
    random,
  });
}

describe('a stored key', () => {
  it('is opened for its origin only, in this program and in the next one', async () => {
    const folder = temporaryFolder();
    const item = await open(folder).put(secret, here, 'plain-0600');
    const again = open(folder);
    expect(await again.open(item.id, here)).toBe(secret);
    for (const origin of [elsewhere, 'http://api.example.com', 'https://example.com', `${here}/`]) {
      await expect(again.open(item.id, origin)).rejects.toMatchObject({ code: 'key_origin' });
    }
    expect(statSync(join(folder, 'keys.json')).mode & 0o777).toBe(0o600);
  });

  it('says whether it is a key or the value of a header, in the next program too', async () => {
    const folder = temporaryFolder();
    await open(folder).put(secret, here, 'plain-0600');
    await open(folder).put('header value', here, 'plain-0600', 'header');
    const stored = (await open(folder).list()).filter(({ scheme }) => scheme === 'plain-0600');
    expect(stored.map(({ kind }) => kind)).toEqual(['key', 'header']);
  });

  it('is listed without itself; only a long one shows its last four characters', async () => {
    const folder = temporaryFolder();
    const vault = open(folder);
    const long = await vault.put(secret, here, 'plain-0600');
    const short = await vault.put('12345678901', here, 'plain-0600');
    expect(long.last4).toBe('cdef');
    expect(short.last4).toBe(null);
    const listed = await vault.list();
    expect(listed).toEqual(expect.arrayContaining([long, short]));
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(JSON.stringify(listed)).not.toContain('12345678901');
  });

  it('of a scheme that this host lacks says which program stored it', async () => {
    const folder = temporaryFolder();
    const desktop = open(folder, { ciphers: [systemCipher], program: 'the desktop app' });
    const item = await desktop.put(secret, here, 'safe-storage');
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(secret);
    const browser = open(folder);
    expect(await browser.list()).toContainEqual(item);
    await expect(browser.open(item.id, here)).rejects.toMatchObject({
      code: 'key_closed',
      message: expect.stringContaining('the desktop app'),
    });
    expect(await desktop.open(item.id, here)).toBe(secret);
  });

  it('is gone once removed', async () => {
    const folder = temporaryFolder();
    const vault = open(folder);
    const item = await vault.put(secret, here, 'plain-0600');
    await vault.remove(item.id);
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(secret);
    await expect(vault.open(item.id, here)).rejects.toMatchObject({ code: 'key_unknown' });
    await expect(vault.remove(item.id)).rejects.toMatchObject({ code: 'key_unknown' });
  });

  it('is refused for something that is no origin, and for a scheme that cannot store here', async () => {
    const vault = open(temporaryFolder());
    for (const origin of [
      '',
      'api.example.com',
      `${here}/v1`,
      'https://user:word@api.example.com',
    ]) {
      await expect(vault.put(secret, origin, 'plain-0600')).rejects.toMatchObject({
        code: 'key_origin',
      });
    }
    for (const scheme of ['safe-storage', 'env'] as const) {
      await expect(vault.put(secret, here, scheme)).rejects.toMatchObject({ code: 'key_scheme' });
    }
  });

  it('survives others that are stored at the same time', async () => {
    const folder = temporaryFolder();
    const vault = open(folder);
    const items = await Promise.all(
      Array.from({ length: 20 }, (_, index) => vault.put(`${secret}${index}`, here, 'plain-0600')),
    );
    for (const [index, item] of items.entries()) {
      expect(await vault.open(item.id, here)).toBe(`${secret}${index}`);
    }
  });
});

describe('a session key', () => {
  it('is in memory only', async () => {
    const folder = temporaryFolder();
    const vault = open(folder);
    const item = await vault.put(secret, here, 'session');
    expect(await vault.open(item.id, here)).toBe(secret);
    await expect(vault.open(item.id, elsewhere)).rejects.toMatchObject({ code: 'key_origin' });
    expect(existsSync(join(folder, 'keys.json'))).toBe(false);
    await expect(open(folder).open(item.id, here)).rejects.toMatchObject({ code: 'key_unknown' });
  });
});

describe('a key of the environment', () => {
  it('goes to the origin of its variable only, and cannot be removed here', async () => {
    const vault = open(temporaryFolder());
    const [item] = await vault.list();
    expect(item).toMatchObject({ scheme: 'env', origin: here, last4: 'cdef' });
    const id = item?.id ?? '';
    expect(await vault.open(id, here)).toBe(secret);
    await expect(vault.open(id, elsewhere)).rejects.toMatchObject({ code: 'key_origin' });
    await expect(vault.remove(id)).rejects.toMatchObject({ code: 'key_scheme' });
  });
});

describe('a damaged key file', () => {
  it('is refused without quoting it, and not replaced', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'keys.json');
    const text = `{"version":1,"keys":[{"sealed":"${secret}"`;
    writeFileSync(path, text);
    const vault = open(folder);
    const error: unknown = await vault.put('another secret', here, 'plain-0600').catch((e) => e);
    expect(error).toMatchObject({ code: 'unreadable' });
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain(secret);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
