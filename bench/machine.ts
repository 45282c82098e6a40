import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';

/** What numbers depend on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** Processors with 8-bit dot products run quantised kernels about twice as fast. */
  readonly hasVnni: boolean;
}

export function describeMachine(): Machine {
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    hasVnni: /\bavx_vnni\b|\bavx512_vnni\b/.test(flags),
  };
}

/** The heading of a section of measurements. */
export function headingOf({ cpu, cores, hasVnni }: Machine): string {
  const date = new Date().toISOString().slice(0, 10);
  const kind = hasVnni ? 'with VNNI' : 'without VNNI';
  return `## ${date}, ${cpu}, ${cores} cores, ${kind}, Node ${process.version}`;
}

/** Resident size of a process in bytes, by the system's own count. */
export function residentBytes(pid: number): number {
  if (existsSync(`/proc/${pid}/status`)) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}
