/**
 * How many calls of each slot may be open at once. Whoever comes when all permits are out waits in line,
 * first come first served, and leaves the line when its signal aborts.
 */
export class Permits {
  readonly #slots = new Map<number, SlotPermits>();

  inUse(slot: number): number {
    return this.#slots.get(slot)?.inUse ?? 0;
  }

  /**
   * A permit, as the function that gives it back (once; a second call does nothing); null when the signal
   * aborted first. The newest limit holds for everyone who has no permit yet.
   */
  acquire(slot: number, limit: number, signal: AbortSignal): Promise<(() => void) | null> {
    const state = this.#slots.get(slot) ?? { limit, inUse: 0, line: [] };
    this.#slots.set(slot, state);
    state.limit = limit;
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve(null);
        return;
      }
      const leave = (): void => {
        state.line.splice(state.line.indexOf(enter), 1);
        resolve(null);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(once(() => giveBack(state)));
      };
      signal.addEventListener('abort', leave, { once: true });
      state.line.push(enter);
      letIn(state);
    });
  }
}

interface SlotPermits {
  limit: number;
  inUse: number;
  readonly line: (() => void)[];
}

function letIn(state: SlotPermits): void {
  while (state.inUse < state.limit) {
    const next = state.line.shift();
    if (next === undefined) return;
    state.inUse += 1;
    next();
  }
}

function giveBack(state: SlotPermits): void {
  state.inUse -= 1;
  letIn(state);
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
