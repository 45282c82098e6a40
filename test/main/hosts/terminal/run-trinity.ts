import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../../../main/hosts/terminal/main.ts', import.meta.url));

export interface TrinityRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the terminal program as a person would, in a process of its own, with nothing on stdin or `input`. */
export function runTrinity(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
    /** Sends Ctrl-C once this has been printed. */
    readonly interruptAt?: RegExp;
  } = {},
): Promise<TrinityRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm', ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let isInterrupted = false;
    child.stdin?.end(options.input);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (isInterrupted || options.interruptAt?.test(stdout) !== true) return;
      isInterrupted = true;
      child.kill('SIGINT');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
