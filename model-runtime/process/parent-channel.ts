/** The line from a child process to the program that started it. */
export interface ParentChannel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The parent has gone: nobody waits for an answer. */
  onClose(listener: () => void): void;
}

/** What Electron's utility processes have in place of `process.send`. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
}

/**
 * The parent of this process, whichever way it started it: Electron's `utilityProcess.fork` or Node's
 * `child_process.fork`.
 *
 * @throws Error when the process was started by hand and has no parent to speak to
 */
export function parentChannel(): ParentChannel {
  const port = (process as { parentPort?: ParentPort }).parentPort;
  if (port !== undefined) {
    return {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', (event) => listener(event.data)),
      // Electron ends its utility processes with the program.
      onClose: () => undefined,
    };
  }
  if (process.send === undefined) {
    throw new Error('This file is started by the program as a child process, not by hand.');
  }
  return {
    post: (message) => {
      if (process.connected) process.send?.(message);
    },
    onMessage: (listener) => process.on('message', listener),
    onClose: (listener) => process.on('disconnect', listener),
  };
}
