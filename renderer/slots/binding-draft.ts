import type { ProviderPreset, SlotView } from '../../contracts/app/slots.ts';
import type { KeyScheme, VaultItem } from '../../contracts/keys.ts';
import {
  baseUrlSchema,
  defaultSlotName,
  type SlotBindingInput,
  type SlotParameters,
} from '../../contracts/slots.ts';
import type { NewKey } from '../stores/slots.ts';

/** What a person has typed into a binding form. Texts as typed; nothing is checked yet. */
export interface BindingDraft {
  /** Empty for the default name, which follows the model. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** A fresh secret; empty keeps the key that is bound, if any. */
  readonly secret: string;
  readonly scheme: KeyScheme;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly reasoningEffort: '' | NonNullable<SlotParameters['reasoningEffort']>;
  readonly systemSuffix: string;
  readonly concurrency: string;
  /** US dollars for a million tokens; both empty: the price table's. */
  readonly inputPrice: string;
  readonly outputPrice: string;
  readonly monthlyCap: string;
  readonly enabled: boolean;
}

/** A form for a slot as it is bound, or an empty one with the first preset. */
export function draftOfSlot(
  slot: SlotView | null,
  presets: readonly ProviderPreset[],
  schemes: readonly { readonly scheme: KeyScheme }[],
): BindingDraft {
  const binding = slot?.binding ?? null;
  const preset = presets.find(({ id }) => id === binding?.provider) ?? presets[0];
  const parameters = binding?.parameters;
  const isDefault = binding?.name === defaultSlotName(binding?.index ?? 0, binding?.model ?? '');
  const asText = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    name: isDefault ? '' : (binding?.name ?? ''),
    provider: binding?.provider ?? preset?.id ?? '',
    model: binding?.model ?? preset?.modelExamples[0] ?? '',
    baseUrl: binding?.baseUrl ?? '',
    secret: '',
    scheme: slot?.key?.scheme ?? schemes[0]?.scheme ?? 'session',
    temperature: asText(parameters?.temperature),
    maxTokens: asText(parameters?.maxTokens),
    reasoningEffort: parameters?.reasoningEffort ?? '',
    systemSuffix: parameters?.systemSuffix ?? '',
    concurrency: String(binding?.concurrency ?? 4),
    inputPrice: asText(binding?.price?.inputUsdPerMillion),
    outputPrice: asText(binding?.price?.outputUsdPerMillion),
    monthlyCap: asText(binding?.monthlyCapUsd),
    enabled: binding?.enabled ?? true,
  };
}

/** The same form with another provider: model and base URL belong to the old one. */
export function withProvider(draft: BindingDraft, preset: ProviderPreset): BindingDraft {
  return { ...draft, provider: preset.id, model: preset.modelExamples[0] ?? '', baseUrl: '' };
}

/** Where calls would go; null while that is unknown. */
export function effectiveBaseUrl(
  draft: BindingDraft,
  preset: ProviderPreset | null,
): string | null {
  const typed = draft.baseUrl.trim();
  return typed === '' ? (preset?.baseUrl ?? null) : typed;
}

/**
 * The stored key that a binding would use while no fresh one is typed: the slot's own, else any other of
 * the same origin. Keys belong to an origin, so a key of another one is never offered, and neither is the
 * value of a header.
 */
export function storedKeyFor(
  slot: SlotView | null,
  draft: BindingDraft,
  preset: ProviderPreset | null,
  keys: readonly VaultItem[],
): VaultItem | null {
  const url = effectiveBaseUrl(draft, preset);
  if (url === null || !URL.canParse(url)) return null;
  const { origin } = new URL(url);
  const own = slot?.key ?? null;
  if (own?.origin === origin) return own;
  return keys.find((key) => key.origin === origin && key.kind !== 'header') ?? null;
}

/**
 * What stands in the way of storing the form, in sentences; empty when nothing does.
 *
 * @param hasKey whether a key is stored, or stands in the environment, that calls would use
 */
export function problemsOf(
  draft: BindingDraft,
  preset: ProviderPreset | null,
  hasKey: boolean,
): string[] {
  const problems: string[] = [];
  const url = effectiveBaseUrl(draft, preset);
  if (preset === null) problems.push('Choose a provider.');
  if (draft.model.trim() === '') problems.push('Name a model.');
  if (preset?.wireFormat !== 'rehearsal') {
    if (url === null) problems.push('Give the address of the server.');
    else {
      const checked = baseUrlSchema.safeParse(url);
      if (!checked.success) problems.push(checked.error.issues[0]?.message ?? 'Check the address.');
    }
  }
  // A slot that is switched off calls nobody, so it may be stored without one.
  if (preset?.needsKey === true && draft.enabled && draft.secret.trim() === '' && !hasKey) {
    const orSet =
      preset.keyVariable === null ? '' : `, or start the program with ${preset.keyVariable} set`;
    problems.push(`${preset.name} needs a key: paste it${orSet}.`);
  }
  problems.push(...numberProblems(draft));
  return problems;
}

function numberProblems(draft: BindingDraft): string[] {
  const outside = (text: string, low: number, high: number, isWhole: boolean) => {
    const value = Number(text);
    return (
      text.trim() !== '' &&
      !(value >= low && value <= high && (!isWhole || Number.isInteger(value)))
    );
  };
  return [
    outside(draft.temperature, 0, 2, false) ? 'Temperature lies between 0 and 2.' : '',
    outside(draft.maxTokens, 1, 1_000_000, true)
      ? 'Max tokens is a whole number from 1 to 1,000,000.'
      : '',
    draft.concurrency.trim() === '' || outside(draft.concurrency, 1, 64, true)
      ? 'Calls at once is a whole number from 1 to 64.'
      : '',
    outside(draft.inputPrice, 0, 1e6, false) ||
    outside(draft.outputPrice, 0, 1e6, false) ||
    (draft.inputPrice.trim() === '') !== (draft.outputPrice.trim() === '')
      ? 'A price is a number for input and one for output.'
      : '',
    outside(draft.monthlyCap, 0.000001, 1e6, false) ? 'A monthly cap is more than 0.' : '',
  ].filter((problem) => problem !== '');
}

/** The binding that the form describes, without index and name. `previous` keeps what the form lacks. */
export function bindingOf(
  draft: BindingDraft,
  previous: SlotView | null,
  keyRef: string | null,
): Omit<SlotBindingInput, 'index' | 'name'> {
  const { temperature, maxTokens, reasoningEffort, systemSuffix, baseUrl } = draft;
  const { inputPrice, outputPrice, monthlyCap } = draft;
  const { timeouts, headers, parameters } = previous?.binding ?? {};
  return {
    provider: draft.provider,
    model: draft.model.trim(),
    ...(baseUrl.trim() === '' ? {} : { baseUrl: baseUrl.trim() }),
    keyRef,
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(headers === undefined ? {} : { headers }),
    parameters: {
      ...(parameters?.topP === undefined ? {} : { topP: parameters.topP }),
      ...(parameters?.stop === undefined ? {} : { stop: parameters.stop }),
      ...(temperature.trim() === '' ? {} : { temperature: Number(temperature) }),
      ...(maxTokens.trim() === '' ? {} : { maxTokens: Number(maxTokens) }),
      ...(reasoningEffort === '' ? {} : { reasoningEffort }),
      ...(systemSuffix.trim() === '' ? {} : { systemSuffix }),
    },
    concurrency: Number(draft.concurrency),
    ...(inputPrice.trim() === ''
      ? {}
      : {
          price: {
            inputUsdPerMillion: Number(inputPrice),
            outputUsdPerMillion: Number(outputPrice),
          },
        }),
    ...(monthlyCap.trim() === '' ? {} : { monthlyCapUsd: Number(monthlyCap) }),
    enabled: draft.enabled,
  };
}

/** The secret that the form brings, bound to where the form points; null when it brings none. */
export function newKeyOf(draft: BindingDraft, preset: ProviderPreset | null): NewKey | null {
  const baseUrl = effectiveBaseUrl(draft, preset);
  if (draft.secret.trim() === '' || baseUrl === null) return null;
  return { secret: draft.secret, baseUrl, scheme: draft.scheme };
}
