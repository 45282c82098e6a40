import type { SecretForms } from '../secret-forms.ts';
import { createThinkSplitter, type ChannelPiece } from './think-tags.ts';
import { createCharacterJoiner } from './whole-characters.ts';

/**
 * The text of one answer on its way out: thinking aloud is sorted into its channel, characters cut in two
 * are joined, and a secret that a server sends back is replaced. Each step may hold a little back;
 * `end` gives it out.
 */
export class AnswerText {
  readonly #thoughts = createThinkSplitter();
  readonly #text: Channel;
  readonly #reasoning: Channel;

  constructor(secrets: SecretForms) {
    this.#text = new Channel(secrets);
    this.#reasoning = new Channel(secrets);
  }

  text(piece: string): ChannelPiece[] {
    return this.#through(this.#thoughts.push(piece));
  }

  reasoning(piece: string): ChannelPiece[] {
    return this.#through([{ type: 'reasoning', text: piece }]);
  }

  end(): ChannelPiece[] {
    return [
      ...this.#through(this.#thoughts.end()),
      ...present('reasoning', this.#reasoning.end()),
      ...present('text', this.#text.end()),
    ];
  }

  #through(pieces: readonly ChannelPiece[]): ChannelPiece[] {
    return pieces.flatMap(({ type, text }) =>
      present(type, (type === 'text' ? this.#text : this.#reasoning).push(text)),
    );
  }
}

class Channel {
  readonly #joiner = createCharacterJoiner();
  readonly #scrubber: ReturnType<SecretForms['stream']>;

  constructor(secrets: SecretForms) {
    this.#scrubber = secrets.stream();
  }

  push(piece: string): string {
    return this.#scrubber.push(this.#joiner.push(piece));
  }

  end(): string {
    return this.#scrubber.push(this.#joiner.end()) + this.#scrubber.end();
  }
}

function present(type: ChannelPiece['type'], text: string): ChannelPiece[] {
  return text === '' ? [] : [{ type, text }];
}
