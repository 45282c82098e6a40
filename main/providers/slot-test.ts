import type { SlotTest } from '../../contracts/app/slots.ts';
import type { Clock, HttpClient, KeyVault } from '../../contracts/ports.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { adapterOf } from './wire/adapters.ts';
import { openCredentials } from './credentials.ts';
import { asProviderError, ProviderError } from './failure.ts';
import { resolveBinding } from './layout.ts';
import type { Preset } from './presets.ts';
import { exchange, type Target } from './wire/exchange.ts';
import { fetchModels } from './wire/model-list.ts';

export interface SlotTestParts {
  readonly vault: KeyVault;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly settleMs: number;
}

/**
 * Tries a slot and says in plain words how it went: the model list first, where there is one; then the
 * smallest call that the API allows, unless the list has proved the key and names the model.
 */
export async function testSlot(
  parts: SlotTestParts,
  binding: SlotBinding | null,
  { index, call }: { readonly index: number; readonly call: boolean },
  signal: AbortSignal,
): Promise<SlotTest> {
  const startedAt = parts.clock.monotonic();
  const result = (
    outcome: { ok: boolean; code: string | null; message: string },
    models: readonly string[] = [],
  ): SlotTest => ({
    ...outcome,
    latencyMs: parts.clock.monotonic() - startedAt,
    models: [...models],
  });
  let models: readonly string[] = [];
  try {
    if (binding === null) {
      throw new ProviderError('slot_missing', `Slot ${index} is not bound to a provider.`);
    }
    const target = await targetOf(parts, binding);
    if (target === null) {
      return result({ ok: true, code: null, message: 'A rehearsal agent always answers.' });
    }
    const listed = await listOrSilence(parts, target, signal);
    models = listed ?? [];
    const isProved = target.preset.modelListProvesKey && models.includes(binding.model);
    if (isProved && !call) {
      return result(
        { ok: true, code: null, message: 'The key works and the provider has the model.' },
        models,
      );
    }
    await smallestCall(parts, target, binding, signal);
    return result({ ok: true, code: null, message: 'The model answered.' }, models);
  } catch (thrown) {
    const error = asProviderError(thrown);
    const said = error.detail === null ? '' : ` The server says: “${error.detail}”`;
    return result({ ok: false, code: error.code, message: `${error.message}${said}` }, models);
  }
}

/**
 * The models that a slot's provider offers; empty where it has no list.
 *
 * @throws ProviderError when it cannot be asked
 */
export async function listModels(
  parts: SlotTestParts,
  binding: SlotBinding | null,
  signal: AbortSignal,
): Promise<string[]> {
  if (binding === null) return [];
  const target = await targetOf(parts, binding);
  return target === null ? [] : [...((await fetchModels(parts, target, signal)) ?? [])];
}

async function targetOf(parts: SlotTestParts, binding: SlotBinding): Promise<Target | null> {
  const { preset, baseUrl } = resolveBinding(binding);
  const adapter = adapterOf(preset.wireFormat);
  if (baseUrl === null || adapter === null) return null;
  const { headers, secrets } = await openCredentials(parts.vault, binding, preset, baseUrl);
  return {
    adapter,
    preset,
    baseUrl,
    secretHeaders: headers,
    secrets,
    timeouts: binding.timeouts,
  };
}

/** The model list; null where the server has none. Not having one is no failure, a refused key is. */
async function listOrSilence(
  parts: SlotTestParts,
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  try {
    return await fetchModels(parts, target, signal);
  } catch (error) {
    if (error instanceof ProviderError && isNoList(error, target.preset)) return null;
    throw error;
  }
}

function isNoList(error: ProviderError, preset: Preset): boolean {
  const absent: readonly string[] = [
    'address_not_found',
    'model_not_found',
    'request_refused',
    'malformed_answer',
    'wrong_content_type',
  ];
  // A restricted key may call a model and not be allowed to list them.
  return absent.includes(error.code) || (error.code === 'access_denied' && preset.needsKey);
}

/** The least output that every provider accepts; one of them refuses fewer than 16 tokens. */
const fewTokens = 16;

async function smallestCall(
  parts: SlotTestParts,
  target: Target,
  binding: SlotBinding,
  signal: AbortSignal,
): Promise<void> {
  const request = {
    runId: 'slot-test',
    turn: 1,
    slot: binding.index,
    role: 'Worker',
    view: { system: '', messages: [{ role: 'user', content: 'Say OK.' }] },
    model: binding.model,
    parameters: { ...binding.parameters, maxTokens: fewTokens },
  } as const;
  for await (const event of exchange(parts, target, request, signal)) {
    if (event.type === 'ended') return;
  }
}
