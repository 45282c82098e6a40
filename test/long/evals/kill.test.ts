import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longSeed, scaled, seededUniform } from '../scale.ts';

const child = fileURLToPath(new URL('./eval-child.ts', import.meta.url));
const caseCount = 4000;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-kill-'));
  writeFileSync(
    join(folder, 'suite.jsonl'),
    Array.from({ length: caseCount }, (_, index) =>
      JSON.stringify({ id: `case-${index}`, prompt: `Question ${index}` }),
    ).join('\n'),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface RunOptions {
  readonly killAfterMs?: number | null;
  /** Kills the process in the middle of this write, counted from 1, the header's included. */
  readonly killedWrite?: number;
}

/** Runs the evaluation and gives its exit code, null when it was killed. */
function run(results: string, mode: string, options: RunOptions = {}): Promise<number | null> {
  const { killAfterMs = null, killedWrite } = options;
  const args = [child, 'run', join(folder, 'suite.jsonl'), join(folder, results), mode];
  if (killedWrite !== undefined) args.push(String(killedWrite));
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.stdout.once('data', () => {
      if (killAfterMs !== null) setTimeout(() => running.kill('SIGKILL'), killAfterMs);
    });
    running.stdout.resume();
    running.on('error', reject);
    running.on('exit', (code) => resolve(code));
  });
}

describe('an evaluation that is killed', () => {
  it('resumes to the bytes of an uninterrupted one, wherever the kill fell', async () => {
    expect(await run('whole.jsonl', 'fresh')).toBe(0);
    const whole = readFileSync(join(folder, 'whole.jsonl'), 'utf8');
    const random = seededUniform(longSeed());
    let kills = 0;
    for (let round = 0; round < scaled(40); round++) {
      const name = `killed-${round}.jsonl`;
      let mode = 'fresh';
      let code = await run(name, mode, { killAfterMs: 5 + random() * 150 });
      while (code === null) {
        kills += 1;
        const path = join(folder, name);
        const content = existsSync(path) ? readFileSync(path, 'utf8') : '';
        // Killed before its header: nothing to go on with.
        mode = content.includes('\n') ? 'resume' : 'fresh';
        if (mode === 'fresh') rmSync(path, { force: true });
        const killAfterMs = kills % 3 === 0 ? null : 5 + random() * 150;
        code = await run(name, mode, { killAfterMs });
      }
      expect(code).toBe(0);
      expect(readFileSync(join(folder, name), 'utf8')).toBe(whole);
      expect(statSync(join(folder, name)).size).toBe(Buffer.byteLength(whole));
    }
    process.stderr.write(`${kills} kills\n`);
    expect(kills).toBeGreaterThan(0);
  });

  it('resumes after kills inside a write, the header included, each of which left half a line', async () => {
    expect(await run('whole.jsonl', 'fresh')).toBe(0);
    const whole = readFileSync(join(folder, 'whole.jsonl'), 'utf8');
    const path = join(folder, 'torn.jsonl');
    for (const [mode, killedWrite] of [
      ['fresh', 1],
      ['resume', 1],
      ['resume', 2],
      ['resume', 700],
      ['resume', 1],
    ] as const) {
      expect(await run('torn.jsonl', mode, { killedWrite })).toBeNull();
      const torn = readFileSync(path, 'utf8');
      expect(torn).not.toBe('');
      expect(torn.endsWith('\n')).toBe(false);
      expect(whole.startsWith(torn)).toBe(true);
      expect(existsSync(`${path}.lock`)).toBe(true);
    }
    expect(await run('torn.jsonl', 'resume')).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });
});
