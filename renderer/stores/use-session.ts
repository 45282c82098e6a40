import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { Session, SessionStates, SessionStores } from './session.ts';

export const SessionContext = createContext<Session | null>(null);

/** The session of the page around this component. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('A component stands outside of a session.');
  return session;
}

/**
 * A part of one of the session's stores. Objects and arrays are compared member by member, so a selector
 * may build a fresh one.
 */
export function usePart<Name extends keyof SessionStates, Part>(
  name: Name,
  select: (state: SessionStates[Name]) => Part,
): Part {
  const stores: SessionStores = useSession();
  return useStore(stores[name], useShallow(select));
}
