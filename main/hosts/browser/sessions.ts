import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../contracts/ports.ts';

/** What lets a browser in: its cookie, and the secret that its pages keep in session storage. */
export interface Session {
  readonly cookie: string;
  readonly pageSecret: string;
}

export interface Sessions {
  /** A fresh one-time token. */
  issueToken(): string;
  /**
   * Trades a one-time token for a session. A browser that is in already keeps its session, so that its open
   * pages stay in.
   *
   * @returns null for a token that is unknown, spent or too old
   */
  enter(token: string, cookie: string | null): Session | null;
  hasCookie(cookie: string | null): boolean;
  /** True when cookie and page secret belong together. */
  hasPage(cookie: string | null, pageSecret: string | null): boolean;
}

/** How long a printed address stays good. */
export const tokenLifetimeMs = 60 * 60 * 1000;
/** Unspent tokens and sessions kept; the oldest go first. */
const keptTokens = 32;
const keptSessions = 64;

/**
 * Sessions of one run of the browser host, in memory: a restart asks everyone to enter again. Looked up by
 * digest, so that the time of a comparison tells nothing of a secret.
 */
export function createSessions(clock: Clock): Sessions {
  const tokens = new Map<string, number>();
  const sessions = new Map<string, Session>();
  const sessionOf = (cookie: string | null): Session | null =>
    cookie === null ? null : (sessions.get(digest(cookie)) ?? null);
  return {
    issueToken() {
      const token = newSecret();
      tokens.set(digest(token), clock.monotonic() + tokenLifetimeMs);
      keepNewest(tokens, keptTokens);
      return token;
    },
    enter(token, cookie) {
      const key = digest(token);
      const goodUntil = tokens.get(key);
      tokens.delete(key);
      if (goodUntil === undefined || clock.monotonic() > goodUntil) return null;
      const known = sessionOf(cookie);
      if (known !== null) return known;
      const session: Session = { cookie: newSecret(), pageSecret: newSecret() };
      sessions.set(digest(session.cookie), session);
      keepNewest(sessions, keptSessions);
      return session;
    },
    hasCookie: (cookie) => sessionOf(cookie) !== null,
    hasPage(cookie, pageSecret) {
      const session = sessionOf(cookie);
      return (
        session !== null && pageSecret !== null && digest(session.pageSecret) === digest(pageSecret)
      );
    },
  };
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function keepNewest(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
