import {
  pageSecretChannel,
  pageSecretHeader,
  pageSecretKey,
  pageSecretMessageSchema,
  secretSchema,
  sessionPath,
  type PageSecretMessage,
} from '../contracts/app/handshake.ts';

/** What a page needs of its browser: session storage, and a channel to the other tabs of its origin. */
export interface PageSecretPlaces {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly openChannel: () => BroadcastChannel;
}

/**
 * The page secret of this tab (see contracts/app/handshake.ts).
 *
 * @param waitMs how long other tabs may take to answer
 * @returns the secret of session storage, else the one that an open tab tells, which is then kept; null when
 *   no tab answers: the person needs a fresh one-time address
 */
export async function findPageSecret(
  places: PageSecretPlaces,
  waitMs = 1_000,
): Promise<string | null> {
  const own = storedSecret(places);
  if (own !== null) return own;
  const channel = places.openChannel();
  try {
    const told = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), waitMs);
      channel.onmessage = (event: MessageEvent) => {
        const message = pageSecretMessageSchema.safeParse(event.data);
        if (!message.success || message.data.kind !== 'tell') return;
        clearTimeout(timer);
        resolve(message.data.secret);
      };
      channel.postMessage({ kind: 'ask' } satisfies PageSecretMessage);
    });
    if (told !== null) places.storage.setItem(pageSecretKey, told);
    return told;
  } finally {
    channel.close();
  }
}

/** Answers other tabs that ask for the secret, until the returned function is called. */
export function tellPageSecret(places: PageSecretPlaces): () => void {
  const channel = places.openChannel();
  channel.onmessage = (event: MessageEvent) => {
    const message = pageSecretMessageSchema.safeParse(event.data);
    if (!message.success || message.data.kind !== 'ask') return;
    const secret = storedSecret(places);
    if (secret !== null) channel.postMessage({ kind: 'tell', secret } satisfies PageSecretMessage);
  };
  return () => channel.close();
}

/**
 * What the host says of a secret. Asked over HTTP, because a socket that is refused does not say why.
 *
 * @returns `good`; `stale`: of an earlier session, another tab may have a newer one; `out`: this browser is not
 *   in, since the host was started anew; `unknown`: no answer
 */
export async function judgePageSecret(
  secret: string,
  ask: typeof fetch = fetch,
): Promise<'good' | 'stale' | 'out' | 'unknown'> {
  try {
    const { status } = await ask(sessionPath, {
      headers: { [pageSecretHeader]: secret },
      cache: 'no-store',
    });
    if (status === 200) return 'good';
    if (status === 403) return 'stale';
    return status === 401 ? 'out' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Forgets the secret of this tab, so that the next search asks the others. */
export function forgetPageSecret(places: PageSecretPlaces): void {
  places.storage.removeItem(pageSecretKey);
}

/** The places of the tab that runs this. */
export function thisTab(): PageSecretPlaces {
  return {
    storage: sessionStorage,
    openChannel: () => new BroadcastChannel(pageSecretChannel),
  };
}

function storedSecret(places: PageSecretPlaces): string | null {
  const stored = secretSchema.safeParse(places.storage.getItem(pageSecretKey));
  return stored.success ? stored.data : null;
}
