import { expect, it } from 'vitest';
import { createSessions, tokenLifetimeMs } from '../../../../main/hosts/browser/sessions.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

it('takes a one-time address within an hour, and not after it', () => {
  const clock = new ManualClock();
  const sessions = createSessions(clock);
  const [early, late] = [sessions.issueToken(), sessions.issueToken()];
  expect(tokenLifetimeMs).toBe(3_600_000);
  clock.advance(3_600_000);
  expect(sessions.enter(early, null)).not.toBeNull();
  clock.advance(1);
  expect(sessions.enter(late, null)).toBeNull();
});

it('keeps the newest 64 browsers, so that entering again and again costs no memory', () => {
  const sessions = createSessions(new ManualClock());
  const enter = () => sessions.enter(sessions.issueToken(), null)?.cookie ?? '';
  const cookies = Array.from({ length: 65 }, enter);
  expect(cookies.filter((cookie) => sessions.hasCookie(cookie))).toEqual(cookies.slice(1));
});

it('keeps the newest 32 unspent addresses', () => {
  const sessions = createSessions(new ManualClock());
  const tokens = Array.from({ length: 33 }, () => sessions.issueToken());
  const taken = tokens.filter((token) => sessions.enter(token, null) !== null);
  expect(taken).toEqual(tokens.slice(1));
});
