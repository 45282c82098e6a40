import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const eslint = new ESLint({
  cwd: projectRoot,
  // The rules under test are syntactic: without type information a planted text needs no project file.
  overrideConfig: {
    languageOptions: { parserOptions: { project: null } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-misused-promises': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'off',
    },
  },
});

async function messagesFor(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: join(projectRoot, file) });
  return (result?.messages ?? []).map((message) => message.message);
}

const breaches = [
  ['main/providers/breach.ts', "export const key = process.env['KEY'];", 'process.env'],
  ['coordinator/breach.ts', 'export enum Role { Worker }', 'union of literals'],
  ['coordinator/breach.ts', 'export default function loop() {}', 'No default exports'],
  [
    'model-runtime/breach.ts',
    'let cache = 0;\nexport const read = () => cache++;',
    'mutable state',
  ],
  ['model-runtime/breach.ts', 'export let cache = 0;', 'mutable state'],
  ['main/traces/breach.ts', "console.log('hello');", 'console'],
] as const;

describe('lint rules', () => {
  for (const [file, text, expected] of breaches) {
    it(`refuses ${JSON.stringify(text)} in ${file}`, async () => {
      expect((await messagesFor(file, text)).join('\n')).toContain(expected);
    });
  }

  it('lets a host read the environment', async () => {
    const text = "export const home = process.env['TRINITY_HOME'];\n";
    expect(await messagesFor('main/hosts/breach.ts', text)).toEqual([]);
  });
});
