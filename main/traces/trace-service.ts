import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { traceFileSchema } from '../../contracts/app/traces.ts';
import type { RunEvent } from '../../contracts/events.ts';
import { toFailure, type Failure } from '../../contracts/failure.ts';
import type { Settings } from '../../contracts/settings.ts';
import { installationKey } from './installation-key.ts';
import { Redaction, type KnownValues } from './redaction.ts';
import { TraceWriter } from './writer.ts';

export type TraceFile = z.infer<typeof traceFileSchema>;

/** Where the events of one run go. Neither method throws: a trace never ends a run. */
export interface RunTrace {
  write(event: RunEvent): void;
  close(): Promise<void>;
}

export interface TraceServiceParts {
  /** Folder of the traces, one file a run. */
  readonly directory: string;
  /** File of the installation's key. */
  readonly keyFile: string;
  readonly settings: () => Settings['traces'];
  /** What no trace may hold, as it is known when a run starts. */
  readonly known: () => KnownValues;
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
  open({ runId }: { readonly runId: string }): RunTrace {
    const { directory, keyFile, settings, known, onProblem } = this.#parts;
    const { enabled, content } = settings();
    if (!enabled) return noTrace;
    try {
      const key = content === 'full' ? new Uint8Array() : installationKey(keyFile);
      const redaction = new Redaction(known());
      return new TraceWriter({ directory, runId, content, key, redaction, onProblem });
    } catch (error) {
      onProblem(toFailure(error));
      return noTrace;
    }
  }

  /** The newest traces first. A folder that is not there yet has none. */
  async list(limit: number): Promise<TraceFile[]> {
    const { directory } = this.#parts;
    const names = await readdir(directory).catch(() => [] as string[]);
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
