import type { SettingsChange } from '../../contracts/app/settings.ts';
import type { Settings } from '../../contracts/settings.ts';
import { failureOf } from './failure.ts';
import type { Session } from './session.ts';
import { themeItem } from './settings-state.ts';
import { report } from './view.ts';

export async function loadSettings(session: Session): Promise<void> {
  try {
    const [settings, about, notices] = await Promise.all([
      session.client.settings.get({}),
      session.client.settings.about({}),
      session.client.settings.notices({}),
    ]);
    take(session, settings);
    session.settings.setState({ about });
    for (const notice of notices) report(session, notice.message, null);
  } catch (error) {
    report(session, 'The settings could not be read.', failureOf(error));
  }
}

/**
 * Changes the members given. They show at once; when the host refuses, the stored ones come back.
 *
 * @returns true when the host has stored the change
 */
export async function changeSettings(session: Session, change: SettingsChange): Promise<boolean> {
  const before = session.settings.getState().settings;
  if (before !== null) take(session, { ...before, ...change });
  try {
    take(session, await session.client.settings.update(change));
    return true;
  } catch (error) {
    if (before !== null) take(session, before);
    report(session, 'The change was not stored.', failureOf(error));
    return false;
  }
}

function take(session: Session, settings: Settings): void {
  session.settings.setState({ settings, theme: settings.theme });
  session.ports.memory.setItem(themeItem, settings.theme);
}
