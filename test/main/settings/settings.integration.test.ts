import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settingsChangeSchema } from '../../../contracts/app/settings.ts';
import type { FileOperations } from '../../../main/settings/atomic-text.ts';
import { defaultSettings, SettingsFile } from '../../../main/settings/settings-file.ts';
import { SettingsService } from '../../../main/settings/settings-service.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { FakeClock } from '../../coordinator/scripted-run.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const open = (dataDirectory: string, files?: FileOperations): Promise<SettingsService> =>
  SettingsService.open(
    new SettingsFile({
      dataDirectory,
      clock: new FakeClock(),
      random: createSystemRandom(),
      ...(files && { files }),
    }),
  );

describe('settings', () => {
  it('are the defaults in a new directory, and come back after a change', async () => {
    const folder = temporaryFolder();
    const settings = await open(folder);
    expect(settings.current).toEqual(defaultSettings());
    expect(readdirSync(folder)).toEqual([]);
    await settings.update({ theme: 'dark', budgets: { maxTurns: 3, allowUnknownPrices: false } });
    const again = await open(folder);
    expect(again.current).toMatchObject({
      theme: 'dark',
      budgets: { maxTurns: 3 },
      router: 'demo',
    });
    expect(again.notices).toEqual([]);
    expect(statSync(join(folder, 'settings.json')).mode & 0o777).toBe(0o600);
  });

  it('keep the members that a change does not name', async () => {
    const settings = await open(temporaryFolder());
    await settings.update(settingsChangeSchema.parse({ theme: 'dark', router: 'mine' }));
    await settings.update(settingsChangeSchema.parse({ windowTokens: 4096 }));
    expect(settings.current).toMatchObject({ theme: 'dark', router: 'mine', windowTokens: 4096 });
  });

  it('of one start replace single members of a group and leave the rest as stored', async () => {
    const settings = await open(temporaryFolder());
    await settings.update(
      settingsChangeSchema.parse({
        budgets: { maxTurns: 9, maxCostUsd: 0.5 },
        selection: { mode: 'sample', seed: 4 },
      }),
    );
    const here = settings.forThisStart({ budgets: { maxTurns: 2 }, selection: { seed: 5 } });
    expect(here.current).toMatchObject({
      budgets: { maxTurns: 2, maxCostUsd: 0.5 },
      selection: { mode: 'sample', temperature: 1, seed: 5 },
    });
    expect(settings.current).toMatchObject({ budgets: { maxTurns: 9 }, selection: { seed: 4 } });
  });

  it('take in what another program wrote meanwhile', async () => {
    const folder = temporaryFolder();
    const [first, second] = [await open(folder), await open(folder)];
    await first.update({ theme: 'dark' });
    expect(second.current.theme).toBe('dark');
    await second.update({ windowTokens: 512 });
    expect(first.current.windowTokens).toBe(512);
    expect((await open(folder)).current).toMatchObject({ theme: 'dark', windowTokens: 512 });
  });

  it('apply changes one after the other', async () => {
    const settings = await open(temporaryFolder());
    const [first, second] = await Promise.all([
      settings.update({ theme: 'dark' }),
      settings.update({ windowTokens: 512 }),
    ]);
    expect(first).toMatchObject({ theme: 'dark', windowTokens: 2048 });
    expect(second).toMatchObject({ theme: 'dark', windowTokens: 512 });
  });

  it('stay in use while the file is damaged under a running program', async () => {
    const folder = temporaryFolder();
    const settings = await open(folder);
    await settings.update({ theme: 'dark' });
    writeFileSync(join(folder, 'settings.json'), '{"version":1,"theme":');
    expect(settings.current.theme).toBe('dark');
    await settings.update({ windowTokens: 512 });
    expect(settings.notices).toMatchObject([{ code: 'settings_broken' }]);
  });

  it('refuse an invalid member by its name and stay as they were', async () => {
    const settings = await open(temporaryFolder());
    await expect(settings.update({ windowTokens: 7 })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('windowTokens'),
    });
    expect(settings.current).toEqual(defaultSettings());
    await settings.update({ windowTokens: 512 });
  });
});

describe('a settings file that cannot be understood', () => {
  const broken = ['', '{', '[]', '{"version":1,"theme":"purple"}', '{"version":2}', 'null'];

  it('is kept aside and said, and the settings before the last change take its place', async () => {
    for (const text of broken) {
      const folder = temporaryFolder();
      const settings = await open(folder);
      await settings.update({ theme: 'dark' });
      await settings.update({ windowTokens: 512 });
      writeFileSync(join(folder, 'settings.json'), text);

      const again = await open(folder);
      expect(again.current).toMatchObject({ theme: 'dark', windowTokens: 2048 });
      const aside = readdirSync(folder).find((name) => name.startsWith('settings.broken-'));
      expect(readFileSync(join(folder, aside ?? ''), 'utf8')).toBe(text);
      expect(again.notices).toEqual([
        { code: 'settings_broken', message: expect.stringContaining(aside ?? '') },
      ]);
      expect((await open(folder)).notices).toEqual([]);
    }
  });

  it('is told to a program that loads no settings, and left where it is', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'settings.json');
    const file = new SettingsFile({
      dataDirectory: folder,
      clock: new FakeClock(),
      random: createSystemRandom(),
    });
    expect(await file.problem()).toBeNull();
    await file.save(defaultSettings());
    expect(await file.problem()).toBeNull();
    for (const text of broken) {
      writeFileSync(path, text);
      expect(await file.problem()).toContain(`${path} is not valid: `);
    }
    expect(readdirSync(folder)).toEqual(['settings.json']);
    rmSync(path);
    mkdirSync(path);
    expect(await file.problem()).toContain(`${path} cannot be read`);
  });

  it('gives the defaults where there is no backup either', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'settings.json'), 'nonsense');
    writeFileSync(join(folder, 'settings.backup.json'), 'nonsense too');
    const settings = await open(folder);
    expect(settings.current).toEqual(defaultSettings());
    expect(settings.notices).toHaveLength(1);
  });

  it('never stops the program, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => `{"version":1,"coordinator":${JSON.stringify(value)}}`),
        ),
        async (text) => {
          const folder = temporaryFolder();
          writeFileSync(join(folder, 'settings.json'), text);
          const settings = await open(folder);
          expect(settings.current.version).toBe(1);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('settings that cannot be written', () => {
  const failing: Record<string, Partial<FileOperations>> = {
    open: { open: () => Promise.reject(new Error('disk full')) },
    rename: { rename: () => Promise.reject(new Error('disk full')) },
  };

  for (const [operation, fault] of Object.entries(failing)) {
    it(`stay as they were, in use and on disk, when ${operation} fails`, async () => {
      const folder = temporaryFolder();
      await (await open(folder)).update({ theme: 'dark' });
      const settings = await open(folder, { ...fs, ...fault });
      await expect(settings.update({ theme: 'light' })).rejects.toMatchObject({
        code: 'unwritable',
        retryable: true,
      });
      expect(settings.current.theme).toBe('dark');
      expect((await open(folder)).current.theme).toBe('dark');
      expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  }

  it('are told apart from settings that cannot be read', async () => {
    const folder = temporaryFolder();
    await fs.mkdir(join(folder, 'settings.json'));
    await expect(open(folder)).rejects.toMatchObject({ code: 'unreadable' });
  });
});
