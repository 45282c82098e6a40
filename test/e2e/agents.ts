import type { RecordedRequest, ScriptedServer } from '../servers/scripted-server.ts';
import { plainAnswer } from '../servers/answers.ts';
import { openAiChatFormat, startOpenAiChatServer } from '../servers/openai-chat.ts';
import { streamHeaders } from '../servers/provider-server.ts';

export const goodKey = 'key-good-0123456789';
export const badKey = 'key-bad-0123456789';

/** What the Worker says, in two halves: the second waits while the agents are held. */
const firstHalf = ['The ', '**ball** ', 'costs ', 'five cents'];
const secondHalf = [', ', 'because ', 'the ', 'bat ', 'costs ', '$1.05.'];
export const firstHalfText = 'The ball costs five cents';
export const wholeText = `${firstHalfText}, because the bat costs $1.05.`;

/** Characters of one piece of a flood. */
export const pieceCharacters = 2_000;

/** A local provider behind which every slot can be bound: it speaks each role's part, in pieces. */
export interface Agents {
  readonly server: ScriptedServer;
  /** Base URL of its Chat Completions. */
  readonly baseUrl: string;
  /** From now on a Worker stops half-way until `release`. */
  hold(): void;
  release(): void;
  /** From now on a Worker says this many pieces of text, of `pieceCharacters` each. */
  flood(pieces: number): void;
}

export async function startAgents(): Promise<Agents> {
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let pieces = 0;
  const server = await startOpenAiChatServer({
    key: goodKey,
    answer: (request) => {
      const text = roleOf(request) === 'Worker' ? [...firstHalf, ...secondHalf] : partOf(request);
      if (pieces > 0 && roleOf(request) === 'Worker') {
        const filler = 'x'.repeat(pieceCharacters);
        return {
          ...plainAnswer,
          text: Array.from({ length: pieces }, (_, index) => `word${index} ${filler} `),
        };
      }
      const frames = openAiChatFormat.frames({ ...plainAnswer, text });
      const half = 1 + firstHalf.length;
      return {
        headers: streamHeaders,
        steps: [
          ...frames.slice(0, half).map((write) => ({ write })),
          ...(roleOf(request) === 'Worker' ? [{ until: gate.promise }] : []),
          ...frames.slice(half).map((write) => ({ write })),
          { end: true },
        ],
      };
    },
  });
  return {
    server,
    baseUrl: `${server.origin}/v1`,
    hold: () => (gate = Promise.withResolvers<void>()),
    release: () => gate.resolve(),
    flood: (count) => (pieces = count),
  };
}

type Role = 'Worker' | 'Thinker' | 'Verifier';

/** The role that a request's instruction gives to the model. */
function roleOf(request: RecordedRequest): Role {
  const body = request.body;
  if (body.includes('You are the Thinker')) return 'Thinker';
  return body.includes('You are the Verifier') ? 'Verifier' : 'Worker';
}

function partOf(request: RecordedRequest): string[] {
  return roleOf(request) === 'Verifier'
    ? ['ACCEPT\n', 'The sum ', 'is right.']
    : [
        'Let x be the price. ',
        '<suggestion>Solve for x.</suggestion>\n',
        '<suggested_role>worker</suggested_role>',
      ];
}
