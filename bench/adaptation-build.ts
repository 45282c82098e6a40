/**
 * One full export in this process, for the adaptation lane: prints its processor seconds, its largest resident
 * size and the seconds by stage as one line of JSON. Usage: node adaptation-build.ts '<export request>'
 */
import { isMainThread } from 'node:worker_threads';
import { exportRequestSchema } from '../contracts/build.ts';
import { runBuildRequest } from '../model-runtime/artifact/run-request.ts';

export interface BuildMeasurement {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly maxRssBytes: number;
}

if (isMainThread && process.argv[2] !== undefined) {
  const request = exportRequestSchema.parse(JSON.parse(process.argv[2]));
  const startedAt = performance.now();
  await runBuildRequest(request, {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    signal: new AbortController().signal,
    emit: () => undefined,
  });
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const measurement: BuildMeasurement = {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    wallSeconds: (performance.now() - startedAt) / 1000,
    maxRssBytes: maxRSS * 1024,
  };
  process.stdout.write(JSON.stringify(measurement));
}
