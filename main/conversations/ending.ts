/**
 * Gives a generator an end of its own: `return` (a consumer that leaves) aborts the signal that the
 * generator waits with, as the caller's signal does. Without it a consumer that leaves while the
 * generator waits would have to wait for what never comes.
 */
export function ending<T>(
  signal: AbortSignal | undefined,
  generate: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const left = new AbortController();
  const inner = generate(signal ? AbortSignal.any([signal, left.signal]) : left.signal);
  return {
    next: () => inner.next(),
    return: (value) => {
      left.abort();
      return inner.return(value);
    },
    throw: (error) => {
      left.abort();
      return inner.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      left.abort();
      await inner.return();
    },
  };
}
