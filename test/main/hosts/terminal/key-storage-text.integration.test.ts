import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemRandom } from '../../../../main/hosts/system-random.ts';
import { keyStorageText } from '../../../../main/hosts/terminal/key-storage-text.ts';
import { openTerminalVault } from '../../../../main/hosts/terminal/terminal-vault.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const vaultWith = (env: Readonly<Record<string, string>>) =>
  openTerminalVault(env, folder, createSystemRandom());
const secret = 'planted-key-0123456789abcdef';
const origin = 'https://provider.test';

describe('the line of doctor about keys', () => {
  it('names files for the owner where there is nothing better, and that there are no keys', async () => {
    expect(await keyStorageText(vaultWith({}))).toBe(
      'new ones go to a file for the owner only (0600), not encrypted; there are none yet; the desktop app uses the system keychain',
    );
  });

  it('names the passphrase where one is set, and what is stored in either way', async () => {
    await vaultWith({}).put(secret, origin, 'plain-0600');
    const vault = vaultWith({ TRINITY_PASSPHRASE: 'correct horse battery' });
    await vault.put(secret, origin, 'passphrase');
    const text = await keyStorageText(vault);
    expect(text).toContain('new ones go to a file, encrypted with TRINITY_PASSPHRASE;');
    expect(text).toContain('1 in a file, encrypted with TRINITY_PASSPHRASE');
    expect(text).toContain('1 in a file for the owner only (0600)');
  });

  it('counts the variables of known providers, and no others', async () => {
    expect(await keyStorageText(vaultWith({ FOO_API_KEY: secret }))).toContain('none yet');
    expect(await keyStorageText(vaultWith({ XAI_API_KEY: secret }))).toContain(
      '1 in the environment',
    );
  });

  it('says that the stored keys are damaged', async () => {
    writeFileSync(join(folder, 'keys.json'), '{broken');
    expect(await keyStorageText(vaultWith({}))).toMatch(/are damaged\. Move the file away/);
  });
});
