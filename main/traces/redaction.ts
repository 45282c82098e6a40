import { secretForms } from '../../contracts/secret-forms.ts';

/** Values that a trace must not hold, as they are known when a run starts. */
export interface KnownValues {
  /** Keys and header values. */
  readonly secrets: readonly string[];
  /** Base URLs and hosts that slots are bound to. */
  readonly addresses: readonly string[];
}

const removed = '[redacted]';
const address = '[address]';
/** Secrets shorter than this are ordinary words; replacing them would eat the text. */
const shortestSecret = 4;

/** Removes what must not be kept from the few strings of a trace that outsiders or people chose. */
export class Redaction {
  readonly #secretForms: readonly string[];
  readonly #addresses: readonly string[];

  constructor(known: KnownValues) {
    this.#secretForms = longestFirst(
      known.secrets.filter(({ length }) => length >= shortestSecret).flatMap(secretForms),
    );
    this.#addresses = longestFirst(
      known.addresses.flatMap((text) => [text, hostOf(text) ?? text]).flatMap(secretForms),
    ).filter(({ length }) => length >= shortestSecret);
  }

  /** Text of a run, kept whole but for known secrets in any of their forms. */
  text(text: string): string {
    return replaceEach(text, this.#secretForms, removed);
  }

  /**
   * Free-form text such as an error's message: known secrets, values behind a name that looks like a
   * secret's, bearer tokens, URLs and hosts are removed. Numbers stay.
   */
  message(text: string): string {
    return this.name(text)
      .replace(secretAssignment, `$1${removed}`)
      .replace(bearer, `$1 ${removed}`)
      .replace(hostName, address);
  }

  /** A short name, such as a model's: known secrets, known addresses and anything like a URL are removed. */
  name(text: string): string {
    return replaceEach(this.text(text), this.#addresses, address)
      .replace(url, address)
      .replace(ipAddress, address);
  }
}

/** Names of secrets; a number behind one is a count, not a secret. */
const secretAssignment =
  /((?:api[-_]?key|authorization|password|secret|(?:access|refresh|auth|bearer)[-_]?token|cookie)["']?\s*[:=]\s*["']?)(?!\d+(?:\.\d+)?(?![\w.-]))[^\s"',;&}]+(?:\s+[\w.~+/=-]{8,})?/gi;
const bearer = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
const url = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]}]+/gi;
const ipAddress =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\blocalhost:\d+|\[[0-9a-f:]+:[0-9a-f:]+\](?::\d+)?/gi;
const hostName = /\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::\d+)?\b/gi;

function hostOf(text: string): string | null {
  return URL.canParse(text) ? new URL(text).host : null;
}

function longestFirst(forms: readonly string[]): string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function replaceEach(text: string, forms: readonly string[], by: string): string {
  return forms.reduce((clean, form) => clean.replaceAll(form, by), text);
}
