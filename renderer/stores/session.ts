import type { StoreApi } from 'zustand/vanilla';
import { clientOver, type Client } from '../api.ts';
import { createChatStore, type ChatState } from './chat-state.ts';
import { createConnectionStore, type ConnectionState } from './connection-state.ts';
import { createConversationStore, type ConversationListState } from './conversation-list-state.ts';
import { createDraftStore, type DraftState } from './draft-state.ts';
import { createInspectorStore, type InspectorState } from './inspector-state.ts';
import { createRouterStore, type RouterStoreState } from './router-state.ts';
import type { SessionPorts } from './session-ports.ts';
import { createSettingsStore, type SettingsState } from './settings-state.ts';
import { createSlotStore, type SlotStoreState } from './slot-state.ts';
import { createViewStore, type ViewState } from './view-state.ts';

/** What the page shows, one store each. */
export interface SessionStates {
  readonly connection: ConnectionState;
  readonly view: ViewState;
  readonly conversations: ConversationListState;
  readonly chat: ChatState;
  readonly drafts: DraftState;
  readonly inspector: InspectorState;
  readonly slots: SlotStoreState;
  readonly router: RouterStoreState;
  readonly settings: SettingsState;
}
export type SessionStores = {
  readonly [Name in keyof SessionStates]: StoreApi<SessionStates[Name]>;
};

/** One open page: the client, and its stores. Actions take it first. */
export interface Session extends SessionStores {
  readonly ports: SessionPorts;
  readonly client: Client;
}

/** A session with empty stores. Nothing is asked of the host before `keepConnected`. */
export function createSession(ports: SessionPorts): Session {
  const connection = createConnectionStore();
  return {
    ports,
    client: clientOver(() => connection.getState().connection?.link ?? null),
    connection,
    view: createViewStore(),
    conversations: createConversationStore(),
    chat: createChatStore(),
    drafts: createDraftStore(ports.memory),
    inspector: createInspectorStore(),
    slots: createSlotStore(),
    router: createRouterStore(),
    settings: createSettingsStore(ports.memory),
  };
}
