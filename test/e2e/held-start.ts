import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Starts the program as `npm start` does, and ends it when its standard input does: a pipe whose other end is
 * held by the test that started it. A test process that is killed leaves no host behind.
 *
 * For each line on its standard input it says how many bytes it holds on to, after collecting garbage.
 */
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.on('data', () => void process.stdout.write(`held bytes: ${heldBytes()}\n`));
// The pipe alone keeps no program running.
process.stdin.unref();

await import('../../scripts/start.ts');

function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // Twice: what a finaliser lets go in the first is collected in the second.
  if (typeof collect === 'function') for (let round = 0; round < 2; round += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
