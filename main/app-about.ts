import type { About } from '../contracts/app/settings.ts';
import program from '../package.json' with { type: 'json' };

/** What the program says of itself. */
export function aboutProgram(host: About['host'], dataDirectory: string): About {
  return {
    name: program.productName,
    version: program.version,
    host,
    platform: `${process.platform} ${process.arch}`,
    dataDirectory,
    node: process.versions.node,
    onnxRuntime: program.dependencies['onnxruntime-node'],
  };
}
