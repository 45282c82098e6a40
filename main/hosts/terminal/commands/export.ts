import { basename, extname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { exportRequestSchema, type ExportRequest } from '../../../../contracts/build.ts';
import { embeddingReadings } from '../../../../contracts/manifest.ts';
import type { DataLayout } from '../../data-layout.ts';
import { openLayout, type GlobalOptions } from '../active-router.ts';
import { reportBuild } from '../build-report.ts';
import type { TerminalContext } from '../context.ts';

interface ExportOptions extends GlobalOptions {
  readonly base: string;
  readonly vector: string;
  readonly out?: string;
  readonly embedding: ExportRequest['embedding'];
  readonly layers?: number[];
  readonly agents: number;
  readonly labels?: string;
  readonly dtype: 'bf16' | 'f32';
  readonly withLmHead?: boolean;
  readonly onlyTensor?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly workers?: number;
  readonly json?: boolean;
}

/** `trinity export`: builds a router from a base model and an evolved vector. */
export function exportCommand(context: TerminalContext): Command {
  return new Command('export')
    .description(
      'Build a router from a base model and an evolved vector. Run again, it goes on where it stopped.',
    )
    .requiredOption('--base <dir>', 'folder of the base model (a Hugging Face snapshot)')
    .requiredOption('--vector <file>', 'router vector, safetensors or npy')
    .option(
      '--out <dir>',
      'router directory (default: named after the vector, in the data directory)',
    )
    .addOption(
      new Option('--embedding <reading>', 'how the offsets of the tied embedding are read')
        .choices(embeddingReadings)
        .default('untied'),
    )
    .option('--layers <list>', 'adapted layers, such as 26 (default: the last but one)', layerList)
    .option('--agents <n>', 'agents among the outputs of the head', wholeNumber, 7)
    .option('--labels <list>', 'names of the agents, with commas between')
    .addOption(
      new Option('--dtype <type>', 'stored form of the layers')
        .choices(['bf16', 'f32'])
        .default('bf16'),
    )
    .option('--with-lm-head', 'also write the adapted language head (routing does not need it)')
    .option('--only-tensor <name>', 'build this tensor only; the router stays partial')
    .option('--dry-run', 'check everything, write nothing')
    .option('--force', 'replace the router that is there, once the new one is complete')
    .option('--workers <n>', 'worker threads (default: one per core, four at most)', wholeNumber)
    .option('--json', 'print every event as one line of JSON')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>();
      const request = requestOf(options, openLayout(context, options));
      const manifest = await reportBuild(context, request, options);
      if (options.json === true || manifest?.status !== 'complete') return;
      const isOurs = options.out === undefined;
      const name = isOurs ? basename(request.out) : request.out;
      context.stdout.write(
        `route with it: trinity route --router ${quoted(name)} --base ${quoted(request.base)} "..."\n`,
      );
    });
}

function requestOf(options: ExportOptions, layout: DataLayout): ExportRequest {
  const vector = resolve(options.vector);
  const id = basename(vector, extname(vector)).replace(/[^0-9A-Za-z_.-]/g, '_') || 'router';
  return exportRequestSchema.parse({
    kind: 'export',
    base: resolve(options.base),
    vector,
    out: options.out === undefined ? join(layout.routers, id) : resolve(options.out),
    embedding: options.embedding,
    layers: options.layers ?? null,
    agents: options.agents,
    labels:
      options.labels === undefined ? null : options.labels.split(',').map((label) => label.trim()),
    dtype: options.dtype === 'f32' ? 'F32' : 'BF16',
    withLmHead: options.withLmHead ?? false,
    onlyTensor: options.onlyTensor ?? null,
    dryRun: options.dryRun ?? false,
    force: options.force ?? false,
    workers: options.workers ?? null,
    cacheDirectory: layout.cache,
  });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 256) {
    throw new InvalidArgumentError('a whole number from 1 to 256');
  }
  return value;
}

function layerList(text: string): number[] {
  const layers = text.split(',').map((part) => part.trim());
  if (!layers.every((part) => /^\d{1,4}$/.test(part))) {
    throw new InvalidArgumentError('layer numbers with commas between');
  }
  return layers.map(Number);
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
