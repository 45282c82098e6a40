import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { electronState } from '../../fakes/electron.ts';

/**
 * Runs the built main process in plain Node, with our stand-in in the place of `electron`, and prints what it did.
 * Arguments: the project's root, a data directory.
 */
const [root = '', dataDirectory = ''] = process.argv.slice(2);
const standIn = new URL('../../fakes/electron.ts', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name === 'electron' ? { url: standIn, shortCircuit: true } : next(name, context),
});

const state = electronState();
state.app.appPath = root;
state.app.ready.resolve();
process.argv.push('--data-dir', dataDirectory);
await import(join(root, 'out', 'main', 'index.js'));
while (state.children.length === 0 && state.errors.length === 0) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write(
  JSON.stringify({
    errors: state.errors,
    windows: state.windows.map(({ url, options }) => ({ url, options })),
    children: state.children.map(({ path }) => path),
  }),
);
process.exit(0);
