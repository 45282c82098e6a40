import type { FinishReason } from '../../contracts/events.ts';

/** One answer, told without any wire format; every format's server writes it in its own words. */
export interface Answer {
  readonly model: string;
  readonly id: string;
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly finish: FinishReason;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly reasoning: number;
  } | null;
}

export const plainAnswer: Answer = {
  model: 'test-model-2026',
  id: 'answer-1',
  reasoning: [],
  text: ['Four', ' is the', ' answer.'],
  finish: 'stop',
  usage: { input: 11, output: 7, reasoning: 0 },
};
