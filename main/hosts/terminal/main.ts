import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createForkLauncher } from '../fork-launcher.ts';
import { runTerminal } from './program.ts';

const interrupt = new AbortController();
process.once('SIGINT', () => {
  interrupt.abort();
  // A second Ctrl-C ends a command that does not stop by itself.
  process.once('SIGINT', () => process.exit(130));
});
// A reader that went away (`trinity ... | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const packageFile = new URL('../../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

process.exitCode = await runTerminal(
  process.argv.slice(2),
  {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    signal: interrupt.signal,
    launcher: createForkLauncher({ env: process.env }),
  },
  version,
);
