import type { HeadRequest } from '../../contracts/build.ts';
import type { RouterManifest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { baseIdentity, openBase } from './base-checkpoint.ts';
import { prepareDirectory } from './build-directory.ts';
import type { ManifestDraft } from './build-inputs.ts';
import { intoDirectory } from './build-target.ts';
import type { BuildTools } from './build-tools.ts';
import { readHead, writeHead } from './head-file.ts';
import { refuseFinished } from './import.ts';
import { writeManifest } from './manifest-file.ts';
import { agentLabels, checkedLabels } from './published-router.ts';

/**
 * Makes a router directory of an unadapted base and a head.
 *
 * @throws BuildError `base_invalid`, `head_invalid`, `already_there`, and those of intoDirectory(); WeightsError
 */
export async function buildBaseHead(
  request: HeadRequest,
  tools: BuildTools,
): Promise<RouterManifest> {
  const startedAt = tools.clock.monotonic();
  const base = await openBase(request.base);
  const head = await readHead(request.head, base.config.hiddenSize);
  const count = head.shape[0] - roleNames.length;
  const labels = checkedLabels(request.labels, count) ?? agentLabels(count);
  const manifest = await intoDirectory(request, tools, async (directory) => {
    await refuseFinished(directory, tools);
    await prepareDirectory(directory);
    const asked = { repo: request.baseRepo, revision: request.baseRevision };
    const draft: ManifestDraft = {
      format: 'trinity-router',
      version: 1,
      status: 'partial',
      kind: 'base+head',
      base: await baseIdentity(base, tools.digests, asked),
      agents: { count, labels: [...labels] },
      roles: [...roleNames],
      head: { kind: 'linear', shape: head.shape },
      adaptation: { embedding: null, vectorSha256: null, algorithm: 'none', tensors: [] },
      files: [],
    };
    await writeManifest(directory, draft, tools.files);
    const files = [await writeHead(directory, head, tools.files)];
    return writeManifest(directory, { ...draft, status: 'complete', files }, tools.files);
  });
  tools.emit({ type: 'finished', ms: tools.clock.monotonic() - startedAt, manifest });
  return manifest;
}
