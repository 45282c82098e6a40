import type { AdaptedTensor, RouterManifest, RouterSummary } from '../../../contracts/manifest.ts';
import { plainLine } from './evals/plain-line.ts';

/** Routers as lines: id, kind, status, size, agents, identity. */
export function routerTable(routers: readonly RouterSummary[]): string {
  if (routers.length === 0) {
    return 'no routers: build one with `trinity export`, or the demo with `trinity models demo`\n';
  }
  const width = Math.max(...routers.map(({ id }) => id.length));
  return routers
    .map(({ id, kind, status, bytes, agentCount, adapterRef, problem }) => {
      const size = `${(bytes / 1e6).toFixed(1)} MB`.padStart(10);
      const identity = adapterRef?.slice(0, 12) ?? '-';
      const line = `${id.padEnd(width)}  ${kind.padEnd(9)} ${status.padEnd(8)} ${size}  ${agentCount} agents  ${identity}`;
      const problemLine = problem === null ? '' : `  ${plainLine(problem)}\n`;
      return `${plainLine(line)}\n${problemLine}`;
    })
    .join('');
}

/** What a router was made of, for a person. Routers are passed on: nothing that a manifest says steers the terminal. */
export function manifestText(directory: string, manifest: RouterManifest): string {
  const { base, head, adaptation, agents, files } = manifest;
  const lines = [
    `${directory}`,
    `router       ${manifest.kind}, ${manifest.status}, identity ${manifest.adapterRef}`,
    `base         ${base.repo} at ${base.revision}`,
    ...base.files.map(({ path, sha256 }) => `             ${path} ${sha256}`),
    `head         ${head.kind} [${head.shape.join(', ')}]`,
    `agents       ${agents.labels.map((label, index) => `${index} ${label}`).join('; ')}`,
    `roles        ${manifest.roles.join(', ')}`,
    `adaptation   ${adaptation.algorithm}, embedding ${adaptation.embedding ?? 'untouched'}`,
    `vector       ${adaptation.vectorSha256 ?? '-'}`,
    ...tensorLines(adaptation.tensors),
    ...files.map(({ path, bytes, sha256 }) => `file         ${path}, ${bytes} bytes, ${sha256}`),
  ];
  return `${lines.map(plainLine).join('\n')}\n`;
}

function tensorLines(tensors: readonly AdaptedTensor[]): string[] {
  if (tensors.length === 0) return [];
  return tensors.flatMap(
    ({ name, shape, dtype, offsets, status, offsetsL1, c, singularValues }) => {
      const facts = [
        `offsets ${offsets[0]}-${offsets[1]}`,
        ...(offsetsL1 === null ? [] : [`sum |d| ${offsetsL1.toFixed(4)}`]),
        ...(c === null ? [] : [`c ${c.toFixed(8)}`]),
        ...(singularValues === null
          ? []
          : [
              `S ${singularValues.largest.toPrecision(6)} to ${singularValues.smallest.toPrecision(4)}`,
            ]),
      ];
      return [
        `tensor       ${name} [${shape.join(', ')}] ${dtype}, ${status}`,
        `             ${facts.join(', ')}`,
      ];
    },
  );
}
