import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closeLane, reportsDirectory, runSteps, type Step } from './lanes.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});

const vitest = (report: string, ...projects: string[]): string[] => [
  'vitest',
  'run',
  ...projects.flatMap((project) => ['--project', project]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=reports/${report}`,
];

const groups: Readonly<Record<string, readonly Step[]>> = {
  static: [
    { name: 'types', command: ['npm', 'run', '-s', 'typecheck'] },
    { name: 'lint, import rules, format', command: ['npm', 'run', '-s', 'lint'] },
  ],
  unit: [
    {
      name: 'unit and component tests',
      command: vitest('unit.json', 'unit', 'renderer'),
      report: 'unit.json',
    },
  ],
  integration: [
    {
      name: 'integration tests',
      command: vitest('integration.json', 'integration'),
      report: 'integration.json',
    },
  ],
  e2e: [
    { name: 'build', command: ['npm', 'run', '-s', 'build'] },
    {
      name: 'end-to-end tests',
      command: ['playwright', 'test'],
      report: 'e2e.json',
      env: { PLAYWRIGHT_JSON_OUTPUT_NAME: join(reportsDirectory, 'e2e.json') },
    },
  ],
};

if (values.help === true) {
  console.log(`npm test [-- --only ${Object.keys(groups).join('|')}]`);
} else if (values.only !== undefined && groups[values.only] === undefined) {
  console.error(`unknown group ${values.only}: one of ${Object.keys(groups).join(', ')}`);
  process.exitCode = 2;
} else {
  const steps = values.only === undefined ? Object.values(groups).flat() : groups[values.only]!;
  const reports = steps.flatMap((step) => step.report ?? []);
  for (const report of reports) rmSync(join(reportsDirectory, report), { force: true });
  closeLane(await runSteps(steps), reports);
}
