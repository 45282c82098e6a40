/** The import rules of the house (docs/design.md, "The rooms"). */
const services = 'conversations|providers|models|evals|traces|settings';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'contracts-import-nothing-of-ours',
      comment:
        'Types, schemas and pure functions. zod, and oRPC contracts in contracts/app, are all it needs.',
      severity: 'error',
      from: { path: '^contracts/' },
      to: { pathNot: ['^contracts/', 'node_modules/zod/', 'node_modules/@orpc/contract/'] },
    },
    {
      name: 'orpc-contract-only-in-contracts-app',
      severity: 'error',
      from: { path: '^contracts/', pathNot: '^contracts/app/' },
      to: { path: 'node_modules/@orpc/' },
    },
    {
      name: 'coordinator-imports-only-contracts',
      severity: 'error',
      from: { path: '^coordinator/' },
      to: { path: '^(model-runtime|main|preload|renderer|scripts|bench|test)/' },
    },
    {
      name: 'coordinator-knows-no-packages',
      comment:
        'Pure semantics: no tensor, tokenizer, provider or Electron. node:crypto serves hash.ts.',
      severity: 'error',
      from: { path: '^coordinator/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg'], pathNot: 'node_modules/zod/' },
    },
    {
      name: 'model-runtime-imports-only-contracts',
      severity: 'error',
      from: { path: '^model-runtime/' },
      to: { path: '^(coordinator|main|preload|renderer|scripts|bench|test)/' },
    },
    {
      name: 'renderer-imports-only-contracts',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^(coordinator|model-runtime|main|preload|scripts|bench|test)/' },
    },
    {
      name: 'preload-imports-only-contracts',
      severity: 'error',
      from: { path: '^preload/' },
      to: { path: '^(coordinator|model-runtime|main|renderer|scripts|bench|test)/' },
    },
    {
      name: 'services-reach-the-runtime-through-its-client',
      severity: 'error',
      from: { path: `^main/(${services})/` },
      to: { path: '^model-runtime/', pathNot: '^model-runtime/client\\.ts$' },
    },
    {
      name: 'services-never-import-each-other',
      severity: 'error',
      from: { path: `^main/(${services})/` },
      to: { path: '^main/', pathNot: '^main/$1/' },
    },
    {
      name: 'only-hosts-import-the-app',
      severity: 'error',
      from: { pathNot: ['^main/hosts/', '^test/'] },
      to: { path: '^main/app\\.ts$' },
    },
    {
      name: 'electron-only-in-its-host-and-preload',
      severity: 'error',
      from: { pathNot: ['^main/hosts/electron/', '^preload/'] },
      to: { path: '(^|node_modules/)electron($|/)' },
    },
    {
      name: 'onnxruntime-only-in-model-runtime',
      severity: 'error',
      from: { pathNot: '^(model-runtime|test|bench)/' },
      to: { path: 'node_modules/onnxruntime-(node|common)' },
    },
    {
      name: 'no-development-packages-at-run-time',
      severity: 'error',
      from: { path: '^(contracts|coordinator|model-runtime|main|preload|renderer)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(electron|@types)/',
      },
    },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^electron' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|\\.tools)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
