/**
 * How many calls of each slot may be open at once. Whoever comes when all permits are out waits in line,
 * first come first served, and leaves the line when its signal aborts.
 */
export class Permits {
  readonly #slots = new Map<number, { inUse: number; line: (() => void)[] }>();

  inUse(slot: number): number {
    return this.#slots.get(slot)?.inUse ?? 0;
  }

  /**
   * A permit, as the function that gives it back (once; a second call does nothing); null when the signal
   * aborted first. A limit that was lowered holds for everyone who has not got a permit yet.
   */
  acquire(slot: number, limit: number, signal: AbortSignal): Promise<(() => void) | null> {
    const state = this.#slots.get(slot) ?? { inUse: 0, line: [] };
    this.#slots.set(slot, state);
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
        state.inUse += 1;
        let held = true;
        resolve(() => {
          if (!held) return;
          held = false;
          state.inUse -= 1;
          if (state.inUse < limit) state.line.shift()?.();
        });
      };
      if (state.inUse < limit) enter();
      else {
        state.line.push(enter);
        signal.addEventListener('abort', leave, { once: true });
      }
    });
  }
}
