import type { RouterTokenizer } from '../session/tokenizer.ts';

/** Turns of a transcript, as the demo checkpoint's first layer finds them: by the token that begins a line. */
export const markers = ['user', 'assistant', 'system', 'REVISE'] as const;

/** Topics whose words the demo checkpoint knows. */
export const topics = ['code', 'math', 'plan', 'write', 'fact', 'talk'] as const;
export type Topic = (typeof topics)[number];

const words: Readonly<Record<Topic, string>> = {
  code:
    'code function bug python javascript typescript class api database sql error compile test script ' +
    'program debug server loop array string variable refactor git css html regex query json',
  math:
    '0 1 2 3 4 5 6 7 8 9 + = * / calculate equation integral derivative sum number multiply divide ' +
    'percent probability prove theorem solve algebra geometry triangle fraction average',
  plan:
    'plan design strategy approach compare decide steps architecture roadmap organize options better ' +
    'best should consider trade pros cons choose structure outline think ideas improve',
  write:
    'write poem story email letter essay summarize translate rewrite blog title paragraph haiku ' +
    'summary draft speech slogan edit text tone sentence',
  fact: 'what who when where which why how explain describe history capital country define meaning list name',
  talk: 'hello hi hey thanks thank please help you feel good morning bye chat joke okay',
};

/**
 * Token ids that stand for each marker and topic: the words that are one token, plain, capitalised, and with
 * the space before them.
 */
export function lexiconIds(tokenizer: RouterTokenizer): {
  readonly markers: readonly (readonly number[])[];
  readonly topics: readonly (readonly number[])[];
} {
  const taken = new Set<number>();
  const idsOf = (forms: readonly string[]): number[] => {
    const ids: number[] = [];
    for (const form of forms) {
      const [id, second] = tokenizer.encode(form, 'typed');
      if (id === undefined || second !== undefined || taken.has(id)) continue;
      taken.add(id);
      ids.push(id);
    }
    return ids;
  };
  return {
    // Only the bare form begins a line; a word "user" inside a text has a space before it.
    markers: markers.map((marker) =>
      marker === 'REVISE' ? firstToken(tokenizer, ` ${marker}`, taken) : idsOf([marker]),
    ),
    topics: topics.map((topic) =>
      idsOf(
        words[topic]
          .split(' ')
          .flatMap((word) => [word, capitalised(word), ` ${word}`, ` ${capitalised(word)}`]),
      ),
    ),
  };
}

function firstToken(tokenizer: RouterTokenizer, text: string, taken: Set<number>): number[] {
  const [id] = tokenizer.encode(text, 'typed');
  if (id === undefined) return [];
  taken.add(id);
  return [id];
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
