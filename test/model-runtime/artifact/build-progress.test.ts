import { expect, it } from 'vitest';
import type { BuildEvent } from '../../../contracts/build.ts';
import { BuildProgress } from '../../../model-runtime/artifact/build-progress.ts';

it('tells the beginning and the end of every stage, and seldom what lies between', () => {
  const events: BuildEvent[] = [];
  const time = { now: 0 };
  const progress = new BuildProgress({ monotonic: () => time.now }, (event) => events.push(event));
  progress.expect([
    { tensor: 't', stage: 'gram', cost: 3 },
    { tensor: 't', stage: 'eigen', cost: 1 },
  ]);
  for (const fraction of [0, 0.2, 0.4, 1]) progress.report('t', 'gram', fraction);
  progress.report('t', 'eigen', 0);
  time.now = 60_000;
  progress.report('t', 'eigen', 0.5);
  const told = events.map((event) =>
    event.type === 'progress' ? [event.stage, event.stageFraction, event.fraction] : [],
  );
  expect(told).toEqual([
    ['gram', 0, 0],
    ['gram', 1, 0.75],
    ['eigen', 0, 0.75],
    ['eigen', 0.5, 0.875],
  ]);
});
