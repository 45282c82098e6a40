import { open, type FileHandle } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { evaluate } from '../../../main/evals/evaluation.ts';
import { everyCase } from '../../../main/evals/selection.ts';
import { inspectSuite } from '../../../main/evals/suite.ts';
import { openResults } from '../../../main/evals/result-source.ts';
import { SidesFold } from '../../../main/evals/compared-sides.ts';
import { ComparisonFold, compareCases } from '../../../main/evals/comparison.ts';
import { routeLogits } from '../../main/evals/scripted-router.ts';

/**
 * A process of its own for tests that kill it or measure its memory: `inspect SUITE`,
 * `compare LEFT RIGHT`, or `run SUITE RESULTS fresh|resume [WRITE]`, which is killed when the numbered write
 * has reached its middle. Prints one JSON line.
 */
const [what = '', first = '', second = '', third, killedWrite] = process.argv.slice(2);
const print = (value: object): void => {
  const rssBytes = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(`${JSON.stringify({ ...value, rssBytes })}\n`);
};

if (what === 'inspect') {
  const report = await inspectSuite(first);
  const lines = report.diagnostics.map((diagnostic) => diagnostic.line);
  print({ caseCount: report.caseCount, lines });
} else if (what === 'compare') {
  const sources = [await openResults(first), await openResults(second)] as const;
  const fold = new ComparisonFold();
  const sides = new SidesFold();
  for await (const comparison of compareCases(...sources)) {
    fold.add(comparison);
    sides.add(comparison);
  }
  sides.result();
  for (const source of sources) await source.close();
  print(fold.result());
} else if (what === 'run') {
  if (killedWrite !== undefined) await killInsideWrite(Number(killedWrite));
  const events = evaluate({
    suitePath: first,
    selection: everyCase,
    identity: {
      adapterRef: 'a'.repeat(64),
      profile: 'cpu-f32',
      graphVersion: 1,
      machine: { platform: 'test', arch: 'test', cpu: 'test', cores: 1 },
    },
    resultsPath: second,
    isResumed: third === 'resume',
    clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
    router: {
      route: ({ messages }) =>
        Promise.resolve(
          routeLogits(messages, { agentLogits: [1, 2, 3], roleLogits: [3, 2, 1], tokenCount: 9 }),
        ),
    },
    floors: { agent: null, role: null, source: 'none' },
    snapshot: null,
    isReportOnly: true,
    determinismRuns: 1,
    tokenizer: 'typed',
    signal: new AbortController().signal,
  });
  process.stdout.write('begun\n');
  for await (const event of events) if (event.type === 'finished') print(event.summary);
}

/** Makes the given append of any file write half of its bytes and kill this process then and there. */
async function killInsideWrite(number: number): Promise<void> {
  const some = await open(fileURLToPath(import.meta.url), 'r');
  const handles = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const { appendFile } = handles;
  let writes = 0;
  handles.appendFile = async function (this: FileHandle, bytes) {
    writes += 1;
    if (writes < number) return appendFile.call(this, bytes);
    const line = bytes as Buffer;
    await this.write(line.subarray(0, line.length / 2));
    process.kill(process.pid, 'SIGKILL');
  };
}
