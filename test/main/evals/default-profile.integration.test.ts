import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evalPlaces } from '../../../main/evals/places.ts';
import type { Calibration } from '../../../main/evals/floors-store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { openApp } from '../open-app.ts';

/** A data directory in which a calibration of the scripted demo router lies. */
function dataDirectoryWith(change: Partial<Calibration>): string {
  const dataDirectory = temporaryFolder();
  const calibration: Calibration = {
    adapterRef: 'a'.repeat(64),
    profile: 'cpu-8bit',
    suiteHash: `v1:${'b'.repeat(64)}`,
    agent: 0.5,
    role: 1,
    calibratedAt: 0,
    cases: 10,
    agreeing: 9,
    rmsDrift: 0.1,
    rmsLogit: 10,
    refusals: ['sum: slot 1 became 2 at a margin of 3.0000'],
    ...change,
  };
  const { calibrations } = evalPlaces(join(dataDirectory, 'evals'));
  mkdirSync(dirname(calibrations), { recursive: true });
  writeFileSync(calibrations, JSON.stringify({ version: 1, calibrations: [calibration] }));
  return dataDirectory;
}

const choice = { router: 'demo', profile: 'cpu-8bit' } as const;
const refused = {
  data: { code: 'profile_refused', message: expect.stringContaining('sum: slot 1 became 2') },
};

describe('a profile that a calibration refused', () => {
  it('cannot be selected, and the active router stays as it is', async () => {
    const { client } = await openApp({ dataDirectory: dataDirectoryWith({}) });
    await expect(client.models.select(choice)).rejects.toMatchObject(refused);
    expect(await client.models.state({})).toMatchObject({ profile: 'cpu-f32' });
    expect(await client.settings.get({})).toMatchObject({ profile: 'cpu-f32' });
  });
  it('cannot be made the default through the settings', async () => {
    const { client } = await openApp({ dataDirectory: dataDirectoryWith({}) });
    await expect(client.settings.update({ profile: 'cpu-8bit' })).rejects.toMatchObject(refused);
    expect(await client.settings.update({ theme: 'dark' })).toMatchObject({ theme: 'dark' });
  });
  it('gives way to cpu-f32 at the next start, with a notice', async () => {
    const dataDirectory = dataDirectoryWith({});
    const { client } = await openApp({ dataDirectory, overrides: { profile: 'cpu-8bit' } });
    expect(await client.models.state({})).toMatchObject({ profile: 'cpu-f32' });
    expect(await client.settings.notices({})).toMatchObject([{ code: 'profile_refused' }]);
  });
});

describe('a profile that nothing speaks against', () => {
  it.each([
    ['was calibrated well', { refusals: [] }],
    ['was refused on another router', { adapterRef: 'c'.repeat(64) }],
    ['is another one than the refused', { profile: 'cpu-int8' as const }],
  ])('can be selected when it %s', async (_words, change) => {
    const { client } = await openApp({ dataDirectory: dataDirectoryWith(change) });
    expect(await client.models.select(choice)).toMatchObject({ profile: 'cpu-8bit' });
  });
  it('is cpu-f32 even when the calibrations cannot be read', async () => {
    const dataDirectory = dataDirectoryWith({});
    writeFileSync(evalPlaces(join(dataDirectory, 'evals')).calibrations, 'no json');
    const { client } = await openApp({ dataDirectory });
    expect(await client.models.select({ ...choice, profile: 'cpu-f32' })).toMatchObject({
      profile: 'cpu-f32',
    });
    await expect(client.models.select(choice)).rejects.toMatchObject({
      data: { code: 'floors_unreadable' },
    });
  });
});
