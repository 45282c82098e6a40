import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { traceFileSchema } from '../../contracts/app/traces.ts';
import type { RunEvent } from '../../contracts/events.ts';
import { toFailure, type Failure } from '../../contracts/failure.ts';
import type { Settings } from '../../contracts/settings.ts';
import { earlierMessages, type PastRun } from '../../coordinator/views.ts';
import { TraceError } from './errors.ts';
import { installationKey } from './installation-key.ts';
import { Redaction, type KnownValues } from './redaction.ts';
import { TraceWriter } from './writer.ts';

export type TraceFile = z.infer<typeof traceFileSchema>;

/** Where the events of one run go. Neither method throws: a trace never ends a run. */
export interface RunTrace {
  write(event: RunEvent): void;
  close(): Promise<void>;
}

/** What a trace needs to know of a run beyond its events. */
export interface TracedRun {
  readonly runId: string;
  readonly systemPrompt: string;
  /** Earlier runs of the conversation. */
  readonly earlier: readonly PastRun[];
}

export interface TraceServiceParts {
  /** Folder of the traces, one file a run. */
  readonly directory: string;
  /** File of the installation's key. */
  readonly keyFile: string;
  readonly settings: () => Settings['traces'];
  /** What no trace may hold, as it is known when a run starts. */
  readonly known: () => KnownValues | Promise<KnownValues>;
  /** Told what could not be traced, once a run. */
  readonly onProblem: (problem: Failure) => void;
}

/** The traces of an installation: opens one writer a run, lists the files. */
export class TraceService {
  readonly #parts: TraceServiceParts;

  constructor(parts: TraceServiceParts) {
    this.#parts = parts;
  }

  /** The trace of a run that starts now, by the settings as they are now; nothing where they are off. */
  async open(run: TracedRun): Promise<RunTrace> {
    const { runId } = run;
    const { directory, settings, onProblem } = this.#parts;
    if (!settings().enabled) return noTrace;
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(runId)) {
      const message = 'A run has an id that cannot be the name of a file, so it is not traced.';
      onProblem(toFailure(new TraceError('bad_run_id', message)));
      return noTrace;
    }
    return this.#writer(join(directory, `${runId}.jsonl`), run);
  }

  /** The trace of one run in a file that a person named, also where traces are off; null for none. */
  async openFile(path: string | null, run: TracedRun): Promise<RunTrace> {
    return path === null ? noTrace : this.#writer(path, run);
  }

  async #writer(path: string, run: TracedRun): Promise<RunTrace> {
    const { keyFile, settings, known, onProblem } = this.#parts;
    const { content } = settings();
    try {
      const redaction = new Redaction(await known());
      // A full trace has plain hashes and no use for the key.
      const key = content === 'full' ? new Uint8Array() : installationKey(keyFile);
      const earlier = earlierMessages({ systemPrompt: run.systemPrompt, history: run.earlier });
      return new TraceWriter({ path, content, key, earlier, redaction, onProblem });
    } catch (error) {
      onProblem(toFailure(error));
      return noTrace;
    }
  }

  /**
   * The newest traces first. A folder that is not there yet has none.
   *
   * @throws TraceError `unreadable`
   */
  async list(limit: number): Promise<TraceFile[]> {
    const { directory } = this.#parts;
    const names = await namesIn(directory);
    const files = await Promise.all(
      names.filter((name) => name.endsWith('.jsonl')).map((name) => describe(directory, name)),
    );
    return files
      .filter((file) => file !== null)
      .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.runId < b.runId ? 1 : -1))
      .slice(0, limit);
  }
}

const noTrace: RunTrace = { write: () => {}, close: () => Promise.resolve() };

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    const message = `The folder of the traces, ${directory}, cannot be read.`;
    throw new TraceError('unreadable', message, { cause });
  }
}

/** Null for what is no file or has just gone. */
async function describe(directory: string, name: string): Promise<TraceFile | null> {
  const path = join(directory, name);
  try {
    const { size, mtimeMs } = await stat(path);
    return {
      runId: name.slice(0, -'.jsonl'.length),
      path,
      bytes: size,
      content: await contentOf(path),
      modifiedAt: Math.round(mtimeMs),
    };
  } catch {
    return null;
  }
}

/** A full trace has plain hashes, and the first one stands near the beginning of the first line. */
async function contentOf(path: string): Promise<TraceFile['content']> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    const start = buffer.toString('utf8', 0, bytesRead);
    return start.includes('"transcriptHash":"v1:') ? 'full' : 'hash';
  } finally {
    await file.close();
  }
}
