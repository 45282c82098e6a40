import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const projectRoot = fileURLToPath(new URL('.', import.meta.url));

/** Forbids reading the environment: only hosts translate it into settings. */
const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'process.env is read only in main/hosts.',
};
const noEnum = { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' };
const noDefaultExport = { selector: 'ExportDefaultDeclaration', message: 'No default exports.' };
const noModuleState = {
  selector:
    "Program > VariableDeclaration[kind='let'], Program > ExportNamedDeclaration > VariableDeclaration[kind='let']",
  message: 'No module-level mutable state: pass what a function needs.',
};

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      '.tools',
      'out',
      'dist',
      'test-results',
      'reports',
      '**/*.cjs',
      'test/architecture/breaches/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'tsconfig.renderer.json', 'tsconfig.e2e.json'],
        tsconfigRootDir: projectRoot,
      },
    },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-restricted-syntax': ['error', noEnvironment, noEnum, noDefaultExport, noModuleState],
    },
  },
  {
    files: ['main/hosts/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts', 'test/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', noEnum, noDefaultExport, noModuleState] },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', noEnum] },
  },
  {
    files: ['main/hosts/terminal/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['*.config.ts', '*.config.js'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
