import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../contracts/agents.ts';
import { budgetsSchema } from '../../../contracts/budgets.ts';
import type { RunEvent } from '../../../contracts/events.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import {
  ScriptedAgents,
  ScriptedRouter,
  collect,
  delta,
  failure,
  finished,
  hangsAfter,
  logitsFor,
  runInput,
  says,
  streams,
  type RunOverrides,
  type ScriptedCall,
} from '../../coordinator/scripted-run.ts';
import { writeTrace } from './traced-run.ts';

/** Each holds characters that every encoding changes, around a token that none may leave readable. */
const mark = (name: string) => `"${name}Zebra77"/+ü ${name}Zebra78`;
const marks = {
  prompt: mark('Prompt'),
  system: mark('System'),
  earlier: mark('Earlier'),
  reply: mark('Reply'),
  thought: mark('Thought'),
  diagnosis: mark('Diagnosis'),
  suggestion: mark('Suggestion'),
  key: mark('Key'),
  header: mark('Header'),
  url: 'https://urlzebra77.example.test:8443/UrlZebra78',
};
const tokens = Object.keys(marks).flatMap((name) => {
  const word = name === 'url' ? 'Url' : name[0]?.toUpperCase() + name.slice(1);
  return [`${word}Zebra77`, `${word}Zebra78`];
});

/** Every mark in every form, as a careless error message would quote them. */
const everything = Object.values(marks)
  .flatMap((text) => [
    text,
    Buffer.from(text).toString('base64'),
    Buffer.from(`x${text}`).toString('base64url'),
    encodeURIComponent(text),
    JSON.stringify({ authorization: `Bearer ${text}` }),
  ])
  .join(' | ');

/** Looks for the tokens in the file, in what base64 in it decodes to, and in what URL codes decode to. */
function tokensIn(file: string): string[] {
  const decoded = [file, unescaped(file)];
  for (const run of file.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []) {
    const standard = run.replaceAll('-', '+').replaceAll('_', '/');
    for (const shift of [0, 1, 2, 3]) {
      decoded.push(Buffer.from(standard.slice(shift), 'base64').toString('latin1'));
    }
  }
  const haystack = decoded.join('\n').toLowerCase();
  return tokens.filter((token) => haystack.includes(token.toLowerCase()));
}

function unescaped(text: string): string {
  return text
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

const leaky = (event: AgentEvent): AgentEvent =>
  event.type === 'failed' ? { ...event, message: everything } : event;
const finishedLeaky: AgentEvent = {
  ...(finished() as object),
  requestId: 'req_0123',
} as AgentEvent;
const plan = says(
  `${marks.reply}<suggestion>${marks.suggestion}</suggestion><suggested_role>worker</suggested_role>`,
);
const worker = streams(delta(marks.thought, 'reasoning'), delta(marks.reply), finishedLeaky);
const router = () =>
  new ScriptedRouter([
    logitsFor(0, 'Thinker'),
    logitsFor(0, 'Worker'),
    logitsFor(0, 'Verifier'),
    logitsFor(0, 'Verifier'),
  ]);

async function markedRun(script: readonly ScriptedCall[], over: RunOverrides = {}) {
  const agents = new ScriptedAgents(script);
  agents.systemSuffix = marks.system;
  return collect(
    runInput({
      router: router(),
      agents,
      task: marks.prompt,
      systemPrompt: marks.system,
      history: [{ task: marks.earlier, answer: marks.earlier }],
      given: [marks.earlier],
      roleInstructions: { Worker: marks.system },
      ...over,
    }),
  );
}

const scenarios: Record<string, () => Promise<RunEvent[]>> = {
  'a run that is accepted': () =>
    markedRun([
      plan,
      worker,
      says(`REVISE: ${marks.diagnosis}`),
      says(`ACCEPT ${marks.diagnosis}`),
    ]),
  'a verdict that is not known': () =>
    markedRun([plan, worker, says(marks.diagnosis)], {
      budgets: budgetsSchema.parse({ maxRevisions: 0 }),
    }),
  'a call that fails and is retried and selected again': () =>
    markedRun([
      streams(leaky(failure('a', { retrying: true })), leaky(failure('b'))),
      streams(leaky(failure('c'))),
    ]),
  'a call that fails after content': () =>
    markedRun([streams(delta(marks.reply), leaky(failure('reset')))]),
  'a failure whose code quotes the server': () => markedRun([streams(leaky(failure(everything)))]),
  'an agent that throws': () =>
    markedRun([
      () => {
        throw new Error(everything);
      },
    ]),
  'a router that fails': () =>
    markedRun([worker], { router: new ScriptedRouter([new Error(everything)]) }),
  'a run that is stopped in the middle': async () => {
    const stop = new AbortController();
    const agents = new ScriptedAgents([hangsAfter(delta(marks.reply))]);
    return collect(
      runInput({ router: router(), agents, task: marks.prompt, signal: stop.signal }),
      (event) => {
        if (event.type === 'delta') queueMicrotask(() => stop.abort());
      },
    );
  },
  'names and ids that quote key and address': () =>
    markedRun([
      streams({ type: 'started', provider: marks.url, model: marks.key }, delta(marks.reply), {
        ...(finished() as object),
        resolvedModel: `${marks.url} ${marks.key} ${Buffer.from(marks.key).toString('base64')}`,
        requestId: Buffer.from(marks.key).toString('base64'),
      } as AgentEvent),
    ]),
};

const earlier = [{ role: 'user', content: marks.earlier }] as const;
const known = { secrets: [marks.key, marks.header], addresses: [marks.url] };

describe('marked strings', () => {
  it('are found by the search of this test in every form', () => {
    for (const text of Object.values(marks)) {
      for (const form of [
        text,
        Buffer.from(text).toString('base64'),
        Buffer.from(`x${text}`).toString('base64'),
        encodeURIComponent(text),
        JSON.stringify(text),
      ]) {
        expect(tokensIn(`{"a":"${form}"}`).length, form).toBeGreaterThan(0);
      }
    }
  });

  it.each(Object.entries(scenarios))('are in no default trace of %s', async (_, run) => {
    const events = await run();
    const { writer, problems } = await writeTrace(temporaryFolder(), events, { known, earlier });
    expect(problems).toEqual([]);
    expect(tokensIn(JSON.stringify(events)).length).toBeGreaterThan(0);
    expect(tokensIn(readFileSync(writer.path, 'utf8'))).toEqual([]);
  });

  it.each(Object.entries(scenarios))(
    'of key, header and address are in no full trace of %s either',
    async (_, run) => {
      const options = { known, earlier, content: 'full' } as const;
      const { writer } = await writeTrace(temporaryFolder(), await run(), options);
      const found = tokensIn(readFileSync(writer.path, 'utf8'));
      expect(found).toContain('PromptZebra77');
      expect(found.filter((token) => /^(Key|Header|Url)/.test(token))).toEqual([]);
    },
  );
});
