import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argmax } from '../../../contracts/logits.ts';
import { roleNameOf } from '../../../contracts/roles.ts';
import { chatRouteDefaults } from '../../../contracts/route.ts';
import type { Message } from '../../../contracts/transcript.ts';
import { openRouterDirectory } from '../../../model-runtime/artifact/router-directory.ts';
import { ensureDemoRouter } from '../../../model-runtime/demo/demo-router.ts';
import { demoTranscripts } from '../../../model-runtime/demo/demo-transcripts.ts';
import type { RequestContext } from '../../../model-runtime/process/process-server.ts';
import { loadRouter } from '../../../model-runtime/session/load-router.ts';
import type { RouterSession } from '../../../model-runtime/session/router-session.ts';

const context: RequestContext = {
  signal: new AbortController().signal,
  report: () => undefined,
  breathe: () => Promise.resolve(),
};
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

let folder: string;
let demo: string;
let session: RouterSession;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-demo-'));
  demo = join(folder, 'demo');
  await ensureDemoRouter(demo, context);
  ({ session } = await loadRouter({
    directory: demo,
    baseFolders: [],
    cacheDirectory: null,
    profile: 'cpu-f32',
  }));
});
afterAll(async () => {
  await session.close();
  await rm(folder, { recursive: true });
});

async function choose(...messages: Message[]): Promise<{ agent: number; role: string }> {
  const { agentLogits, roleLogits } = await session.route(
    { messages, ...chatRouteDefaults },
    context,
  );
  return { agent: argmax(agentLogits), role: roleNameOf(argmax(roleLogits)) };
}

async function digests(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const hash = async (name: string): Promise<string> =>
    createHash('sha256')
      .update(await readFile(join(directory, name)))
      .digest('hex');
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await hash(name)] as const)),
  );
}

describe('the demo router', () => {
  it('is a complete router directory with the real vocabulary, labelled as a demo', async () => {
    const manifest = await openRouterDirectory(demo);
    expect(manifest).toMatchObject({ kind: 'demo', agents: { count: 7 } });
    const config = JSON.parse(await readFile(join(demo, 'config.json'), 'utf8'));
    expect(config).toMatchObject({ vocab_size: 151_936, hidden_size: 64, num_hidden_layers: 4 });
    expect((await stat(join(demo, 'model.safetensors'))).size).toBeLessThan(25_000_000);
  });

  it('has the same bytes when built again', async () => {
    const again = join(folder, 'again');
    await ensureDemoRouter(again, context);
    expect(await digests(again)).toEqual(await digests(demo));
  });

  it('sends its own transcripts where they should go, to all roles and at least four slots', async () => {
    const chosen = [];
    for (const { messages, agent, role } of demoTranscripts) {
      const choice = await choose(...messages);
      expect(choice, JSON.stringify(messages)).toEqual({ agent, role });
      chosen.push(choice);
    }
    expect(new Set(chosen.map(({ role }) => role))).toEqual(
      new Set(['Worker', 'Thinker', 'Verifier']),
    );
    expect(new Set(chosen.map(({ agent }) => agent)).size).toBeGreaterThanOrEqual(4);
  });

  it.each([
    'Select a TRINITY role for this reasoning task.',
    'Tell me about the weather on Mars.',
    'Refactor this TypeScript class to be immutable',
    'Draft an email to my boss asking for a day off',
    '你好，世界！今天天气怎么样？',
    'Привет, как дела?',
    'x',
    'asdf qwer zxcv uiop',
  ])('gives a first message that it has never seen to a Worker or Thinker: %s', async (text) => {
    expect((await choose(user(text))).role).not.toBe('Verifier');
  });

  it('gives an answer that it has never seen to a Verifier, however long', async () => {
    const question = user('Tell me about the weather on Mars.');
    const sentence = 'It is cold there, with dust storms and thin air, and the sky is pale. ';
    for (const times of [1, 10, 60]) {
      const { role } = await choose(question, assistant(sentence.repeat(times)));
      expect(role).toBe('Verifier');
    }
  });

  it('lets a run go from Worker to Verifier, back after a rejection, and on with the next question', async () => {
    const turns = [user('How tall is the tower of Pisa?')];
    expect((await choose(...turns)).role).not.toBe('Verifier');
    turns.push(assistant('About fifty-six metres on the lower side.'));
    expect((await choose(...turns)).role).toBe('Verifier');
    const rejected = [...turns, assistant('REVISE: give both sides.')];
    expect((await choose(...rejected)).role).toBe('Worker');
    turns.push(user('And what is its age?'));
    expect((await choose(...turns)).role).not.toBe('Verifier');
  });

  it('leaves one that is there alone, and replaces one that is damaged', async () => {
    const own = join(folder, 'damaged');
    await mkdir(own);
    for (const name of await readdir(demo)) await copyFile(join(demo, name), join(own, name));
    const before = (await stat(join(own, 'manifest.json'))).mtimeMs;
    await ensureDemoRouter(own, context);
    expect((await stat(join(own, 'manifest.json'))).mtimeMs).toBe(before);
    await writeFile(join(own, 'router_head.safetensors'), 'short');
    await ensureDemoRouter(own, context);
    expect(await digests(own)).toEqual(await digests(demo));
  });

  it('stops between steps when cancelled and leaves nothing behind', async () => {
    const place = join(folder, 'cancelled');
    await mkdir(place);
    const controller = new AbortController();
    const report = (done: number): void => {
      if (done === 2) controller.abort();
    };
    const stopped = ensureDemoRouter(join(place, 'demo'), {
      ...context,
      signal: controller.signal,
      report,
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(place)).toEqual([]);
  });

  it.each(['model.safetensors', 'tokenizer.json', 'config.json'])(
    'is built again, to the same bytes, when its %s is damaged',
    async (name) => {
      const damaged = join(folder, `damaged-${name}`);
      await mkdir(damaged);
      for (const file of await readdir(demo)) await copyFile(join(demo, file), join(damaged, file));
      const bytes = await readFile(join(demo, name));
      await writeFile(join(damaged, name), bytes.subarray(0, bytes.length >> 1));
      await ensureDemoRouter(damaged, context);
      expect(await digests(damaged)).toEqual(await digests(demo));
    },
  );
});
