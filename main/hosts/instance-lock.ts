import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HostError } from './host-error.ts';
import {
  askOverChannel,
  instanceRecordSchema,
  openInstanceChannel,
  type InstanceAnswer,
  type InstanceAsk,
  type InstanceChannel,
  type InstanceRecord,
} from './instance-channel.ts';

const lockName = 'instance.lock';

/** The hold on a data directory. `release` may be called twice. */
export interface InstanceLock {
  /** Starts answering others. Until then they wait. */
  answerWith(answer: (ask: InstanceAsk) => InstanceAnswer): Promise<void>;
  release(): void;
}

/**
 * Holds a data directory for one long-lived host.
 *
 * @returns the lock, or null when another process holds it: ask that one with `askInstance`
 * @throws HostError `data_directory` when no lock can be taken there at all
 *
 * The lock is SQLite's exclusive lock on `instance.lock`: the operating system lets go of it when the process
 * ends, however it ends, so there is never a stale one to break. How to reach the holder stands beside it in
 * `instance.json`.
 */
export function lockInstance(dataDirectory: string): InstanceLock | null {
  const database = tryLock(dataDirectory);
  if (database === null) return null;
  const recordPath = join(dataDirectory, 'instance.json');
  // Left by a holder that was killed.
  rmSync(recordPath, { force: true });
  let channel: InstanceChannel | null = null;
  let isReleased = false;
  return {
    async answerWith(answer) {
      channel = await openInstanceChannel(dataDirectory, answer);
      writeRecord(recordPath, channel.record);
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      rmSync(recordPath, { force: true });
      channel?.close();
      database.close();
    },
  };
}

/**
 * Asks the instance that holds the data directory.
 *
 * @param waitMs how long a holder that is still starting may take to become reachable
 * @returns its answer; null when nobody holds the directory
 * @throws HostError `instance_busy` when someone holds it and does not answer
 */
export async function askInstance(
  dataDirectory: string,
  ask: InstanceAsk,
  waitMs = 10_000,
): Promise<InstanceAnswer | null> {
  if (!existsSync(join(dataDirectory, lockName))) return null;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const record = readRecord(join(dataDirectory, 'instance.json'));
    let failure: unknown;
    if (record !== null) {
      try {
        return await askOverChannel(record, ask);
      } catch (error) {
        failure = error;
      }
    }
    const free = tryLock(dataDirectory);
    if (free !== null) {
      free.close();
      return null;
    }
    if (performance.now() >= deadline) {
      const holder = record === null ? 'Another program' : `Process ${record.pid}`;
      throw new HostError(
        'instance_busy',
        `${holder} uses ${dataDirectory} and does not answer. End it, or choose another --data-dir.`,
        { retryable: true, cause: failure },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function tryLock(dataDirectory: string): DatabaseSync | null {
  const path = join(dataDirectory, lockName);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written: no journal file beside it.
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    if (process.platform !== 'win32') chmodSync(path, 0o600);
    return database;
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) return null;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HostError('data_directory', `${path} cannot be locked: ${reason}`, { cause });
  }
}

/** SQLITE_BUSY, the primary code of all its extended forms. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === 5
  );
}

/** Written aside and renamed, so that a reader never sees half of it. It need not survive a power cut. */
function writeRecord(path: string, record: InstanceRecord): void {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, JSON.stringify(record), { mode: 0o600 });
  renameSync(aside, path);
}

function readRecord(path: string): InstanceRecord | null {
  try {
    return instanceRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Absent while the holder starts or ends; the caller asks again until its deadline.
    return null;
  }
}
