import type { SecretForms } from './secret-forms.ts';

const excerptCharacters = 300;

/** A server's own words, made safe to show: one line, no secrets, no addresses, nothing that looks like a key. */
export function excerpt(text: string, secrets: SecretForms): string | null {
  const clean = secrets
    .redact(text)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[address]')
    .replace(/[A-Za-z0-9_\-+/=.*]{24,}/g, '[removed]')
    .replace(/\b(sk|pk|rk|key|gsk|xai|or)-[A-Za-z0-9_\-*.]{4,}/gi, '[removed]')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, excerptCharacters)
    .toWellFormed();
  return clean === '' ? null : clean;
}
