import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./stream-until-killed.ts', import.meta.url));

/** Starts a program that streams a run into a data directory, and waits until it has printed `lines`. */
export async function streamingProgram(
  dataDirectory: string,
  lines: number,
): Promise<{ kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [program, dataDirectory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await printed(child, lines);
  return {
    kill: async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The output stays open: a program whose reader leaves would end by itself. */
function printed(child: ChildProcess, lines: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.split('\n').length > lines) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the program ended by itself: ${code}`)));
  });
}

/** Numbers that a counting answer holds; throws when it is anything but a beginning of the count. */
export function countedTo(text: string): number {
  const numbers = text.trim().split(' ');
  numbers.forEach((number, index) => {
    if (number !== String(index)) throw new Error(`${number} stands at ${index}`);
  });
  return numbers.length;
}
