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

/** Runs the evaluation; with `killAfterMs` the process is killed that long after it began. */
function run(results: string, mode: string, killAfterMs: number | null): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const args = [child, 'run', join(folder, 'suite.jsonl'), join(folder, results), mode];
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
    expect(await run('whole.jsonl', 'fresh', null)).toBe(0);
    const whole = readFileSync(join(folder, 'whole.jsonl'), 'utf8');
    const random = seededUniform(longSeed());
    const torn: number[] = [];
    let kills = 0;
    for (let round = 0; round < scaled(40); round++) {
      const name = `killed-${round}.jsonl`;
      let mode = 'fresh';
      let code = await run(name, mode, 5 + random() * 150);
      while (code === null) {
        kills += 1;
        const path = join(folder, name);
        const content = existsSync(path) ? readFileSync(path, 'utf8') : '';
        if (content !== '' && !content.endsWith('\n')) torn.push(content.length);
        // Killed before its header: nothing to go on with.
        mode = content.includes('\n') ? 'resume' : 'fresh';
        if (mode === 'fresh') rmSync(path, { force: true });
        code = await run(name, mode, kills % 3 === 0 ? null : 5 + random() * 150);
      }
      expect(code).toBe(0);
      expect(readFileSync(join(folder, name), 'utf8')).toBe(whole);
      expect(statSync(join(folder, name)).size).toBe(Buffer.byteLength(whole));
    }
    process.stderr.write(`${kills} kills, ${torn.length} of them inside a write\n`);
    expect(kills).toBeGreaterThan(0);
  });

  it('resumes from a line that was cut inside its write', async () => {
    expect(await run('cut.jsonl', 'fresh', null)).toBe(0);
    const whole = readFileSync(join(folder, 'cut.jsonl'), 'utf8');
    const middle = whole.indexOf('\n', whole.length / 2) + 40;
    writeFileSync(join(folder, 'cut.jsonl'), whole.slice(0, middle));
    expect(await run('cut.jsonl', 'resume', null)).toBe(0);
    expect(readFileSync(join(folder, 'cut.jsonl'), 'utf8')).toBe(whole);
  });
});
