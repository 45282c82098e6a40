import type { Budgets } from '../../contracts/budgets.ts';
import { changeSettings } from '../stores/settings.ts';
import { useSession } from '../stores/use-session.ts';
import { NumberSetting } from './number-setting.tsx';
import { SettingSection } from './setting-section.tsx';
import { SwitchSetting } from './switch-setting.tsx';

type Limit = Exclude<keyof Budgets, 'allowUnknownPrices'>;
const second = 1_000;

/** What ends a run by itself. */
export function BudgetSettings({ budgets }: { budgets: Budgets }) {
  const session = useSession();
  const set = (limit: Limit, value: number | undefined) => {
    const { [limit]: _, ...others } = budgets;
    const { maxTurns } = budgets;
    const changed = value === undefined ? {} : { [limit]: value };
    void changeSettings(session, { budgets: { maxTurns, ...others, ...changed } });
  };
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / second);
  const setSeconds = (limit: Limit) => (value: number | undefined) =>
    set(limit, value === undefined ? undefined : Math.round(value * second));
  return (
    <SettingSection
      title="Limits of a run"
      about="A run ends when a Verifier accepts, or when one of these is reached. What was said until then is always kept."
    >
      <div className="setting__grid">
        <NumberSetting
          label="Turns"
          value={budgets.maxTurns}
          min={1}
          max={50}
          isOptional={false}
          onCommit={(value) => set('maxTurns', value)}
        />
        <NumberSetting
          label="Provider calls"
          value={budgets.maxCalls}
          min={1}
          max={10_000}
          onCommit={(value) => set('maxCalls', value)}
        />
        <NumberSetting
          label="Revisions"
          value={budgets.maxRevisions}
          min={0}
          max={50}
          onCommit={(value) => set('maxRevisions', value)}
        />
        <NumberSetting
          label="Time for a run"
          unit="seconds"
          value={seconds(budgets.maxWallMs)}
          min={0.001}
          max={86_400}
          isWhole={false}
          onCommit={setSeconds('maxWallMs')}
        />
        <NumberSetting
          label="Time for one call"
          unit="seconds"
          value={seconds(budgets.maxLatencyMs)}
          min={0.001}
          max={86_400}
          isWhole={false}
          onCommit={setSeconds('maxLatencyMs')}
        />
        <NumberSetting
          label="Cost"
          unit="US dollars"
          value={budgets.maxCostUsd}
          min={0.0001}
          max={10_000}
          isWhole={false}
          onCommit={(value) => set('maxCostUsd', value)}
        />
      </div>
      <SwitchSetting
        label="Call models of unknown price"
        hint="Matters only with a cost limit: an unknown price is not counted as 0."
        isOn={budgets.allowUnknownPrices}
        onChange={(allowUnknownPrices) =>
          void changeSettings(session, { budgets: { ...budgets, allowUnknownPrices } })
        }
      />
    </SettingSection>
  );
}
