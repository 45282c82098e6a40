import type { Settings } from '../../contracts/settings.ts';
import { Segments } from '../controls/segments.tsx';
import { changeSettings } from '../stores/settings.ts';
import { useSession } from '../stores/use-session.ts';
import { SettingSection } from './setting-section.tsx';
import { SwitchSetting } from './switch-setting.tsx';

const contents = [
  { value: 'hash', label: 'Hashes only' },
  { value: 'full', label: 'With texts' },
] as const;

const explanations = {
  hash: 'Texts are left out; keyed hashes stand for them.',
  full: 'Your messages and every answer stand in the file as they are.',
} as const;

/** What is written about each run. */
export function TraceSettings({ traces }: { traces: Settings['traces'] }) {
  const session = useSession();
  const set = (change: Partial<Settings['traces']>) =>
    void changeSettings(session, { traces: { ...traces, ...change } });
  return (
    <SettingSection
      title="Traces"
      about="A file per run that says what was decided and when. It stays on this computer."
    >
      <SwitchSetting
        label="Write a trace of each run"
        hint="A trace that cannot be written never ends a run."
        isOn={traces.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      {traces.enabled ? (
        <div className="setting__stack">
          <Segments
            label="What a trace contains"
            options={contents}
            value={traces.content}
            onChange={(content) => set({ content })}
          />
          <p className="muted">{explanations[traces.content]}</p>
        </div>
      ) : null}
    </SettingSection>
  );
}
