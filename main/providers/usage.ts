import type { ProviderView } from '../../contracts/agents.ts';
import type { Usage } from '../../contracts/events.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { ReportedUsage } from './wire/port.ts';

/** Tokens of each text, by the router's tokenizer. */
export type TokenCounter = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly number[]>;

/** The provider's own counts; where one is missing and a tokenizer is at hand, counted and marked. */
export async function usageOf(
  { countTokens, clock }: { readonly countTokens?: TokenCounter; readonly clock: Clock },
  view: ProviderView,
  generated: string,
  reported: ReportedUsage | null,
): Promise<{ usage: ReportedUsage | null; estimated: boolean }> {
  const isWhole =
    reported !== null && reported.inputTokens !== null && reported.outputTokens !== null;
  if (isWhole) return { usage: reported, estimated: false };
  const counts = await countInTime(countTokens, view, generated, clock);
  if (counts === null) return { usage: reported, estimated: false };
  return {
    estimated: true,
    usage: {
      inputTokens: reported?.inputTokens ?? counts.input,
      cachedInputTokens: reported?.cachedInputTokens ?? null,
      outputTokens: reported?.outputTokens ?? counts.output,
      reasoningTokens: reported?.reasoningTokens ?? null,
    },
  };
}

/**
 * Usage of an answer that broke off. What a provider says of output before its end is a beginning (one
 * format opens every stream with 1 token), so the text that came is counted and the larger number holds.
 */
export async function usageSoFar(
  { countTokens, clock }: { readonly countTokens?: TokenCounter; readonly clock: Clock },
  view: ProviderView,
  generated: string,
  reported: ReportedUsage | null,
): Promise<{ usage: ReportedUsage | null; estimated: boolean }> {
  const counts = await countInTime(countTokens, view, generated, clock);
  if (counts === null) return { usage: reported, estimated: reported !== null };
  return {
    estimated: true,
    usage: {
      inputTokens: reported?.inputTokens ?? counts.input,
      cachedInputTokens: reported?.cachedInputTokens ?? null,
      outputTokens: Math.max(reported?.outputTokens ?? 0, counts.output),
      reasoningTokens: reported?.reasoningTokens ?? null,
    },
  };
}

/** Usage as events carry it. */
export function publicUsage(usage: ReportedUsage, estimated: boolean): Usage {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  return { inputTokens, outputTokens, reasoningTokens, estimated };
}

/** A counter that does not answer in this time is not waited for: usage then stays unknown. */
const countingMs = 2_000;

/**
 * Tokens of a view and of what answered it; null when there is no counter, it fails or does not answer in
 * time: an estimate is never worth a failed call.
 */
async function countInTime(
  countTokens: TokenCounter | undefined,
  view: ProviderView,
  generated: string,
  clock: Clock,
): Promise<{ input: number; output: number } | null> {
  if (countTokens === undefined) return null;
  const asked = [view.system, ...view.messages.map(({ content }) => content)].join('\n');
  const late = new AbortController();
  const stopTimer = clock.after(countingMs, () => late.abort());
  const counted = countTokens([asked, generated], late.signal).catch(() => null);
  const passed = new Promise<null>((resolve) =>
    late.signal.addEventListener('abort', () => resolve(null), { once: true }),
  );
  try {
    const [input, output] = (await Promise.race([counted, passed])) ?? [];
    return input === undefined || output === undefined ? null : { input, output };
  } finally {
    stopTimer();
  }
}
