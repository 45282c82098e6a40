import { lockInstance } from '../../../main/hosts/instance-lock.ts';

/** Holds the data directory of its argument until it is killed. */
const lock = lockInstance(process.argv[2] ?? '');
if (lock === null) throw new Error('someone else holds it');
await lock.answerWith((ask) => ({ host: 'browser', url: `asked for ${ask}` }));
process.stdout.write('ready\n');
