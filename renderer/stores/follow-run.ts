import { endsRun, type RunEvent } from '../../contracts/events.ts';
import { foldRun, nextSeq } from '../../contracts/fold-run.ts';
import { withRun } from './chat-state.ts';
import type { Session } from './session.ts';

/** Events folded between two acknowledgements: a quarter of the host's window, so it never waits for us. */
const acknowledgeEvery = 64;

export type FollowEnd =
  /** The terminal event is folded. */
  | 'ended'
  /** The stream broke, ended early or had a gap: attach again. */
  | 'interrupted';

/**
 * Attaches to a run of the open conversation at the first event it lacks, and folds what arrives, once a
 * frame. Credits go back only after folding, so a page that does not draw is not sent more than a window.
 * Never folds beyond a gap.
 */
export async function followRun(
  session: Session,
  runId: string,
  signal: AbortSignal,
): Promise<FollowEnd> {
  const run = session.chat.getState().runs.find(({ id }) => id === runId);
  if (run === undefined) return 'interrupted';
  if (run.status !== 'running') return 'ended';
  const folder = new EventFolder(session, runId, nextSeq(run));
  try {
    const fromSeq = nextSeq(run);
    const stream = await session.client.chat.attach({ runId, fromSeq }, { signal });
    for await (const item of stream) {
      if (item.kind === 'opened') folder.streamId = item.streamId;
      else if (!folder.take(item.events)) break;
      if (signal.aborted) break;
    }
  } catch {
    // A broken stream is the normal case this function exists for: the caller attaches again.
  }
  folder.flush();
  return folder.sawEnd ? 'ended' : 'interrupted';
}

/** Holds events until the next frame, then folds them in one store update and acknowledges. */
class EventFolder {
  streamId: string | null = null;
  sawEnd = false;
  readonly #session: Session;
  readonly #runId: string;
  #expected: number;
  #acknowledged: number;
  #waiting: RunEvent[] = [];
  #cancelFrame: (() => void) | null = null;

  constructor(session: Session, runId: string, firstSeq: number) {
    this.#session = session;
    this.#runId = runId;
    this.#expected = firstSeq;
    this.#acknowledged = firstSeq - 1;
  }

  /** False on a gap: nothing from it on is taken. */
  take(events: readonly RunEvent[]): boolean {
    for (const event of events) {
      if (event.seq < this.#expected) continue;
      if (event.seq > this.#expected) return false;
      this.#expected += 1;
      this.#waiting.push(event);
      this.sawEnd ||= endsRun(event);
    }
    this.#cancelFrame ??= this.#session.ports.scheduleFrame(() => this.flush());
    return true;
  }

  flush(): void {
    this.#cancelFrame?.();
    this.#cancelFrame = null;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    this.#session.chat.setState((state) => {
      const run = state.runs.find(({ id }) => id === this.#runId);
      if (run === undefined) return state;
      const folded = events.reduce(foldRun, run);
      const stopping =
        folded.status === 'running' ? state.stopping : state.stopping.filter((id) => id !== run.id);
      return { runs: withRun(state.runs, folded), stopping };
    });
    this.#acknowledge(this.#expected - 1);
  }

  #acknowledge(seq: number): void {
    if (this.streamId === null || seq - this.#acknowledged < acknowledgeEvery) return;
    this.#acknowledged = seq;
    // A lost acknowledgement shows as a stalled stream, and the connection's end re-attaches it.
    void this.#session.client.chat
      .acknowledge({ streamId: this.streamId, seq })
      .catch(() => undefined);
  }
}
