import { implement } from '@orpc/server';
import { settingsContract, type About, type Notice } from '../../contracts/app/settings.ts';
import type { SettingsService } from './settings-service.ts';

/** The procedures of `settings`. */
export function settingsProcedures(
  settings: SettingsService,
  about: () => About,
  notices: () => Notice[],
) {
  const os = implement(settingsContract);
  return {
    about: os.about.handler(about),
    notices: os.notices.handler(notices),
    get: os.get.handler(() => settings.current),
    update: os.update.handler(({ input }) => settings.update(input)),
  };
}
