import type { Notice, SettingsChange, StartOverrides } from '../../contracts/app/settings.ts';
import { settingsSchema, type Settings } from '../../contracts/settings.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { SettingsError } from './errors.ts';
import { defaultSettings, type SettingsFile } from './settings-file.ts';

/** The settings in use. Changes are written before they are used, one after the other. */
export class SettingsService {
  readonly #file: SettingsFile | null;
  #revision: string | null;
  #current: Settings;
  #lastChange: Promise<unknown> = Promise.resolve();
  readonly #notices: Notice[];

  private constructor(file: SettingsFile | null, settings: Settings, notices: readonly Notice[]) {
    this.#file = file;
    this.#current = settings;
    this.#revision = file?.revision() ?? null;
    this.#notices = [...notices];
  }

  /** Loads the settings. @throws SettingsError `unreadable`, `unwritable` */
  static async open(file: SettingsFile): Promise<SettingsService> {
    const { settings, notice } = await file.load();
    return new SettingsService(file, settings, notice === null ? [] : [notice]);
  }

  /** Settings that no file keeps. */
  static inMemory(settings: Settings = defaultSettings()): SettingsService {
    return new SettingsService(null, settings, []);
  }

  /**
   * These settings with other members for this start: what changes from now on is not stored.
   *
   * @throws SettingsError `invalid`
   */
  forThisStart(overrides: StartOverrides): SettingsService {
    const settings = checked(mergedGroups(this.#current, overrides));
    return new SettingsService(null, settings, this.#notices);
  }

  /** What loading had to say. */
  get notices(): readonly Notice[] {
    return this.#notices;
  }

  /** The settings as they are now: what another program has written to the file is taken in. */
  get current(): Settings {
    const revision = this.#file?.revision() ?? null;
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#current = this.#file?.peek() ?? this.#current;
    }
    return this.#current;
  }

  /** Replaces the members given. @throws SettingsError `invalid`, `unwritable`: then nothing changes */
  update(change: SettingsChange): Promise<Settings> {
    return this.#change((settings) => ({ ...settings, ...withoutAbsent(change) }));
  }

  /** Replaces the slots' bindings. @throws SettingsError `invalid`, `unwritable` */
  updateSlots(
    change: (slots: readonly SlotBinding[]) => readonly SlotBinding[],
  ): Promise<Settings> {
    return this.#change((settings) => ({ ...settings, slots: [...change(settings.slots)] }));
  }

  #change(change: (settings: Settings) => Settings): Promise<Settings> {
    const result = this.#lastChange.then(() => this.#apply(change));
    // A refused change must not refuse the ones after it; its caller has the error.
    this.#lastChange = result.catch(() => undefined);
    return result;
  }

  async #apply(change: (settings: Settings) => Settings): Promise<Settings> {
    // A terminal program beside this one may have changed the file.
    const before = this.#file === null ? this.#current : await this.#reload(this.#file);
    const settings = checked(change(before));
    await this.#file?.save(settings);
    this.#current = settings;
    this.#revision = this.#file?.revision() ?? null;
    return settings;
  }

  async #reload(file: SettingsFile): Promise<Settings> {
    const { settings, notice } = await file.load();
    if (notice !== null) this.#notices.push(notice);
    return settings;
  }
}

function checked(settings: object): Settings {
  const parsed = settingsSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new SettingsError('invalid', `${where}: ${issue?.message ?? 'not valid'}`, {
    cause: parsed.error,
  });
}

/** Settings with overrides in place; of a group, only the members given are replaced. */
function mergedGroups(settings: Settings, overrides: StartOverrides): object {
  const stored: Readonly<Record<string, unknown>> = settings;
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const merged = given.map(([member, value]) => {
    const before = stored[member];
    const isGroup = typeof value === 'object' && typeof before === 'object';
    return [member, isGroup ? { ...before, ...value } : value] as const;
  });
  return { ...settings, ...Object.fromEntries(merged) };
}

function withoutAbsent(change: SettingsChange): Partial<Settings> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
