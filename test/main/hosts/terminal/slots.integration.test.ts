import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SlotView } from '../../../../contracts/app/slots.ts';
import { startOpenAiChatServer } from '../../../servers/openai-chat.ts';
import { jsonReply } from '../../../servers/provider-server.ts';
import type { ScriptedServer } from '../../../servers/scripted-server.ts';
import { Keyboard, trinityHere, type InProcessOptions } from './chat/in-process.ts';

const key = 'sk-planted-0123456789abcdef';
let home = '';
let server: ScriptedServer;
beforeAll(async () => {
  server = await startOpenAiChatServer({ key });
});
afterAll(() => server.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trinity slots-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function trinity(args: readonly string[], options: Partial<InProcessOptions> = {}) {
  return trinityHere(['slots', ...args], {
    dataDirectory: join(home, 'data'),
    cwd: home,
    ...options,
  });
}

async function list(): Promise<SlotView[]> {
  const { stdout } = await trinity(['list', '--json']);
  return JSON.parse(stdout) as SlotView[];
}

const toServer = (): string[] => [
  '--provider',
  'openai-compatible',
  '--base-url',
  `${server.origin}/v1`,
  '--model',
  'test-model',
];

describe('trinity slots', () => {
  it('binds all slots to one provider with one command and a key from standard input', async () => {
    const run = await trinity(['set', 'all', ...toServer(), '--key-stdin'], {
      input: `"${key}"\n`,
    });
    expect(run.code).toBe(0);
    expect(`${run.stdout}${run.stderr}`).not.toContain(key);
    const slots = await list();
    expect(slots.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const slot of slots) {
      expect(slot).toMatchObject({
        binding: { provider: 'openai-compatible', model: 'test-model' },
        key: { origin: server.origin, scheme: 'plain-0600', last4: 'cdef' },
      });
    }
    const test = await trinity(['test']);
    expect(test.code).toBe(0);
    expect(test.stdout.match(/^ok /gm)).toHaveLength(7);
  });

  it('takes a key from a keyboard without showing it', async () => {
    const keyboard = new Keyboard([]);
    const run = trinity(['set', '0', ...toServer(), '--key-stdin'], { keyboard });
    setTimeout(() => keyboard.write(`${key}\r`), 300);
    expect(await run).toMatchObject({ code: 0 });
    expect(`${(await run).stdout}${(await run).stderr}`).not.toContain(key);
    expect((await list())[0]?.key?.last4).toBe('cdef');
  });

  it('names a slot by its number and model, and by what a person says from then on', async () => {
    const nameAfter = async (...args: string[]) => {
      await trinity(['set', '2', ...args]);
      return (await list())[2]?.binding?.name;
    };
    expect(await nameAfter(...toServer())).toBe('Slot 2 · test-model');
    expect(await nameAfter('--model', 'vendor/other')).toBe('Slot 2 · other');
    expect(await nameAfter('--name', 'Ada')).toBe('Ada');
    expect(await nameAfter('--model', 'third')).toBe('Ada');
  });

  it('changes what is named and keeps the rest', async () => {
    await trinity(['set', '2', ...toServer(), '--key-stdin', '--max-tokens', '500'], {
      input: key,
    });
    await trinity(['set', '2', '--temperature', '0.5', '--price', '0.5,2', '--disable']);
    const slot = (await list())[2];
    expect(slot).toMatchObject({
      binding: { enabled: false, parameters: { maxTokens: 500, temperature: 0.5 } },
      key: { last4: 'cdef' },
      price: { inputUsdPerMillion: 0.5, outputUsdPerMillion: 2, asOf: null },
    });
  });

  it('drops the key of a slot that moves to another server', async () => {
    await trinity(['set', '0', ...toServer(), '--key-stdin'], { input: key });
    await trinity(['set', '0', '--base-url', 'http://127.0.0.1:9/v1']);
    expect((await list())[0]).toMatchObject({ key: null, binding: { keyRef: null } });
  });

  it('explains a failing test and says so by its exit code', async () => {
    await trinity(['set', '0', ...toServer(), '--key-stdin'], { input: 'another-key-0123456789' });
    const { code, stdout } = await trinity(['test', '0']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL slot 0: .*does not accept this key.*key_refused/);
  });

  it('exports a layout without keys and imports it again', async () => {
    await trinity(['set', 'all', ...toServer(), '--key-stdin'], { input: key });
    await trinity(['set', '1', '--header-stdin', 'X-Team'], { input: 'header-secret-0123' });
    const exported = await trinity(['export', 'layout.json']);
    expect(exported.code).toBe(0);
    const text = readFileSync(join(home, 'layout.json'), 'utf8');
    expect(text).not.toMatch(/sk-planted|header-secret|cdef|keyRef/);
    expect(JSON.parse(text)).toMatchObject({ format: 'trinity-slots', version: 1 });
    expect((await trinity(['export', 'layout.json'])).code).toBe(1);

    await trinity(['clear', '3']);
    expect((await trinity(['import', 'layout.json'])).code).toBe(0);
    const slots = await list();
    expect(slots[3]?.key).toBeNull();
    expect(slots[4]?.key).toMatchObject({ last4: 'cdef' });
  });

  it.each([
    [['set', '0'], /--provider is needed/],
    [['set', '0', '--provider', 'nobody', '--model', 'm'], /no provider is called nobody/],
    [['set', '0', '--provider', 'openai'], /--model is needed/],
    [['set', '0', '--provider', 'openai', '--model', 'm', '--temperature', '9'], /temperature/],
    [['set', '0', '--provider', 'openai', '--model', 'm', '--price', '1'], /two prices/],
    [['set', 'x', '--provider', 'openai', '--model', 'm'], /number of a slot/],
    [['import', 'nowhere.json'], /there is no file at .*nowhere\.json/],
  ])('refuses %j as a mistake of usage', async (args, message) => {
    const { code, stderr } = await trinity(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    [
      'null',
      'null',
      /layout\.json is no layout of slots\. Give a file that `trinity slots export`/,
    ],
    ['an empty file', '', /layout\.json is empty\. Give a file/],
    ['half a file', '{"format": "trinity', /layout\.json holds no complete JSON\. Give a file/],
    [
      'a slot without a model',
      '{"format":"trinity-slots","version":1,"slots":[{"index":0,"name":"A","provider":"rehearsal"}]}',
      /is no layout of slots: at slots\.0\.model: /,
    ],
  ])('says what to do about an import of %s', async (_what, text, message) => {
    writeFileSync(join(home, 'layout.json'), text);
    const { code, stderr } = await trinity(['import', 'layout.json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/SyntaxError|: :/);
  });

  it('imports what it exported while some slots are not bound', async () => {
    await trinity(['set', '2', ...toServer(), '--key-stdin'], { input: key });
    await trinity(['export', 'layout.json']);
    expect((await trinity(['import', 'layout.json'])).code).toBe(0);
    expect((await list()).map(({ binding }) => binding !== null)).toEqual(
      Array.from({ length: 7 }, (_, index) => index === 2),
    );
  });

  it.each([
    [['set', '7', '--provider', 'rehearsal'], /slot_out_of_range/],
    [['set', '0', '--provider', 'openai-compatible', '--model', 'm'], /base_url_missing/],
    [['test'], /no slot is bound/],
  ])('refuses %j by its name', async (args, message) => {
    const { code, stderr } = await trinity(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  it('imports nothing of a layout that breaks a rule', async () => {
    const slots = [{ index: 0, name: 'A', provider: 'rehearsal', model: 'scripted' }];
    writeFileSync(
      join(home, 'gap.json'),
      JSON.stringify({ format: 'trinity-slots', version: 1, slots }),
    );
    const { code, stderr } = await trinity(['import', 'gap.json']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/slot_missing/);
    expect((await list()).every(({ binding }) => binding === null)).toBe(true);
  });

  it('keeps a key in one file of the data directory, for its owner alone', async () => {
    await trinity(['set', '0', ...toServer(), '--key-stdin'], { input: key });
    const files = readdirSync(join(home, 'data'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(key));
    expect(files.map((path) => path.slice(join(home, 'data').length + 1))).toEqual(['keys.json']);
  });

  it("prints a server's names of models as plain lines of bounded length", async () => {
    const hostile = await startOpenAiChatServer({
      list: jsonReply(200, {
        data: [
          { id: '\u001b]0;owned\u0007\u001b[2Jred\u202e\nmodel' },
          { id: 'x'.repeat(100_000) },
        ],
      }),
    });
    try {
      const to = ['--provider', 'openai-compatible', '--base-url', `${hostile.origin}/v1`];
      await trinity(['set', '0', ...to, '--model', 'm']);
      const { code, stdout } = await trinity(['models', '0']);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(400);
    } finally {
      await hostile.close();
    }
  });

  it('lists presets, models and contacts', async () => {
    await trinity(['set', '0', ...toServer(), '--key-stdin'], { input: key });
    expect((await trinity(['presets'])).stdout).toMatch(/^arcee +Arcee AI +https:\/\/api\.arcee/m);
    expect((await trinity(['models', '0'])).stdout).toBe('test-model\n');
    const { stdout } = await trinity(['contacts']);
    expect(stdout).toContain(`${new URL(server.origin).host}  slot test  1 request `);
  });
});
