import { createInterface } from 'node:readline/promises';
import { basename, extname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { headRequestSchema, importRequestSchema } from '../../../../contracts/build.ts';
import type { RouterManifest, RouterSummary } from '../../../../contracts/manifest.ts';
import {
  listRouters,
  readManifest,
  removeRouterDirectory,
  resolveRouter,
  verifyRouter,
} from '../../../../model-runtime/client.ts';
import { openLayout, withRouter, type GlobalOptions } from '../active-router.ts';
import { reportBuild } from '../build-report.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { manifestText, routerTable } from '../router-text.ts';

type JsonOption = GlobalOptions & { readonly json?: boolean };

/** `trinity models`: the routers on disk. The disk is the truth: nothing is remembered about them elsewhere. */
export function modelsCommand(context: TerminalContext): Command {
  return new Command('models')
    .description('List, show, check, import and remove routers on disk.')
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(importCommand(context))
    .addCommand(demoCommand(context))
    .addCommand(removeCommand(context));
}

function listCommand(context: TerminalContext): Command {
  return new Command('list')
    .description('List the routers of the data directory.')
    .option('--json', 'print one JSON list')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      const routers: readonly RouterSummary[] = await listRouters(
        openLayout(context, options).routers,
      );
      context.stdout.write(
        options.json === true ? `${JSON.stringify(routers)}\n` : routerTable(routers),
      );
    });
}

function showCommand(context: TerminalContext): Command {
  return new Command('show')
    .description('Show what a router was made of, tensor by tensor.')
    .argument('<name>', 'id of `trinity models list`, or a path')
    .option('--json', 'print its manifest')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      const { directory } = await named(context, options, name);
      const manifest: RouterManifest = await readManifest(directory);
      context.stdout.write(
        options.json === true ? `${JSON.stringify(manifest)}\n` : manifestText(directory, manifest),
      );
    });
}

function verifyCommand(context: TerminalContext): Command {
  return new Command('verify')
    .description('Read every byte of a router and its base and compare digests.')
    .argument('<name>', 'id of `trinity models list`, or a path')
    .option('--base <dir>', 'folder of the base model')
    .option('--vector <file>', 'the vector it was built from, to check each tensor’s c by')
    .option('--json', 'print one JSON list')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        JsonOption & { readonly base?: string; readonly vector?: string }
      >();
      const layout = openLayout(context, options);
      const { directory } = await named(context, options, name);
      const folders = [...(options.base ? [resolve(options.base)] : []), ...layout.baseFolders];
      const items = await verifyRouter(
        directory,
        folders,
        options.vector === undefined ? null : resolve(context.cwd, options.vector),
      );
      if (options.json === true) context.stdout.write(`${JSON.stringify(items)}\n`);
      else {
        for (const { item, problem } of items) {
          context.stdout.write(
            `${problem === null ? 'ok  ' : 'BAD '} ${item}${problem === null ? '' : `: ${problem}`}\n`,
          );
        }
      }
      const bad = items.filter(({ problem }) => problem !== null);
      if (bad.length > 0) {
        throw new CommandFailed(`${bad.length} of ${items.length} are not as they should be`);
      }
    });
}

function importCommand(context: TerminalContext): Command {
  return new Command('import')
    .description(
      "Make a router of a bundle in upstream's format (a folder), or of a head (a safetensors file) and a base.",
    )
    .argument('<path>', 'folder of the bundle, or file of the head')
    .requiredOption('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .option(
      '--out <dir>',
      'router directory (default: named after the path, in the data directory)',
    )
    .option('--with-lm-head', "also keep the bundle's language head (routing does not need it)")
    .option('--force', 'replace the router that is there, once the new one is complete')
    .option('--json', 'print every event as one line of JSON')
    .action(async (path: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        JsonOption & {
          readonly base: string;
          readonly out?: string;
          readonly withLmHead?: boolean;
          readonly force?: boolean;
        }
      >();
      const layout = openLayout(context, options);
      const source = resolve(path);
      const isHead = extname(source) === '.safetensors';
      const id = basename(source, '.safetensors').replace(/[^0-9A-Za-z_.-]/g, '_');
      const common = {
        base: resolve(options.base),
        out: options.out === undefined ? join(layout.routers, id) : resolve(options.out),
        force: options.force ?? false,
        cacheDirectory: layout.cache,
      };
      const request = isHead
        ? headRequestSchema.parse({ kind: 'base+head', ...common, head: source })
        : importRequestSchema.parse({
            kind: 'import',
            ...common,
            bundle: source,
            withLmHead: options.withLmHead ?? false,
          });
      await reportBuild(context, request, options);
    });
}

function demoCommand(context: TerminalContext): Command {
  return new Command('demo')
    .description(
      'Build the demo router if it is not there: small, untrained, for trying things out.',
    )
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const choice = { ...options, router: 'demo', profile: 'cpu-f32' } as const;
      await withRouter(context, choice, async (_router, layout) => {
        context.stdout.write(`${join(layout.routers, 'demo')}\n`);
      });
    });
}

function removeCommand(context: TerminalContext): Command {
  return new Command('remove')
    .description('Remove a router directory. Its base stays.')
    .argument('<name>', 'id of `trinity models list`, or a path')
    .option('--yes', 'do not ask')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly yes?: boolean }>();
      const { directory } = await named(context, options, name);
      if (options.yes !== true && !(await isConfirmed(context, directory))) {
        throw new CommandFailed('nothing was removed');
      }
      await removeRouterDirectory(directory);
      context.stdout.write(`removed ${directory}\n`);
    });
}

async function named(context: TerminalContext, options: GlobalOptions, name: string) {
  return resolveRouter(name, openLayout(context, options).routers);
}

async function isConfirmed(context: TerminalContext, directory: string): Promise<boolean> {
  if (context.stdout.isTTY !== true)
    throw new UsageError('say --yes to remove without being asked');
  const lines = createInterface({ input: context.stdin });
  try {
    context.stdout.write(`remove ${directory}? [y/N] `);
    const line = await lines[Symbol.asyncIterator]().next();
    return line.done !== true && /^y(es)?$/i.test(line.value.trim());
  } finally {
    lines.close();
  }
}
