import type { Clock, ProcessLauncher } from '../../contracts/ports.ts';
import { profileIds, type Availability, type ProfileId } from '../../contracts/profiles.ts';
import { RuntimeError } from '../runtime-error.ts';
import { needsProbe, profiles } from '../session/profiles.ts';
import { askApart } from './apart.ts';

/** A driver that says nothing for this long does not work. */
const probeSilenceMs = 60_000;

/** What is known of the profiles on this machine; native providers are tried in processes of their own. */
export class ProfileProbes {
  readonly #launcher: ProcessLauncher;
  readonly #clock: Clock;
  readonly #onLog: ((line: string) => void) | undefined;
  readonly #platform: NodeJS.Platform;
  readonly #known = new Map<ProfileId, Promise<Availability>>();

  constructor(options: {
    readonly launcher: ProcessLauncher;
    readonly clock: Clock;
    readonly onLog?: (line: string) => void;
    readonly platform?: NodeJS.Platform;
  }) {
    this.#launcher = options.launcher;
    this.#clock = options.clock;
    this.#onLog = options.onLog;
    this.#platform = options.platform ?? process.platform;
  }

  /** Whether a profile can be used; tried once for the life of this program. */
  probe(id: ProfileId): Promise<Availability> {
    const known = this.#known.get(id) ?? this.#try(id);
    this.#known.set(id, known);
    return known;
  }

  /** From now on a profile counts as unavailable: it failed at work. */
  ruleOut(id: ProfileId, reason: string): void {
    this.#known.set(id, Promise.resolve({ state: 'unavailable', reason }));
  }

  /** All profiles. Those not tried yet are `unprobed`, unless `probe` asks for it. */
  async all(probe: boolean): Promise<{ id: ProfileId; availability: Availability }[]> {
    const result: { id: ProfileId; availability: Availability }[] = [];
    for (const id of profileIds) {
      const isKnown = probe || this.#known.has(id) || this.#without(id) !== null;
      result.push({ id, availability: isKnown ? await this.probe(id) : { state: 'unprobed' } });
    }
    return result;
  }

  async #try(id: ProfileId): Promise<Availability> {
    const known = this.#without(id);
    if (known !== null) return known;
    try {
      await askApart((requestId) => ({ type: 'probe', id: requestId, profile: id }), {
        launcher: this.#launcher,
        clock: this.#clock,
        onLog: this.#onLog,
        silenceMs: probeSilenceMs,
      });
      return { state: 'available', tested: profiles[id].isTested };
    } catch (error) {
      return { state: 'unavailable', reason: reasonOf(error, profiles[id].name) };
    }
  }

  /** What can be said without trying. */
  #without(id: ProfileId): Availability | null {
    const profile = profiles[id];
    if (!needsProbe(profile)) return { state: 'available', tested: profile.isTested };
    if (profile.platforms === null || profile.platforms.includes(this.#platform)) return null;
    const exists = profile.platforms.map((platform) => systemNames[platform] ?? platform);
    const here = systemNames[this.#platform] ?? this.#platform;
    const reason = `${profile.name} exists on ${exists.join(' and ')}, not on ${here}.`;
    return { state: 'unavailable', reason };
  }
}

/** What a person calls the systems that profiles are for. */
const systemNames: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

function reasonOf(error: unknown, name: string): string {
  if (!(error instanceof RuntimeError)) return String(error);
  return error.code === 'process_died'
    ? `${name} ended the process that tried it: ${error.message}`
    : error.message;
}
