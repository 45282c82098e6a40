import { implement, ORPCError } from '@orpc/server';
import { appContract } from '../../../contracts/app/contract.ts';
import type { Change, Pins } from '../../../contracts/app/chat.ts';
import type { RouterState } from '../../../contracts/app/models.ts';
import type { CalibratedFloors } from '../../../contracts/evals.ts';
import type { RunEvent } from '../../../contracts/events.ts';
import { endsRun } from '../../../contracts/events.ts';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { VaultItem } from '../../../contracts/keys.ts';
import { settingsSchema, type Settings } from '../../../contracts/settings.ts';
import type { SlotSpending, SlotView } from '../../../contracts/app/slots.ts';
import { defaultSlotName, slotBindingSchema } from '../../../contracts/slots.ts';
import type { Conversation, RunRecord } from '../../../contracts/stored.ts';
import { decisionOf, type EventBody } from '../../fixtures/run-events.ts';
import { Broadcast } from './broadcast.ts';
import { checkpointLabels, demoRouter, presets, schemes } from './fake-catalog.ts';

/** Writes the events of a run. `emit` numbers them; `stopped` tells when the person asked to stop. */
export type Script = (run: {
  readonly task: string;
  readonly emit: (event: EventBody) => void;
  readonly stopped: AbortSignal;
}) => Promise<void>;

interface LiveRun {
  readonly events: RunEvent[];
  readonly grown: Broadcast<true>;
  readonly stop: AbortController;
}

/**
 * The app's contract in memory, for the page alone: conversations, scripted runs, slots, settings. It
 * stores nothing and calls nobody. Tests reach into it to seed what a screen needs.
 */
export class FakeApp {
  readonly conversations = new Map<string, Conversation>();
  readonly changes = new Broadcast<Change>();
  readonly routerStates = new Broadcast<RouterState>();
  readonly acknowledged: { streamId: string; seq: number }[] = [];
  readonly secrets: string[] = [];
  readonly savedCases: { runId: string; turn: number; expectChoice: boolean }[] = [];
  floors: CalibratedFloors | null = null;
  readonly spending: SlotSpending[] = [];
  readonly keys: VaultItem[] = [];
  script: Script = async () => undefined;
  settings: Settings = settingsSchema.parse({ version: 1 });
  router: RouterState = demoRouter;
  slots: SlotView[] = checkpointLabels.map((checkpointLabel, index) => ({
    index,
    checkpointLabel,
    binding: null,
    key: null,
    health: { state: 'untried' },
    price: null,
  }));
  readonly live = new Map<string, LiveRun>();
  #ids = 0;
  #now = Date.UTC(2026, 10, 30, 9, 0, 0);

  now(): number {
    this.#now += 1_000;
    return this.#now;
  }

  id(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  /** Adds a conversation, with runs that are over. */
  seed(title: string, runs: readonly RunRecord[] = [], agedMs = 0): Conversation {
    const at = this.now() - agedMs;
    const conversation: Conversation = {
      id: runs[0]?.conversationId ?? this.id('c'),
      title,
      createdAt: at,
      updatedAt: at,
      liveRunId: null,
      snippet: null,
      systemPrompt: '',
      draft: '',
      runs: [...runs],
    };
    this.conversations.set(conversation.id, conversation);
    return conversation;
  }

  change(id: string, change: Partial<Conversation>): Conversation {
    const next = { ...this.get(id), ...change, updatedAt: this.now() };
    this.conversations.set(id, next);
    return next;
  }

  get(id: string): Conversation {
    const found = this.conversations.get(id);
    if (found !== undefined) return found;
    const message = `There is no conversation ${id}; it may be deleted.`;
    throw new ORPCError('FAILED', {
      message,
      data: { code: 'not_found', retryable: false, message },
    });
  }

  /** Starts the script for a message, as the real app starts a run. */
  start(conversationId: string, task: string, _pins: Pins): string {
    const runId = this.id('r');
    const { agents } = this.settings;
    let run = openRun({ id: runId, conversationId, task, agents, startedAt: this.now() });
    const live: LiveRun = { events: [], grown: new Broadcast(), stop: new AbortController() };
    this.live.set(runId, live);
    const conversation = this.get(conversationId);
    const title =
      conversation.title === 'New conversation' ? task.slice(0, 60) : conversation.title;
    this.change(conversationId, { title, liveRunId: runId, runs: [...conversation.runs, run] });
    const emit = (body: object) => {
      const seq = live.events.length;
      const event = { v: 1, seq, runId, turn: 0, at: this.now(), ...body } as RunEvent;
      live.events.push(event);
      run = foldRun(run, event);
      const now = this.get(conversationId);
      this.change(conversationId, {
        runs: now.runs.map((one) => (one.id === runId ? run : one)),
        liveRunId: endsRun(event) ? null : runId,
      });
      live.grown.send(true);
      if (endsRun(event)) this.changes.send({ kind: 'run_ended', id: conversationId, runId });
    };
    this.changes.send({ kind: 'run_started', id: conversationId, runId });
    void this.script({ task, emit, stopped: live.stop.signal });
    return runId;
  }

  async *attach(runId: string, fromSeq: number, signal?: AbortSignal) {
    const live = this.live.get(runId);
    if (live === undefined) throw new ORPCError('NOT_FOUND', { message: 'No such run.' });
    const isSettled = live.events.some(endsRun);
    yield {
      kind: 'opened' as const,
      streamId: this.id('s'),
      state: isSettled ? ('settled' as const) : ('live' as const),
    };
    const grown = live.grown.follow(signal);
    for (let next = fromSeq; ;) {
      const events = live.events.slice(next, next + 32);
      next += events.length;
      if (events.length > 0) yield { kind: 'events' as const, events };
      if (events.some(endsRun)) return;
      if (events.length === 0 && (await grown.next()).done === true) return;
    }
  }

  setRouter(router: RouterState): RouterState {
    this.router = router;
    this.routerStates.send(router);
    return router;
  }

  /** The procedures of the contract that the page calls. */
  procedures() {
    const os = implement(appContract);
    const view = (index: number) => {
      const slot = this.slots[index];
      if (slot === undefined) throw new ORPCError('NOT_FOUND', { message: 'No such slot.' });
      return slot;
    };
    const bind = (index: number, binding: { readonly model: string }) => {
      const slot = view(index);
      const parsed = slotBindingSchema.parse({
        name: defaultSlotName(index, binding.model),
        ...binding,
        index,
      });
      const key = this.keys.find(({ id }) => id === parsed.keyRef) ?? null;
      this.slots[index] = { ...slot, binding: parsed, key, health: { state: 'untried' } };
      return view(index);
    };
    const { changes, routerStates } = this;
    const routerNow = () => this.router;
    return {
      chat: {
        list: os.chat.list.handler(({ input }) => {
          const conversations = [...this.conversations.values()]
            .filter(({ title }) => title.toLowerCase().includes(input.query.toLowerCase()))
            .sort((a, b) => b.updatedAt - a.updatedAt);
          return { conversations, more: false, next: null };
        }),
        create: os.chat.create.handler(() => {
          const made = this.seed('New conversation');
          this.changes.send({ kind: 'conversation', id: made.id });
          return made;
        }),
        get: os.chat.get.handler(({ input }) => this.get(input.id)),
        rename: os.chat.rename.handler(({ input }) => {
          this.change(input.id, { title: input.title });
          this.changes.send({ kind: 'conversation', id: input.id });
          return {};
        }),
        remove: os.chat.remove.handler(({ input }) => {
          this.conversations.delete(input.id);
          this.changes.send({ kind: 'conversation_removed', id: input.id });
          return {};
        }),
        setSystemPrompt: os.chat.setSystemPrompt.handler(({ input }) => {
          this.change(input.id, { systemPrompt: input.text });
          return {};
        }),
        saveDraft: os.chat.saveDraft.handler(({ input }) => {
          this.conversations.set(input.id, { ...this.get(input.id), draft: input.text });
          return {};
        }),
        start: os.chat.start.handler(({ input }) => ({
          runId: this.start(input.conversationId, input.text, input.pins),
        })),
        stop: os.chat.stop.handler(({ input }) => {
          this.live.get(input.runId)?.stop.abort();
          return {};
        }),
        attach: os.chat.attach.handler(({ input, signal }) =>
          this.attach(input.runId, input.fromSeq, signal),
        ),
        acknowledge: os.chat.acknowledge.handler(({ input }) => {
          this.acknowledged.push(input);
          return {};
        }),
        whatIf: os.chat.whatIf.handler(({ input }) => {
          const decision = decisionOf({ tokenCount: input.text.length });
          const best = decision.agentLogits
            .map((logit, index) => ({ logit, index }))
            .filter(({ index }) => !input.disabledSlots.includes(index))
            .sort((a, b) => b.logit - a.logit);
          const effective = best[0]?.index;
          if (effective === undefined) {
            throw new ORPCError('no_agent_available', { message: 'Every slot is left out.' });
          }
          if (effective === decision.slot.raw) return decision;
          const reason = { kind: 'mask', over: 'router', cause: 'disabled' } as const;
          return {
            ...decision,
            slot: { raw: decision.slot.raw, effective, reason },
            maskedMargin: 3.4,
          };
        }),
        changes: os.chat.changes.handler(async function* ({ signal }) {
          for await (const change of changes.follow(signal)) yield change;
        }),
      },
      slots: {
        presets: os.slots.presets.handler(() => presets),
        list: os.slots.list.handler(() => this.slots),
        set: os.slots.set.handler(({ input }) => bind(input.index, input)),
        setAll: os.slots.setAll.handler(({ input }) =>
          this.slots.map(({ index }) => bind(index, input)),
        ),
        clear: os.slots.clear.handler(({ input }) => {
          this.slots[input.index] = { ...view(input.index), binding: null, key: null };
          return {};
        }),
        schemes: os.slots.schemes.handler(() => schemes),
        keys: os.slots.keys.handler(() => this.keys),
        putKey: os.slots.putKey.handler(({ input }) => {
          this.secrets.push(input.secret);
          const last4 = input.secret.length >= 12 ? input.secret.slice(-4) : null;
          const { origin } = new URL(input.baseUrl);
          const item = { id: this.id('k'), scheme: input.scheme, origin, last4 };
          this.keys.push(item);
          return item;
        }),
        spending: os.slots.spending.handler(() => this.spending),
        contacts: os.slots.contacts.handler(() => []),
        removeKey: os.slots.removeKey.handler(() => ({})),
        test: os.slots.test.handler(({ input }) => {
          const ok = view(input.index).key !== null;
          this.slots[input.index] = {
            ...view(input.index),
            health: { state: 'untried' },
          };
          return ok
            ? {
                ok,
                code: null,
                message: 'The provider accepted the key and knows the model.',
                latencyMs: 212,
                models: ['small-2026', 'large-2026'],
              }
            : {
                ok,
                code: 'auth',
                message: 'The provider refused the key. Check that it was copied whole.',
                latencyMs: 97,
                models: [],
              };
        }),
      },
      evals: {
        saveCase: os.evals.saveCase.handler(({ input }) => {
          const caseId = `${input.runId}-turn-${input.turn}`;
          const { runId, turn, expectChoice } = input;
          if (this.savedCases.some((saved) => saved.runId === runId && saved.turn === turn)) {
            throw new ORPCError('case_exists', { message: 'This turn is already saved.' });
          }
          this.savedCases.push({ runId, turn, expectChoice });
          return { caseId, path: '/data/evals/saved-cases.jsonl' };
        }),
        floors: os.evals.floors.handler(({ input }) => {
          const isFor = this.floors?.adapterRef === input.adapterRef;
          return isFor && this.floors?.profile === input.profile ? this.floors : null;
        }),
      },
      models: {
        list: os.models.list.handler(() => (demoRouter.router === null ? [] : [demoRouter.router])),
        profiles: os.models.profiles.handler(() => [
          { id: 'cpu-f32' as const, availability: { state: 'available' as const, tested: true } },
          {
            id: 'cuda' as const,
            availability: { state: 'unavailable' as const, reason: 'No NVIDIA GPU was found.' },
          },
        ]),
        state: os.models.state.handler(() => this.router),
        watch: os.models.watch.handler(async function* ({ signal }) {
          yield routerNow();
          for await (const state of routerStates.follow(signal)) yield state;
        }),
        select: os.models.select.handler(({ input }) =>
          this.setRouter({ ...this.router, profile: input.profile }),
        ),
      },
      settings: {
        about: os.settings.about.handler(() => ({
          name: 'Trinity Desktop',
          version: '0.1.0',
          host: 'browser' as const,
          platform: 'linux x64',
          dataDirectory: '~/.local/share/trinity-desktop',
          node: '24.21.0',
          onnxRuntime: '1.30.0',
        })),
        notices: os.settings.notices.handler(() => []),
        get: os.settings.get.handler(() => this.settings),
        update: os.settings.update.handler(({ input }) => {
          this.settings = settingsSchema.parse({ ...this.settings, ...input });
          return this.settings;
        }),
      },
      traces: {
        list: os.traces.list.handler(() => []),
      },
    };
  }
}
