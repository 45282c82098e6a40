import type { RoleName } from '../../contracts/roles.ts';
import type { Message } from '../../contracts/transcript.ts';

/** A transcript and where the demo router should send it. */
export interface DemoTranscript {
  readonly messages: readonly Message[];
  readonly agent: number;
  readonly role: RoleName;
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });

/**
 * What the demo's head is solved for: a fresh question goes to a Worker, a question of ways and means to a
 * Thinker, an answer to a Verifier, a rejected answer back to a Worker; the topic chooses the agent.
 */
export const demoTranscripts: readonly DemoTranscript[] = [
  turn('Worker', 3, user('Find the bug in this Python function and fix the code.')),
  turn('Worker', 3, user('My SQL query gives an error on the server. What is wrong?')),
  turn('Worker', 5, user('What is 17 + 25? Answer briefly.')),
  turn('Worker', 5, user('Solve the equation 3x + 4 = 19.')),
  turn('Worker', 1, user('Write a short poem about the sea in autumn.')),
  turn('Worker', 1, user('Please translate this sentence and edit the text of my letter.')),
  turn('Worker', 2, user('Who was the first person on the moon, and when?')),
  turn('Worker', 2, user('Explain the history of the city of Prague.')),
  turn('Worker', 4, user('Hello! Thanks for your help, tell me a joke.')),
  turn('Thinker', 0, user('Plan the steps to move our architecture to a new approach.')),
  turn('Thinker', 0, user('Which strategy should we choose? Compare the options.')),
  turn(
    'Thinker',
    0,
    user('I want to build a shop. What is the best approach, and what are the options?'),
  ),
  turn('Thinker', 0, system('You are careful.'), user('How should I organize a better design?')),
  turn('Worker', 5, system('Answer in one line.'), user('Calculate the sum of 4, 8 and 15.')),
  turn('Verifier', 6, user('What is 17 + 25?'), assistant('17 + 25 = 42.')),
  turn('Verifier', 6, user('Solve 3x + 4 = 19.'), assistant('Subtract 4 and divide: x = 5.')),
  turn(
    'Verifier',
    4,
    user('Fix the bug.'),
    assistant('The loop starts at one; the code is fixed.'),
  ),
  turn('Verifier', 6, user('Who wrote Faust?'), assistant('Goethe wrote it over sixty years.')),
  turn('Verifier', 4, user('Hello!'), assistant('Hello, what can I do for you today?')),
  turn(
    'Verifier',
    6,
    user('Plan a small garden.'),
    assistant('First outline the beds, then consider light and water.'),
  ),
  turn(
    'Verifier',
    6,
    user('Write a haiku.'),
    assistant('Rain on the window'),
    assistant('REVISE: the lines do not scan.'),
    assistant('Rain on the window, the lamp hums its yellow song, night turns one more page.'),
  ),
  turn(
    'Worker',
    1,
    user('Write a haiku.'),
    assistant('Rain on the window'),
    assistant('REVISE: the lines do not scan.'),
  ),
  turn(
    'Worker',
    0,
    user('Plan a small garden.'),
    assistant('First outline the beds, then consider light and water.'),
    assistant('REVISE: say which plants are best.'),
  ),
  turn(
    'Worker',
    5,
    user('What is 6 times 7?'),
    assistant('6 * 7 = 43.'),
    assistant('REVISE: 43 is wrong.'),
  ),
  turn('Worker', 2, user('Hi.'), assistant('Hello!'), user('What is the capital of France?')),
  turn('Thinker', 0, user('Hi.'), assistant('Hello!'), user('How should we plan the launch?')),
  turn(
    'Verifier',
    6,
    user('Name a river.'),
    assistant('The Danube.'),
    user('And where does it end?'),
    assistant('In the Black Sea.'),
  ),
];

function turn(role: RoleName, agent: number, ...messages: Message[]): DemoTranscript {
  return { role, agent, messages };
}
