import { statfsSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import { Command } from 'commander';
import type { Availability } from '../../../../contracts/profiles.ts';
import { aboutProgram } from '../../../app-about.ts';
import { SettingsFile } from '../../../settings/settings-file.ts';
import { createSystemClock } from '../../system-clock.ts';
import { createSystemRandom } from '../../system-random.ts';
import { openLayout, openRuntime, type GlobalOptions } from '../active-router.ts';
import type { TerminalContext } from '../context.ts';
import { keyStorageText } from '../key-storage-text.ts';
import { openTerminalVault } from '../terminal-vault.ts';
import { paint, styleOf, type TerminalStyle } from '../style.ts';

/** `trinity doctor`: what this machine has, which profiles run here and why others do not. */
export function doctorCommand(context: TerminalContext): Command {
  return new Command('doctor')
    .description('Say what this machine has and what is missing.')
    .option('--json', 'print one JSON object')
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly json?: boolean }>();
      const report = await examine(context, options);
      await tellOfSettings(context, report.dataDirectory);
      context.stdout.write(
        options.json === true
          ? `${JSON.stringify(report)}\n`
          : describe(report, styleOf(context.stdout, context.env)),
      );
    });
}

type Report = Awaited<ReturnType<typeof examine>>;

async function examine(context: TerminalContext, options: GlobalOptions) {
  const layout = openLayout(context, options);
  const runtime = openRuntime(context, layout, options);
  try {
    const disk = statfsSync(layout.dataDirectory);
    return {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
      onnxRuntime: aboutProgram('terminal', layout.dataDirectory).onnxRuntime,
      dataDirectory: layout.dataDirectory,
      freeDiskBytes: disk.bavail * disk.bsize,
      baseFolders: layout.baseFolders,
      profiles: await runtime.profiles({ probe: true }),
      routers: await runtime.list(),
      proxy: proxyOf(context.env),
      keychain: await keyStorageText(
        openTerminalVault(context.env, layout.dataDirectory, createSystemRandom()),
      ),
    };
  } finally {
    await runtime.close();
  }
}

/** This command reads no settings, but it is where a person looks for what is wrong. */
async function tellOfSettings(context: TerminalContext, dataDirectory: string): Promise<void> {
  const clock = createSystemClock();
  const file = new SettingsFile({ dataDirectory, clock, random: createSystemRandom() });
  const problem = await file.problem();
  if (problem !== null) context.stderr.write(`note: ${problem}\n`);
}

const proxyVariables = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
];

/** Names of the proxy variables that are set; their values may hold passwords. */
function proxyOf(env: TerminalContext['env']): string[] {
  return proxyVariables.filter((name) => (env[name] ?? '') !== '');
}

const gigabyte = 2 ** 30;
const gigabytes = (bytes: number): string => `${(bytes / gigabyte).toFixed(1)} GiB`;

function describe(report: Report, style: TerminalStyle): string {
  const rows: [string, string][] = [
    ['Node', report.node],
    ['Machine', `${report.platform}, ${report.cores} x ${report.cpu}`],
    ['Memory', `${gigabytes(report.freeMemoryBytes)} free of ${gigabytes(report.memoryBytes)}`],
    ['Data', `${report.dataDirectory} (${gigabytes(report.freeDiskBytes)} free)`],
    ['Base models', report.baseFolders.join(', ')],
    ['ONNX Runtime', report.onnxRuntime],
    ['Proxy', report.proxy.length === 0 ? 'none' : `set by ${report.proxy.join(', ')}`],
    ['Keys', report.keychain],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...rows.map(([name, value]) => `${paint(style, 'bold', name.padEnd(width))}  ${value}`),
    '',
    paint(style, 'bold', 'Profiles'),
    ...report.profiles.map(({ id, availability }) => `  ${id.padEnd(9)}  ${inWords(availability)}`),
    '',
    paint(style, 'bold', 'Routers'),
    ...(report.routers.length === 0 ? ['  none built yet; `trinity route` builds the demo'] : []),
    ...report.routers.map(
      (router) =>
        `  ${router.id.padEnd(9)}  ${router.status}, ${router.kind}, ${router.adapterRef?.slice(0, 12) ?? router.problem ?? ''}`,
    ),
    '',
  ].join('\n');
}

function inWords(availability: Availability): string {
  switch (availability.state) {
    case 'available':
      return availability.tested ? 'available' : 'available, untested by us on such hardware';
    case 'unavailable':
      return `not here: ${availability.reason}`;
    case 'unprobed':
      return 'not tried';
  }
}
