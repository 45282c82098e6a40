import { defaultInstructions } from '../../contracts/role-instructions.ts';
import { roleNames, type RoleName } from '../../contracts/roles.ts';
import type { Settings } from '../../contracts/settings.ts';
import { RoleBadge } from '../routing/role-badge.tsx';
import { changeSettings } from '../stores/settings.ts';
import { useSession } from '../stores/use-session.ts';
import { SettingSection } from './setting-section.tsx';
import { SwitchSetting } from './switch-setting.tsx';
import { TextSetting } from './text-setting.tsx';

/** What each role is told, and how the coordinator treats roles. */
export function RoleSettings({ settings }: { settings: Settings }) {
  const session = useSession();
  const { coordinator, roleInstructions } = settings;
  const setInstruction = (role: RoleName, text: string) => {
    const { [role]: _, ...rest } = roleInstructions;
    const isOurs = text.trim() === '' || text === defaultInstructions[role];
    const next = isOurs ? rest : { ...rest, [role]: text };
    void changeSettings(session, { roleInstructions: next });
  };
  const setCoordinator = (change: Partial<Settings['coordinator']>) =>
    void changeSettings(session, { coordinator: { ...coordinator, ...change } });
  return (
    <>
      <SettingSection
        title="Roles"
        about="What an agent is told in each role. The router never reads it."
      >
        {roleNames.map((role) => (
          <div key={role} className="role-setting">
            <div className="role-setting__head">
              <RoleBadge role={role} />
              {roleInstructions[role] === undefined ? null : (
                <button
                  type="button"
                  className="link-button"
                  aria-label={`Use our instruction for the ${role} again`}
                  onClick={() => setInstruction(role, '')}
                >
                  Use ours again
                </button>
              )}
            </div>
            <TextSetting
              label={`Instruction of the ${role}`}
              value={roleInstructions[role] ?? defaultInstructions[role]}
              placeholder="Our own instruction"
              maxLength={20_000}
              rows={5}
              onCommit={(text) => setInstruction(role, text)}
            />
          </div>
        ))}
      </SettingSection>
      <SettingSection title="Coordinator" about="How the router’s choices become turns.">
        <SwitchSetting
          label="Hold a Verifier back until there is an answer"
          hint="Without a finished answer there is nothing to verify; the turn goes to a Worker instead."
          isOn={coordinator.guardVerifier}
          onChange={(guardVerifier) => setCoordinator({ guardVerifier })}
        />
        <SwitchSetting
          label="Follow a Thinker’s suggestion"
          hint="The role that a Thinker names is taken for the next turn, once."
          isOn={coordinator.followSuggestions}
          onChange={(followSuggestions) => setCoordinator({ followSuggestions })}
        />
        <div className="setting__grid">
          <TextSetting
            label="Word that accepts"
            value={coordinator.acceptWord}
            placeholder="ACCEPT"
            maxLength={40}
            onCommit={(text) => setCoordinator({ acceptWord: text.trim() || 'ACCEPT' })}
          />
          <TextSetting
            label="Word that asks for a revision"
            value={coordinator.reviseWord}
            placeholder="REVISE"
            maxLength={40}
            onCommit={(text) => setCoordinator({ reviseWord: text.trim() || 'REVISE' })}
          />
        </div>
      </SettingSection>
    </>
  );
}
