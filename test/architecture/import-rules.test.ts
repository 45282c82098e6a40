import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const config = createRequire(import.meta.url)(
  join(projectRoot, '.dependency-cruiser.cjs'),
) as IConfiguration & { forbidden: { name: string }[] };

/** One planted breach per rule: the file that breaks it and what it imports. */
const breaches: Readonly<Record<string, { file: string; imports: string }>> = {
  'no-cycles': { file: 'coordinator/cycle-a.ts', imports: './cycle-b.ts' },
  'contracts-import-nothing-of-ours': {
    file: 'contracts/breach.ts',
    imports: '../coordinator/target.ts',
  },
  'orpc-contract-only-in-contracts-app': {
    file: 'contracts/orpc-breach.ts',
    imports: '@orpc/contract',
  },
  'coordinator-imports-only-contracts': {
    file: 'coordinator/breach.ts',
    imports: '../model-runtime/client.ts',
  },
  'coordinator-knows-no-packages': { file: 'coordinator/package-breach.ts', imports: 'ws' },
  'model-runtime-imports-only-contracts': {
    file: 'model-runtime/breach.ts',
    imports: '../coordinator/target.ts',
  },
  'renderer-imports-only-contracts': {
    file: 'renderer/breach.ts',
    imports: '../coordinator/target.ts',
  },
  'preload-imports-only-contracts': {
    file: 'preload/breach.ts',
    imports: '../coordinator/target.ts',
  },
  'services-reach-the-runtime-through-its-client': {
    file: 'main/models/breach.ts',
    imports: '../../model-runtime/inner.ts',
  },
  'services-never-import-each-other': {
    file: 'main/evals/breach.ts',
    imports: '../traces/target.ts',
  },
  'only-hosts-import-the-app': { file: 'scripts/breach.ts', imports: '../main/app.ts' },
  'electron-only-in-its-host-and-preload': {
    file: 'main/settings/breach.ts',
    imports: 'electron',
  },
  'onnxruntime-only-in-model-runtime': {
    file: 'main/providers/breach.ts',
    imports: 'onnxruntime-node',
  },
  'no-development-packages-at-run-time': {
    file: 'main/conversations/breach.ts',
    imports: 'fast-check',
  },
  'nothing-unresolvable': { file: 'main/traces/breach.ts', imports: './missing.ts' },
};

/** Imports that the house allows. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'contracts/fine.ts': ['zod'],
  'contracts/app/fine.ts': ['@orpc/contract', 'zod', '../fine.ts'],
  'coordinator/fine.ts': ['../contracts/fine.ts', 'node:crypto'],
  'model-runtime/fine.ts': ['../contracts/fine.ts', 'onnxruntime-node'],
  'main/models/fine.ts': ['../../model-runtime/client.ts', '../../coordinator/target.ts'],
  'main/hosts/electron/fine.ts': ['electron', '../../app.ts'],
  'renderer/fine.ts': ['../contracts/fine.ts', 'zustand'],
};

const targets = [
  'coordinator/target.ts',
  'coordinator/cycle-b.ts',
  'model-runtime/client.ts',
  'model-runtime/inner.ts',
  'main/traces/target.ts',
  'main/app.ts',
];

let house = '';
let result: ICruiseResult;

beforeAll(async () => {
  house = mkdtempSync(join(tmpdir(), 'trinity-house-'));
  symlinkSync(join(projectRoot, 'node_modules'), join(house, 'node_modules'), 'junction');
  for (const name of ['package.json', 'tsconfig.json']) {
    writeFileSync(
      join(house, name),
      name === 'package.json'
        ? JSON.stringify(createRequire(import.meta.url)(join(projectRoot, name)))
        : '{}',
    );
  }
  for (const file of targets) write(file, []);
  write('coordinator/cycle-b.ts', ['./cycle-a.ts']);
  for (const { file, imports } of Object.values(breaches)) write(file, [imports]);
  for (const [file, imports] of Object.entries(allowed)) write(file, imports);
  const { output } = await cruise(
    ['contracts', 'coordinator', 'model-runtime', 'main', 'renderer', 'preload', 'scripts'],
    {
      ...config.options,
      tsConfig: { fileName: join(house, 'tsconfig.json') },
      enhancedResolveOptions: { ...config.options?.enhancedResolveOptions },
      preserveSymlinks: true,
      baseDir: house,
      validate: true,
      ruleSet: { forbidden: config.forbidden },
    } as Parameters<typeof cruise>[1],
    config.options?.enhancedResolveOptions as Parameters<typeof cruise>[2],
  );
  result = output as ICruiseResult;
}, 60_000);

afterAll(() => rmSync(house, { recursive: true, force: true }));

function write(file: string, imports: readonly string[]): void {
  mkdirSync(dirname(join(house, file)), { recursive: true });
  const lines = imports.map((name, index) => `import * as i${index} from '${name}';`);
  const uses = imports.map((_, index) => `i${index}`);
  writeFileSync(join(house, file), `${lines.join('\n')}\nexport const uses = [${uses.join()}];\n`);
}

function rulesBrokenBy(file: string): string[] {
  return result.summary.violations
    .filter((violation) => violation.from === file)
    .map((violation) => violation.rule.name);
}

describe('import rules', () => {
  it('has a planted breach for every rule', () => {
    expect(Object.keys(breaches).sort()).toEqual(config.forbidden.map((rule) => rule.name).sort());
  });

  for (const [rule, { file, imports }] of Object.entries(breaches)) {
    it(`catches ${file} importing ${imports} as ${rule}`, () => {
      expect(rulesBrokenBy(file)).toContain(rule);
    });
  }

  it('finds nothing in files that keep the rules', () => {
    for (const file of Object.keys(allowed)) expect(rulesBrokenBy(file), file).toEqual([]);
  });
});
