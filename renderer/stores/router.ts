import type { ProfileId } from '../../contracts/profiles.ts';
import { failureOf } from './failure.ts';
import { keepFollowing } from './keep-following.ts';
import type { Session } from './session.ts';
import { report } from './view.ts';

/** Follows the router's state until `live` aborts. */
export async function watchRouter(session: Session, live: AbortSignal): Promise<void> {
  await keepFollowing(
    session,
    (signal) => session.client.models.watch({}, { signal }),
    (router) => {
      session.router.setState({ router });
      // The first start builds the demo router: the list that was asked for before does not have it.
      const { available } = session.router.getState();
      const isListed = available.some(({ id }) => id === router.router?.id);
      if (router.phase.state === 'ready' && !isListed) void loadRouters(session);
    },
    live,
  );
}

/** Loads what may be selected: routers on this computer, and profiles with their availability. */
export async function loadRouters(session: Session): Promise<void> {
  try {
    const [available, profiles] = await Promise.all([
      session.client.models.list({}),
      session.client.models.profiles({}),
    ]);
    session.router.setState({ available, profiles });
  } catch (error) {
    report(session, 'The routers could not be listed.', failureOf(error));
  }
}

export async function selectRouter(
  session: Session,
  router: string,
  profile: ProfileId,
): Promise<void> {
  session.router.setState({ isSelecting: true });
  try {
    session.router.setState({ router: await session.client.models.select({ router, profile }) });
  } catch (error) {
    report(session, 'The router was not changed.', failureOf(error));
  } finally {
    session.router.setState({ isSelecting: false });
  }
}
