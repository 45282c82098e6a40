import type { RouterState } from '../../../contracts/app/models.ts';
import type { ProviderPreset } from '../../../contracts/app/slots.ts';
import type { KeyScheme } from '../../../contracts/keys.ts';

/** Names as a checkpoint might carry them: seven models that it was trained with. */
export const checkpointLabels = [
  'gpt-5',
  'claude-sonnet-4',
  'gemini-2.5-pro',
  'deepseek-r1-distill-qwen-32b',
  'gemma-3-27b-it',
  'qwen3-32b-reasoning',
  'qwen3-32b-direct',
];

export const demoRouter: RouterState = {
  router: {
    id: 'demo',
    directory: 'routers/demo',
    kind: 'demo',
    status: 'complete',
    adapterRef: 'b'.repeat(64),
    agentCount: 7,
    agentLabels: checkpointLabels,
    bytes: 21_400_000,
    problem: null,
  },
  profile: 'cpu-f32',
  isDemo: true,
  phase: { state: 'ready', loadMs: 412, rssBytes: 190_000_000 },
};

export const presets: ProviderPreset[] = [
  {
    id: 'openrouter',
    name: 'OpenRouter',
    wireFormat: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    needsKey: true,
    keyVariable: 'OPENROUTER_API_KEY',
    modelExamples: ['meta-llama/llama-3.3-70b-instruct', 'qwen/qwen3-32b'],
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    wireFormat: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    needsKey: true,
    keyVariable: 'ANTHROPIC_API_KEY',
    modelExamples: ['claude-sonnet-4-5'],
  },
  {
    id: 'ollama',
    name: 'Ollama (on this computer)',
    wireFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    needsKey: false,
    keyVariable: null,
    modelExamples: ['llama3.2', 'qwen3:8b'],
  },
  {
    id: 'compatible',
    name: 'Any OpenAI-compatible server',
    wireFormat: 'openai-chat',
    baseUrl: null,
    needsKey: false,
    keyVariable: null,
    modelExamples: [],
  },
];

export const schemes: { scheme: KeyScheme; explanation: string }[] = [
  { scheme: 'session', explanation: 'Kept in memory until the program ends. Nothing is written.' },
  {
    scheme: 'plain-0600',
    explanation: 'Written unencrypted into a file that only your account can read.',
  },
];
