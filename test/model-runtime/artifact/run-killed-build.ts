import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BuildStage } from '../../../contracts/build.ts';
import type { KilledBuild, OperationCounts } from './killed-build.ts';

const script = fileURLToPath(new URL('./killed-build.ts', import.meta.url));

/**
 * How a build that was to kill itself ended: by the signal, with the stage that its tensor was in where it was
 * to die in one (null: between two), or with its counts when it got to its end.
 */
export type KilledEnd =
  | { readonly isKilled: true; readonly stage: BuildStage | null }
  | { readonly isKilled: false; readonly counts: OperationCounts };

export function runKilledBuild(build: KilledBuild): Promise<KilledEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(build)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') {
        const { stage } = JSON.parse(stdout || '{"stage":null}') as { stage: BuildStage | null };
        resolve({ isKilled: true, stage });
      } else if (code === 0)
        resolve({ isKilled: false, counts: JSON.parse(stdout) as OperationCounts });
      else reject(new Error(`the build failed: ${stderr}`));
    });
  });
}
