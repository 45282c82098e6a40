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
      const { router: before } = session.router.getState();
      session.router.setState({ router });
      const isOther =
        before?.router?.adapterRef !== router.router?.adapterRef ||
        before?.profile !== router.profile;
      if (isOther) void loadFloors(session);
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

/** Loads the margin floors of the active router. A calibration in a terminal may have changed them. */
export async function loadFloors(session: Session): Promise<void> {
  const { router } = session.router.getState();
  const adapterRef = router?.router?.adapterRef ?? null;
  if (router === null || adapterRef === null) {
    session.router.setState({ floors: null });
    return;
  }
  try {
    const { profile } = router;
    const floors = await session.client.evals.floors({ adapterRef, profile });
    const { router: now } = session.router.getState();
    const isStill = now?.router?.adapterRef === adapterRef && now.profile === profile;
    if (isStill) session.router.setState({ floors });
  } catch (error) {
    session.router.setState({ floors: null });
    report(session, 'The margin floors could not be read.', failureOf(error));
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
