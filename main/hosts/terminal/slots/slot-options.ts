import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ProviderPreset } from '../../../../contracts/app/slots.ts';
import {
  defaultSlotName,
  slotBindingSchema,
  type SlotBinding,
  type SlotBindingInput,
} from '../../../../contracts/slots.ts';
import type { GlobalOptions } from '../active-router.ts';
import { UsageError } from '../context.ts';

/** Options of `trinity slots set`, as commander reads them. */
export interface SetOptions extends GlobalOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly name?: string;
  readonly keyStdin?: boolean;
  readonly headerStdin?: string;
  readonly key?: boolean;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high';
  readonly systemSuffix?: string;
  readonly stop?: readonly string[];
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly price?: { readonly inputUsdPerMillion: number; readonly outputUsdPerMillion: number };
  readonly cap?: number;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

/** Adds the options of `trinity slots set` to its command. */
export function addSetOptions(command: Command): Command {
  return command
    .option('--provider <id>', 'an id of `trinity slots presets`')
    .option('--model <id>', "the provider's name of the model")
    .option('--base-url <url>', 'another address than the preset’s; needed for a compatible server')
    .option('--name <text>', 'how the slot is called in windows')
    .option('--key-stdin', 'read a key from standard input and keep it for this server')
    .option('--no-key', 'forget which key the slot uses')
    .option('--header-stdin <name>', 'read the value of a header from standard input')
    .option('--temperature <n>', '0 to 2', number)
    .option('--top-p <n>', 'above 0, at most 1', number)
    .option('--max-tokens <n>', 'limit of the answer', number)
    .addOption(
      new Option('--effort <level>', 'reasoning effort').choices([
        'minimal',
        'low',
        'medium',
        'high',
      ] as const),
    )
    .option('--system-suffix <text>', 'added to the instruction of every role')
    .option('--stop <text...>', 'stop sequences')
    .option('--concurrency <n>', 'calls at once', number)
    .option('--timeout <seconds>', 'limit of a whole call', number)
    .option('--price <in,out>', 'US dollars per million tokens, as 0.5,2', price)
    .option('--cap <usd>', 'most that the slot may spend in a month', number)
    .option('--enable', 'let the slot be called')
    .option('--disable', 'keep the slot from being called');
}

/**
 * The binding that the options make of a slot: what they name is changed, the rest stays. A slot that moves
 * to another provider starts from nothing but the name that it was given.
 *
 * @throws UsageError in words, naming the member
 */
export function bindingFrom(
  index: number,
  before: SlotBinding | null,
  options: SetOptions,
  presets: readonly ProviderPreset[],
): SlotBinding {
  const provider = options.provider ?? before?.provider;
  if (provider === undefined)
    throw new UsageError('--provider is needed for a slot that is not bound');
  const preset = presets.find(({ id }) => id === provider);
  if (preset === undefined) {
    throw new UsageError(`no provider is called ${provider}; see \`trinity slots presets\``);
  }
  const kept = before?.provider === provider ? before : null;
  const model = options.model ?? kept?.model ?? (provider === 'rehearsal' ? 'scripted' : undefined);
  if (model === undefined) {
    const examples = preset.modelExamples.join(', ');
    throw new UsageError(`--model is needed${examples === '' ? '' : `, as in ${examples}`}`);
  }
  const input: SlotBindingInput = {
    ...kept,
    index,
    provider,
    model,
    name: options.name ?? givenName(before) ?? defaultSlotName(index, model),
    ...present({ baseUrl: options.baseUrl, price: options.price, monthlyCapUsd: options.cap }),
    ...present({ concurrency: options.concurrency }),
    ...(options.key === false ? { keyRef: null } : {}),
    ...(options.enable === true ? { enabled: true } : {}),
    ...(options.disable === true ? { enabled: false } : {}),
    parameters: {
      ...kept?.parameters,
      ...present({
        temperature: options.temperature,
        topP: options.topP,
        maxTokens: options.maxTokens,
        reasoningEffort: options.effort,
        systemSuffix: options.systemSuffix,
        stop: options.stop === undefined ? undefined : [...options.stop],
      }),
    },
    timeouts: {
      ...kept?.timeouts,
      ...present({ totalMs: options.timeout === undefined ? undefined : options.timeout * 1_000 }),
    },
  };
  const parsed = slotBindingSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${issue?.path.join('.') ?? 'slot'}: ${issue?.message ?? 'not valid'}`);
}

/** The name that a person gave; null for none, because the default follows the model. */
function givenName(binding: SlotBinding | null): string | null {
  if (binding === null) return null;
  return binding.name === defaultSlotName(binding.index, binding.model) ? null : binding.name;
}

/** The members that are given: an absent option changes nothing. */
function present<T extends object>(members: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw new InvalidArgumentError('It is a number.');
  return value;
}

function price(text: string): SetOptions['price'] {
  const [input, output, ...rest] = text.split(',').map(Number);
  const isPrice = (value: number | undefined): value is number => value !== undefined && value >= 0;
  if (!isPrice(input) || !isPrice(output) || rest.length > 0) {
    throw new InvalidArgumentError('It is two prices in US dollars per million tokens, as 0.5,2.');
  }
  return { inputUsdPerMillion: input, outputUsdPerMillion: output };
}
