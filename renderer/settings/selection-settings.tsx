import type { Selection } from '../../contracts/route.ts';
import { Segments } from '../controls/segments.tsx';
import { changeSettings } from '../stores/settings.ts';
import { useSession } from '../stores/use-session.ts';
import { NumberSetting } from './number-setting.tsx';
import { SettingSection } from './setting-section.tsx';

const modes = [
  { value: 'argmax', label: 'Highest' },
  { value: 'softmax', label: 'With shares' },
  { value: 'sample', label: 'Drawn' },
] as const;

const explanations: Readonly<Record<Selection['mode'], string>> = {
  argmax: 'The slot and the role with the highest score are taken, always.',
  softmax:
    'The highest score is taken, too; the inspector shows each one’s share at the temperature below. Above 1 it evens them out.',
  sample:
    'Slot and role are drawn at random by their shares, so the same question may go elsewhere; the inspector says so. A temperature above 1 evens the shares out; the same seed draws the same.',
};

/** How the router's scores become a choice. */
export function SelectionSettings({ selection }: { selection: Selection }) {
  const session = useSession();
  const { mode, temperature, seed } = selection;
  const set = (change: Partial<Selection>) =>
    void changeSettings(session, { selection: { ...selection, ...change } });
  return (
    <SettingSection title="Choice" about="How the router’s scores become one slot and one role.">
      <div className="setting__stack">
        <Segments
          label="How a choice is made"
          options={modes}
          value={mode}
          onChange={(value) => set({ mode: value })}
        />
        <p className="muted">{explanations[mode]}</p>
      </div>
      {mode === 'argmax' ? null : (
        <div className="setting__grid">
          <NumberSetting
            label="Temperature"
            value={temperature}
            min={0.01}
            max={100}
            isWhole={false}
            isOptional={false}
            onCommit={(value) => set({ temperature: value })}
          />
          {mode === 'softmax' ? null : (
            <NumberSetting
              label="Seed"
              value={seed ?? undefined}
              min={0}
              max={4_294_967_295}
              absent="a new one each run"
              onCommit={(value) => set({ seed: value ?? null })}
            />
          )}
        </div>
      )}
    </SettingSection>
  );
}
