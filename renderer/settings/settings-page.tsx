import { RouterPanel } from '../models/router-panel.tsx';
import { Segments } from '../controls/segments.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { AgentsChoice } from '../slots/agents-choice.tsx';
import { changeSettings } from '../stores/settings.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { AboutSettings } from './about-settings.tsx';
import { BudgetSettings } from './budget-settings.tsx';
import { Contacts } from './contacts.tsx';
import { NumberSetting } from './number-setting.tsx';
import { RoleSettings } from './role-settings.tsx';
import { SelectionSettings } from './selection-settings.tsx';
import { SettingSection } from './setting-section.tsx';
import { TraceSettings } from './trace-settings.tsx';

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Everything that can be set. A change is stored at once. */
export function SettingsPage() {
  const session = useSession();
  const { settings, about, theme } = usePart('settings', (state) => state);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <PageHeader title="Settings" />
      <div className="page__body">
        <div className="page__column page__column--wide">
          <SettingSection title="Appearance" about="Light, dark, or as the system has it.">
            <Segments
              label="Theme"
              options={themes}
              value={theme}
              onChange={(value) => void changeSettings(session, { theme: value })}
            />
          </SettingSection>
          <SettingSection
            title="Router"
            about="The small model that decides, before every turn, which agent speaks in which role."
          >
            <RouterPanel />
            {settings === null ? null : (
              <NumberSetting
                label="Window"
                unit="tokens it reads at most"
                value={settings.windowTokens}
                min={512}
                max={8192}
                isOptional={false}
                onCommit={(windowTokens) => void changeSettings(session, { windowTokens })}
              />
            )}
          </SettingSection>
          <SettingSection title="Agents" about="Who answers when the router has decided.">
            <AgentsChoice />
          </SettingSection>
          {settings === null ? null : (
            <>
              <SelectionSettings selection={settings.selection} />
              <BudgetSettings budgets={settings.budgets} />
              <RoleSettings settings={settings} />
              <TraceSettings traces={settings.traces} />
            </>
          )}
          <Contacts />
          <AboutSettings about={about} />
        </div>
      </div>
    </main>
  );
}
