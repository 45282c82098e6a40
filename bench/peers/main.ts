import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isBroken } from '../lane.ts';
import { recordInDocs, reportMarkdown } from '../report.ts';
import { describeMachine, headingOf } from '../machine.ts';
import { installLlama } from './llama.ts';
import { measurePeers } from './peers.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '7' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log('npm run bench:peers [-- --repetitions N --record]');
} else {
  const say = (line: string): void => console.log(`   ${line}`);
  const workFolder = join(projectRoot, 'reports', 'bench');
  mkdirSync(workFolder, { recursive: true });
  installLlama(say);
  const report = await measurePeers({ workFolder, repetitions: Number(values.repetitions), say });
  const section = `${headingOf(describeMachine())}\n\n${reportMarkdown('peers', report)}`;
  console.log(`\n${section}\n`);
  if (values.record) recordInDocs(projectRoot, section);
  // llama.cpp's threads keep the process alive.
  process.exit(report.bars.some(isBroken) ? 1 : 0);
}
