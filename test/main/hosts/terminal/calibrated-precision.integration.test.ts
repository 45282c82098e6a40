import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEventSchema } from '../../../../contracts/events.ts';
import type { PrecisionMap } from '../../../../contracts/profiles.ts';
import type { Calibration } from '../../../../main/evals/floors-store.ts';
import { trinityHere } from './chat/in-process.ts';

const precision: PrecisionMap = {
  default: 'block8',
  projections: { k_proj: 'f32' },
  exceptions: {},
};
const profile = ['--profile', 'cpu-8bit'];
const suite = ['--suite', 'suite.jsonl'];

let home = '';
/** A calibration on some other suite that found k_proj to be needed in f32. */
let planted: Calibration;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'trinity precision-'));
  writeFileSync(join(home, 'suite.jsonl'), '{"id":"sum","prompt":"What is 2 + 2?"}\n');
  const { adapterRef } = await json<{ adapterRef: string }>(['route', 'Hello']);
  planted = {
    ...{ adapterRef, profile: 'cpu-8bit', suiteHash: `v1:${'b'.repeat(64)}`, calibratedAt: 1 },
    ...{ agent: 0.5, role: 0.5, cases: 1, agreeing: 1, rmsDrift: 0, rmsLogit: 1, refusals: [] },
    precision,
  };
  mkdirSync(join(home, 'data', 'evals'), { recursive: true });
  writeCalibrations([planted]);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const calibrationsPath = (): string => join(home, 'data', 'evals', 'calibrations.json');

function writeCalibrations(calibrations: readonly Calibration[]): void {
  writeFileSync(calibrationsPath(), JSON.stringify({ version: 1, calibrations }));
}

function trinity(args: readonly string[]) {
  return trinityHere(args, { dataDirectory: join(home, 'data'), cwd: home });
}

async function json<T>(args: readonly string[]): Promise<T> {
  const run = await trinity([...args, '--json']);
  expect(run).toMatchObject({ code: 0 });
  return JSON.parse(run.stdout) as T;
}

describe('a precision that a calibration found', () => {
  it('is what route reads the projections in, on that profile and no other', async () => {
    expect(await json(['route', 'Hello', ...profile])).toMatchObject({ precision });
    expect(await json(['route', 'Hello'])).not.toHaveProperty('precision');
  });

  it('is what a conversation is routed with', async () => {
    const chat = await trinity(['chat', '--agents', 'rehearsal', ...profile, '--json', 'Hello']);
    const events = chat.stdout.trimEnd().split('\n');
    const routed = events.flatMap((line) => {
      const event = runEventSchema.parse(JSON.parse(line));
      return event.type === 'routed' ? [event.decision.precision] : [];
    });
    expect(routed.length).toBeGreaterThan(0);
    expect(new Set(routed.map((found) => JSON.stringify(found)))).toEqual(
      new Set([JSON.stringify(precision)]),
    );
  });

  it('stays when another suite is calibrated, whose floors then hold for exactly it', async () => {
    const calibrated = await trinity(['eval', '--calibrate', ...suite, ...profile]);
    expect(calibrated.stdout).toMatch(/^projections in f32 {4}k_proj/m);
    const { floors, header } = await json<{
      floors: { source: string };
      header: { precision?: PrecisionMap };
    }>(['eval', ...suite, ...profile]);
    expect({ ...floors, ...header }).toMatchObject({ source: 'calibration', precision });
    const file = JSON.parse(readFileSync(calibrationsPath(), 'utf8')) as {
      calibrations: readonly Calibration[];
    };
    writeCalibrations([
      ...file.calibrations.filter(({ suiteHash }) => suiteHash !== planted.suiteHash),
      { ...planted, calibratedAt: Date.now(), precision: { ...precision, projections: {} } },
    ]);
    expect(await json(['eval', ...suite, ...profile])).toMatchObject({
      floors: { source: 'none' },
    });
  });

  it('that cannot be read is said with the file, and cpu-f32 goes on without it', async () => {
    writeFileSync(calibrationsPath(), '{"version":2}');
    const refused = await trinity(['route', 'Hello', ...profile]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('calibrations.json is no calibration file');
    expect(await trinity(['route', 'Hello'])).toMatchObject({ code: 0 });
  });
});
