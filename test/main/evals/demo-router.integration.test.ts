import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileId } from '../../../contracts/profiles.ts';
import { createForkLauncher } from '../../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../../main/hosts/system-clock.ts';
import { calibrateProfile, requireUsableAsDefault } from '../../../main/evals/calibrate-profile.ts';
import { FloorsStore, type Calibration } from '../../../main/evals/floors-store.ts';
import { runCases } from '../../../main/evals/runner.ts';
import { everyCase, selectedCases } from '../../../main/evals/selection.ts';
import { inspectSuite } from '../../../main/evals/suite.ts';
import { writeTextAtomically } from '../../../main/settings/atomic-text.ts';
import { createRouterClient, type RouterClient } from '../../../model-runtime/client.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { hasReference, noReference, rawSnapshot, referencePaths } from './reference-fixture.ts';

const suitePath = fileURLToPath(new URL('../../../assets/suites/starter.json', import.meta.url));
const signal = new AbortController().signal;

let home = '';
let runtime: RouterClient;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'trinity-evals-'));
  runtime = createRouterClient({
    launcher: createForkLauncher({ env: process.env }),
    clock: createSystemClock(),
    routersDirectory: join(home, 'routers'),
    baseFolders: [],
    cacheDirectory: join(home, 'cache'),
  });
  await runtime.select('demo', 'cpu-f32');
  await runtime.load();
});
afterAll(async () => {
  await runtime.close();
  rmSync(home, { recursive: true, force: true });
});

async function calibration(
  profile: ProfileId,
  nameOf: (profile: ProfileId) => string,
): Promise<Calibration> {
  const { suiteHash } = await inspectSuite(suitePath);
  return calibrateProfile({
    suitePath,
    key: { adapterRef: 'a'.repeat(64), profile, suiteHash },
    store: new FloorsStore(join(home, 'calibrations.json'), (path, text) =>
      writeTextAtomically(path, text, 'test'),
    ),
    clock: createSystemClock(),
    signal,
    onCase: () => undefined,
    mayKeepExact: true,
    withProfile: async (wanted, work, precision) => {
      await runtime.select(nameOf(wanted), wanted === 'webgpu' ? 'cpu-f32' : wanted, precision);
      return work(runtime);
    },
  });
}

describe('on the demo router', () => {
  it('every case of the starter suite gives equal bits three times', async () => {
    const lines = runCases(selectedCases(suitePath, everyCase), {
      router: runtime,
      floors: { agent: null, role: null, source: 'none' },
      snapshot: null,
      isReportOnly: false,
      determinismRuns: 3,
      tokenizer: 'typed',
      signal,
    });
    const statuses = new Set<string>();
    let count = 0;
    for await (const line of lines) {
      statuses.add(line.status);
      count += 1;
    }
    expect([...statuses]).toEqual(['reported']);
    expect(count).toBeGreaterThanOrEqual(60);
  });

  skipUnless(hasReference, noReference).it(
    'the published cases have the published token counts, hidden index and transcript, 37 of 37',
    async () => {
      const routed: unknown[] = [];
      const lines = runCases(selectedCases(referencePaths.cases, everyCase), {
        router: runtime,
        floors: { agent: null, role: null, source: 'none' },
        snapshot: null,
        isReportOnly: true,
        determinismRuns: 1,
        tokenizer: 'typed',
        signal,
      });
      for await (const line of lines) {
        if (line.type !== 'case') throw new Error(line.message);
        const { id, tokenCount, hiddenIndex, upstreamTranscriptHash } = line;
        routed.push([id, tokenCount, hiddenIndex, upstreamTranscriptHash]);
      }
      expect(routed).toEqual(
        rawSnapshot().map(({ id, token_count, transcript_hash }) => [
          ...[id, token_count, token_count - 2, transcript_hash],
        ]),
      );
      expect(routed).toHaveLength(37);
    },
  );

  it('calibrating cpu-8bit gives floors, an agreement and a drift', async () => {
    const result = await calibration('cpu-8bit', () => 'demo');
    expect(result.cases).toBeGreaterThanOrEqual(60);
    expect(result.agreeing).toBeGreaterThan(result.cases * 0.9);
    expect(result.agent).toBeGreaterThan(0);
    expect(result.role).toBeGreaterThan(0);
    expect(result.rmsDrift).toBeGreaterThan(0);
  });

  it('a broken profile is refused by name: k and v swapped, scales 1.1 times too large', async () => {
    const broken = join(home, 'routers', 'broken');
    cpSync(join(home, 'routers', 'demo'), broken, { recursive: true });
    rmSync(join(broken, 'manifest.json'));
    breakWeights(join(broken, 'model.safetensors'));
    const result = await calibration('webgpu', (profile) =>
      profile === 'webgpu' ? broken : 'demo',
    );
    expect(result.refusals.join('\n')).toMatch(/: (slot|role) \d became \d/);
    expect(result.refusals.join('\n')).toMatch(/logits drift by/);
    expect(() => requireUsableAsDefault(result)).toThrow(/webgpu does not decide like cpu-f32/);
  });
});

/** Swaps the names of k and v in the header and multiplies every bf16 of the layers by 1.1. */
function breakWeights(path: string): void {
  const bytes = readFileSync(path);
  const headerEnd = 8 + Number(bytes.readBigUInt64LE(0));
  const header = bytes.toString('utf8', 8, headerEnd);
  const tensors = JSON.parse(header) as Record<string, { data_offsets?: [number, number] }>;
  for (const [name, { data_offsets: span }] of Object.entries(tensors)) {
    if (span === undefined || !name.includes('_proj')) continue;
    for (let at = headerEnd + span[0]; at < headerEnd + span[1]; at += 2) {
      const value = Buffer.alloc(4);
      value.writeUInt16LE(bytes.readUInt16LE(at), 2);
      value.writeFloatLE(value.readFloatLE(0) * 1.1, 0);
      bytes.writeUInt16LE(value.readUInt16LE(2), at);
    }
  }
  const swapped = header
    .replaceAll('k_proj', '\u0001_proj')
    .replaceAll('v_proj', 'k_proj')
    .replaceAll('\u0001_proj', 'v_proj');
  bytes.write(swapped, 8, 'utf8');
  writeFileSync(path, bytes);
}
