import type { ProviderPreset } from '../../contracts/app/slots.ts';

/** A preset with what only this room needs: how the server likes to be spoken to. */
export interface Preset extends ProviderPreset {
  /** How the key travels. */
  readonly keyStyle: 'bearer' | 'api-key' | 'x-api-key' | 'x-goog-api-key';
  /** Name of this provider in the price table; null when its prices are unknown. */
  readonly priceProvider: string | null;
  /** Chat Completions only: the field that limits the answer. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Chat Completions only: whether usage must be asked for, and may be. */
  readonly asksForUsage: boolean;
  /** Limit of output tokens where a slot sets none; null where the provider decides. */
  readonly unsetMaxTokens: number | null;
  /** Whether the list of models proves a key: some providers show it to anyone. */
  readonly modelListProvesKey: boolean;
}

const chat = {
  wireFormat: 'openai-chat',
  needsKey: true,
  keyStyle: 'bearer',
  maxTokensField: 'max_tokens',
  asksForUsage: true,
  unsetMaxTokens: null,
  modelListProvesKey: true,
} as const;

const localServer = {
  ...chat,
  needsKey: false,
  keyVariable: null,
  priceProvider: null,
  modelListProvesKey: false,
} as const;

/** Providers that a slot can name, in the order in which they are offered. */
export const presets: readonly Preset[] = [
  {
    ...chat,
    id: 'openai',
    name: 'OpenAI (Responses)',
    wireFormat: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    modelExamples: ['gpt-5.2', 'gpt-5-mini'],
    priceProvider: 'openai',
  },
  {
    ...chat,
    id: 'openai-chat',
    name: 'OpenAI (Chat Completions)',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    modelExamples: ['gpt-5.2', 'gpt-4.1-mini'],
    priceProvider: 'openai',
    maxTokensField: 'max_completion_tokens',
  },
  {
    ...chat,
    id: 'anthropic',
    name: 'Anthropic',
    wireFormat: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    keyStyle: 'x-api-key',
    modelExamples: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
    priceProvider: 'anthropic',
    unsetMaxTokens: 8_192,
  },
  {
    ...chat,
    id: 'google',
    name: 'Google Gemini',
    wireFormat: 'google-gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariable: 'GEMINI_API_KEY',
    keyStyle: 'x-goog-api-key',
    modelExamples: ['gemini-2.5-pro', 'gemini-2.5-flash'],
    priceProvider: 'google',
  },
  {
    ...chat,
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    modelExamples: ['anthropic/claude-sonnet-4.5', 'deepseek/deepseek-chat'],
    priceProvider: 'openrouter',
    modelListProvesKey: false,
  },
  {
    ...chat,
    id: 'azure-openai',
    name: 'Azure OpenAI',
    baseUrl: null,
    keyVariable: null,
    keyStyle: 'api-key',
    modelExamples: ['the name of your deployment'],
    priceProvider: 'azure',
    maxTokensField: 'max_completion_tokens',
  },
  {
    ...chat,
    id: 'mistral',
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    modelExamples: ['mistral-large-latest', 'mistral-small-latest'],
    priceProvider: 'mistral',
    // Mistral refuses unknown members, and sends usage with the last chunk unasked.
    asksForUsage: false,
  },
  {
    ...chat,
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    modelExamples: ['deepseek-chat', 'deepseek-reasoner'],
    priceProvider: 'deepseek',
  },
  {
    ...chat,
    id: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    modelExamples: ['llama-3.3-70b-versatile', 'openai/gpt-oss-120b'],
    priceProvider: 'groq',
  },
  {
    ...chat,
    id: 'together',
    name: 'Together',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
    modelExamples: ['meta-llama/Llama-3.3-70B-Instruct-Turbo'],
    priceProvider: 'together',
  },
  {
    ...chat,
    id: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    modelExamples: ['grok-4', 'grok-4-fast'],
    priceProvider: 'x-ai',
  },
  {
    ...chat,
    id: 'arcee',
    name: 'Arcee AI',
    baseUrl: 'https://api.arcee.ai/api/v1',
    keyVariable: 'ARCEE_API_KEY',
    modelExamples: ['trinity-mini'],
    priceProvider: 'arcee',
  },
  {
    ...chat,
    id: 'openai-compatible',
    name: 'OpenAI-compatible server',
    needsKey: false,
    baseUrl: null,
    keyVariable: null,
    modelExamples: [],
    priceProvider: null,
    modelListProvesKey: false,
  },
  {
    ...localServer,
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    modelExamples: ['qwen3:8b', 'llama3.2'],
  },
  {
    ...localServer,
    id: 'lm-studio',
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    modelExamples: ['qwen3-8b'],
  },
  {
    ...localServer,
    id: 'llama-cpp',
    name: 'llama.cpp server',
    baseUrl: 'http://127.0.0.1:8080/v1',
    modelExamples: ['default'],
  },
  {
    ...localServer,
    id: 'rehearsal',
    name: 'Rehearsal (no network)',
    wireFormat: 'rehearsal',
    baseUrl: null,
    modelExamples: ['scripted'],
  },
];

/** The preset of an id, or null. */
export function presetOf(id: string): Preset | null {
  return presets.find((preset) => preset.id === id) ?? null;
}

/** What a window may know of the presets. */
export function publicPresets(): ProviderPreset[] {
  return presets.map(({ id, name, wireFormat, baseUrl, needsKey, keyVariable, modelExamples }) => ({
    id,
    name,
    wireFormat,
    baseUrl,
    needsKey,
    keyVariable,
    modelExamples,
  }));
}

/** Keys that a host may read from its environment, each with the only origin it may go to. */
export function environmentKeys(): { variable: string; origin: string }[] {
  const found = new Map<string, string>();
  for (const { keyVariable, baseUrl } of presets) {
    if (keyVariable !== null && baseUrl !== null) found.set(keyVariable, new URL(baseUrl).origin);
  }
  return [...found].map(([variable, origin]) => ({ variable, origin }));
}
