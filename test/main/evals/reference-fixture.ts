import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCase } from '../../../main/evals/case-parser.ts';
import type { EvalCase } from '../../../contracts/evals.ts';

const folder = fileURLToPath(new URL('../../../../shared/data', import.meta.url));

/** The published suite and snapshot, where this machine has them. */
export const referencePaths = {
  cases: join(folder, 'router_prompt_eval_cases.json'),
  snapshot: join(folder, 'router_prompt_eval_snapshot_cuda.json'),
};

export const hasReference = existsSync(referencePaths.cases) && existsSync(referencePaths.snapshot);
export const noReference = 'the published evaluation fixture is not on this machine';

export interface RawSnapshotCase {
  id: string;
  agent_id: number;
  role_id: number;
  token_count: number;
  agent_margin: number;
  role_margin: number;
  agent_logits_rounded: number[];
  role_logits_rounded: number[];
  transcript_hash: string;
  route_hash: string;
}

/** The snapshot's cases as they stand in the file. */
export function rawSnapshot(): RawSnapshotCase[] {
  return (JSON.parse(readFileSync(referencePaths.snapshot, 'utf8')) as { cases: RawSnapshotCase[] })
    .cases;
}

/** The suite's cases, parsed. */
export function referenceCases(): EvalCase[] {
  const file = JSON.parse(readFileSync(referencePaths.cases, 'utf8')) as { cases: unknown[] };
  return file.cases.map((value) => {
    const parsed = parseCase(value);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.value;
  });
}
