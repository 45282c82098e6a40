/**
 * Compiles the linear algebra kernel (model-runtime/adaptation/kernel/*.as) to WebAssembly and writes it,
 * with its hash, to module.ts beside it. A test compiles it again and compares the hash.
 *
 * Usage: node scripts/build-kernel.ts
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = new URL('../model-runtime/adaptation/kernel/', import.meta.url);

/**
 * The kernel's WebAssembly module, compiled from source. The compiler only knows `.ts`: its reads are
 * answered from the `.as` files, which keeps AssemblyScript out of the project's own type check.
 *
 * @throws Error with the compiler's messages
 */
export async function compileKernel(): Promise<Uint8Array> {
  const output: { binary?: Uint8Array } = {};
  const flags = '-O3 --noAssert --runtime stub --importMemory --enable simd --use abort=';
  const { error, stderr } = await asc.main(
    ['kernel.ts', ...flags.split(' '), '--outFile', 'kernel.wasm'],
    {
      readFile: (name) => {
        const source = /^([a-z-]+)\.ts$/.exec(name);
        return source ? readSource(`${source[1]}.as`) : null;
      },
      writeFile: (_name, contents) => {
        if (typeof contents !== 'string') output.binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error || !output.binary)
    throw new Error(`${error?.message ?? 'no output'}\n${stderr.toString()}`);
  return output.binary;
}

function readSource(name: string): string | null {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return null;
  }
}

/** The text of module.ts for a compiled kernel. */
export function moduleText(binary: Uint8Array): string {
  const hash = createHash('sha256').update(binary).digest('hex');
  return `/** The compiled kernel. Written by scripts/build-kernel.ts from the .as files of this folder. */
export const kernelSha256 = '${hash}';
export const kernelBase64 =
  '${Buffer.from(binary).toString('base64')}';
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const binary = await compileKernel();
  writeFileSync(new URL('module.ts', folder), moduleText(binary));
  console.log(`${binary.byteLength} bytes`);
}
