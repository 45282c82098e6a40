import { implement } from '@orpc/server';
import { settingsContract, type About, type Notice } from '../../contracts/app/settings.ts';
import type { Settings } from '../../contracts/settings.ts';
import type { SettingsService } from './settings-service.ts';

/**
 * The procedures of `settings`.
 *
 * @param require refuses, by throwing, a router and profile that may not be the default together
 */
export function settingsProcedures(
  settings: SettingsService,
  about: () => About,
  notices: () => Notice[],
  require: (choice: Pick<Settings, 'router' | 'profile'>) => Promise<void>,
) {
  const os = implement(settingsContract);
  return {
    about: os.about.handler(about),
    notices: os.notices.handler(notices),
    get: os.get.handler(() => settings.current),
    update: os.update.handler(async ({ input }) => {
      const { router, profile } = input;
      if (router !== undefined || profile !== undefined) {
        const { current } = settings;
        await require({ router: router ?? current.router, profile: profile ?? current.profile });
      }
      return settings.update(input);
    }),
  };
}
