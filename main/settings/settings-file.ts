import { readFileSync, statSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Notice } from '../../contracts/app/settings.ts';
import { toFailure } from '../../contracts/failure.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import { settingsSchema, type Settings } from '../../contracts/settings.ts';
import { writeTextAtomically, type FileOperations } from './atomic-text.ts';
import { SettingsError } from './errors.ts';

/** Far above what settings with 256 bound slots need. */
const characterLimit = 8_000_000;

export interface SettingsFileParts {
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly files?: FileOperations;
}

/** `settings.json` of a data directory, and the backup beside it: the settings before the last change. */
export class SettingsFile {
  readonly #parts: SettingsFileParts;
  readonly #path: string;
  readonly #backupPath: string;

  constructor(parts: SettingsFileParts) {
    this.#parts = parts;
    this.#path = join(parts.dataDirectory, 'settings.json');
    this.#backupPath = join(parts.dataDirectory, 'settings.backup.json');
  }

  /**
   * The stored settings, or the defaults where there are none. A file that cannot be understood is kept
   * aside under another name, the backup takes its place, and the notice says so.
   *
   * @throws SettingsError `unreadable`, `unwritable` when the broken file cannot be kept aside
   */
  async load(): Promise<{ settings: Settings; notice: Notice | null }> {
    const text = await this.#read(this.#path);
    if (text === null) return { settings: defaultSettings(), notice: null };
    const parsed = parseSettings(text);
    if (parsed.ok) return { settings: parsed.settings, notice: null };
    return this.#setAside(parsed.problem);
  }

  /**
   * What is wrong with the stored settings, in a sentence, for a program that has no use for them; null where
   * they are right or absent. Changes nothing: who loads them keeps a broken file aside.
   */
  async problem(): Promise<string | null> {
    try {
      const text = await this.#read(this.#path);
      if (text === null) return null;
      const parsed = parseSettings(text);
      return parsed.ok ? null : `${this.#path} is not valid: ${parsed.problem}.`;
    } catch (error) {
      return toFailure(error).message;
    }
  }

  /** Names what is on disk: another one means that the file was changed. Null where there is none. */
  revision(): string | null {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    return stat === undefined ? null : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  }

  /** The stored settings at once; null where they are absent or cannot be understood just now. */
  peek(): Settings | null {
    try {
      const parsed = parseSettings(readFileSync(this.#path, 'utf8'));
      return parsed.ok ? parsed.settings : null;
    } catch {
      // The next change, or the next start, says what is wrong with the file.
      return null;
    }
  }

  /** Writes the settings; what was stored before becomes the backup. @throws SettingsError `unwritable` */
  async save(settings: Settings): Promise<void> {
    const before = await this.#read(this.#path);
    if (before !== null && parseSettings(before).ok) await this.#write(this.#backupPath, before);
    await this.#write(this.#path, `${JSON.stringify(settings, null, 2)}\n`);
  }

  async #setAside(problem: string): Promise<{ settings: Settings; notice: Notice }> {
    const stamp = new Date(this.#parts.clock.now()).toISOString().replace(/[:.]/g, '-');
    const name = `settings.broken-${stamp}.json`;
    try {
      await rename(this.#path, join(this.#parts.dataDirectory, name));
    } catch (cause) {
      throw unwritable(this.#path, cause);
    }
    const backup = await this.#read(this.#backupPath);
    const parsed = backup === null ? null : parseSettings(backup);
    const settings = parsed?.ok === true ? parsed.settings : defaultSettings();
    await this.#write(this.#path, `${JSON.stringify(settings, null, 2)}\n`);
    const source = parsed?.ok === true ? 'those before the last change' : 'the defaults';
    return {
      settings,
      notice: {
        code: 'settings_broken',
        message: `The settings could not be read (${problem}). The file is kept as ${name}; ${source} are used.`,
      },
    };
  }

  async #read(path: string): Promise<string | null> {
    try {
      return await readFile(path, 'utf8');
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
      throw new SettingsError('unreadable', `${path} cannot be read: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }

  async #write(path: string, text: string): Promise<void> {
    try {
      await writeTextAtomically(path, text, this.#parts.random.id(), this.#parts.files);
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }
}

/** The settings of an installation that nobody has changed. */
export function defaultSettings(): Settings {
  return settingsSchema.parse({ version: 1 });
}

type Parsed =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problem: string };

function parseSettings(text: string): Parsed {
  if (text.length > characterLimit) return { ok: false, problem: 'it is far too large' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the file; a problem must not.
    return { ok: false, problem: 'it is not JSON' };
  }
  const version = z.object({ version: z.number() }).safeParse(value);
  if (version.success && version.data.version > 1) {
    return { ok: false, problem: `it has version ${version.data.version}, of a newer program` };
  }
  const settings = settingsSchema.safeParse(value);
  if (settings.success) return { ok: true, settings: settings.data };
  const at = settings.error.issues[0]?.path.join('.') ?? '';
  return { ok: false, problem: at === '' ? 'it is no settings' : `${at} is not valid` };
}

function unwritable(path: string, cause: unknown): SettingsError {
  const message = `${path} cannot be written: ${reasonOf(cause)}. Nothing was changed.`;
  return new SettingsError('unwritable', message, { retryable: true, cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
