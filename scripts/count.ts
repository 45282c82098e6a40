import { readdirSync } from 'node:fs';
import { closeLane, reportsDirectory } from './lanes.ts';

/** Prints one closing line over every report of this run. */
closeLane(
  [],
  readdirSync(reportsDirectory).filter((name) => name.endsWith('.json')),
);
