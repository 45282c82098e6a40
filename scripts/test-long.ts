import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closeLane, reportsDirectory, runSteps } from './lanes.ts';

/**
 * The long lane: kill storms, soak, big files, deep fuzz. `--scale 0.05` runs every test with that share
 * of its repetitions (a time-boxed slice); `--seed N` repeats a run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help === true) {
  console.log('npm run test:long [-- --scale 0.05] [--seed N] [FILE...]');
} else {
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}, scale ${values.scale}`);
  rmSync(join(reportsDirectory, 'long.json'), { force: true });
  const failed = await runSteps([
    {
      name: 'long tests',
      command: [
        'vitest',
        'run',
        '--project',
        'long',
        ...positionals,
        '--reporter=default',
        '--reporter=json',
        '--outputFile.json=reports/long.json',
      ],
      report: 'long.json',
      env: { TRINITY_LONG_SCALE: values.scale, TRINITY_LONG_SEED: seed },
    },
  ]);
  closeLane(failed, ['long.json']);
}
