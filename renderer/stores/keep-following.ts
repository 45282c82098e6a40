import type { Session } from './session.ts';

/** Between the end of a stream and the next try. */
const againMs = 500;

/**
 * Follows an endless stream until `live` aborts: a stream that ends or breaks is opened again. Breaking is
 * no news by itself, because the connection's end says so.
 */
export async function keepFollowing<Item>(
  session: Session,
  open: (live: AbortSignal) => Promise<AsyncIterable<Item>>,
  take: (item: Item) => void | Promise<void>,
  live: AbortSignal,
): Promise<void> {
  while (!live.aborted) {
    try {
      for await (const item of await open(live)) {
        if (live.aborted) return;
        await take(item);
      }
    } catch {
      // Opened again below, unless the connection is gone.
    }
    await new Promise<void>((resolve) => {
      session.ports.after(againMs, resolve);
    });
  }
}
