import { Command } from 'commander';
import { dataDirectoryPath } from '../../data-directory.ts';
import { askInstance } from '../../instance-lock.ts';
import type { GlobalOptions } from '../active-router.ts';
import { CommandFailed, type TerminalContext } from '../context.ts';

/** `trinity url`: a fresh one-time address of the browser host that runs. */
export function urlCommand(context: TerminalContext): Command {
  return new Command('url')
    .description('Print a fresh one-time address of the browser host that is running.')
    .action(async (_options: unknown, command: Command) => {
      const { dataDir } = command.optsWithGlobals<GlobalOptions>();
      const directory = dataDirectoryPath(dataDir);
      const answer = await askInstance(directory, 'url');
      if (answer === null) {
        throw new CommandFailed(`Trinity Desktop is not running on ${directory}: npm start.`);
      }
      if (answer.url === null) {
        throw new CommandFailed('The desktop app is running: it has a window and no address.');
      }
      context.stdout.write(`${answer.url}\n`);
    });
}
