import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { adaptationLane } from './adaptation.ts';
import { hostileTextLane } from './hostile-text.ts';
import { isBroken, type BenchLane } from './lane.ts';
import { describeMachine, headingOf } from './machine.ts';
import { recordInDocs, reportMarkdown } from './report.ts';
import { routerLane } from './router.ts';
import { stopLane } from './stop.ts';

const lanes: readonly BenchLane[] = [routerLane, hostileTextLane, adaptationLane, stopLane];
const projectRoot = fileURLToPath(new URL('..', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repetitions: { type: 'string', default: '7' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const unknown = positionals.filter((name) => !lanes.some((lane) => lane.name === name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no lane ${unknown.join(', ')}.`);
  console.log('npm run bench [-- LANE... --repetitions N --record]\n');
  for (const { name, about } of lanes) console.log(`  ${name}  ${about}`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  await runLanes(
    lanes.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
  );
}

async function runLanes(chosen: readonly BenchLane[]): Promise<void> {
  const workFolder = join(projectRoot, 'reports', 'bench');
  mkdirSync(workFolder, { recursive: true });
  const sections = [headingOf(describeMachine())];
  for (const lane of chosen) {
    console.log(`== ${lane.name}: ${lane.about}`);
    const report = await lane.run({
      workFolder,
      repetitions: Number(values.repetitions),
      say: (line) => console.log(`   ${line}`),
    });
    sections.push(reportMarkdown(lane.name, report));
    console.log(`\n${sections.at(-1)}\n`);
    if (report.bars.some(isBroken)) process.exitCode = 1;
  }
  if (values.record) recordInDocs(projectRoot, sections.join('\n\n'));
}
