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
  if (isWhole || countTokens === undefined) return { usage: reported, estimated: false };
  const input = [view.system, ...view.messages.map(({ content }) => content)].join('\n');
  const counts = await countInTime(countTokens, [input, generated], clock);
  if (counts === null) return { usage: reported, estimated: false };
  const [inputTokens = null, outputTokens = null] = counts;
  return {
    estimated: true,
    usage: {
      inputTokens: reported?.inputTokens ?? inputTokens,
      cachedInputTokens: reported?.cachedInputTokens ?? null,
      outputTokens: reported?.outputTokens ?? outputTokens,
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

/** The counts, or null when they fail or do not come in time: an estimate is never worth a failed call. */
async function countInTime(
  countTokens: TokenCounter,
  texts: readonly string[],
  clock: Clock,
): Promise<readonly number[] | null> {
  const late = new AbortController();
  const stopTimer = clock.after(countingMs, () => late.abort());
  const counted = countTokens(texts, late.signal).catch(() => null);
  const passed = new Promise<null>((resolve) =>
    late.signal.addEventListener('abort', () => resolve(null), { once: true }),
  );
  try {
    return await Promise.race([counted, passed]);
  } finally {
    stopTimer();
  }
}
