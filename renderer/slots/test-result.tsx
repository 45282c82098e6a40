import type { SlotTest } from '../../contracts/app/slots.ts';
import { Icon } from '../controls/icon.tsx';
import { countText, durationText } from '../routing/numbers.ts';

/** What a slot's test found, in the provider's case rather than in status codes. */
export function TestResult({ result }: { result: SlotTest }) {
  const { ok, message, latencyMs, models } = result;
  return (
    <p className={ok ? 'test-result test-result--ok' : 'test-result'} role="status">
      <Icon name={ok ? 'check' : 'warning'} size={14} />
      <span>
        {message}
        {ok && latencyMs > 0 ? ` Answered in ${durationText(latencyMs)}.` : ''}
        {models.length === 0 ? '' : ` It offers ${countText(models.length, 'model')}.`}
      </span>
    </p>
  );
}
