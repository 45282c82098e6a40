import { describe, expect, it } from 'vitest';
import type { SlotView } from '../../../contracts/app/slots.ts';
import { slotBindingSchema } from '../../../contracts/slots.ts';
import {
  bindingOf,
  draftOfSlot,
  newKeyOf,
  problemsOf,
  storedKeyFor,
  withProvider,
} from '../../../renderer/slots/binding-draft.ts';
import { presets, schemes } from '../fake/fake-catalog.ts';

const [openrouter, , ollama, compatible] = presets as [
  (typeof presets)[0],
  (typeof presets)[0],
  (typeof presets)[0],
  (typeof presets)[0],
];
const key = { id: 'k1', scheme: 'session', origin: 'https://openrouter.ai', last4: null } as const;
const bound: SlotView = {
  index: 2,
  checkpointLabel: 'gemini-2.5-pro',
  binding: slotBindingSchema.parse({
    index: 2,
    name: 'Ada',
    provider: 'openrouter',
    model: 'qwen/qwen3-32b',
    keyRef: 'k1',
    parameters: { temperature: 0.2, topP: 0.9, stop: ['END'] },
    timeouts: { idleMs: 5_000 },
    price: { inputUsdPerMillion: 0.15, outputUsdPerMillion: 0.6 },
    monthlyCapUsd: 5,
  }),
  key,
  health: { state: 'healthy' },
  price: null,
};
const draft = draftOfSlot(bound, presets, schemes);

describe('a binding form', () => {
  it('brings back a binding as it was, with what the form does not show', () => {
    const { index, name } = bound.binding ?? { index: 0, name: '' };
    const stored = slotBindingSchema.parse({ ...bindingOf(draft, bound, 'k1'), index, name });
    expect(stored).toEqual(bound.binding);
  });

  it('offers a stored key only to its own origin', () => {
    expect(storedKeyFor(bound, draft, openrouter, [key])).toBe(key);
    const elsewhere = { ...draft, baseUrl: 'https://evil.example/api/v1' };
    expect(storedKeyFor(bound, elsewhere, openrouter, [key])).toBeNull();
    const otherPort = { ...draft, baseUrl: 'https://openrouter.ai:8443/api' };
    expect(storedKeyFor(bound, otherPort, openrouter, [key])).toBeNull();
  });

  it('uses a key again that another slot brought for the same origin', () => {
    const empty = draftOfSlot(null, presets, schemes);
    expect(storedKeyFor(null, empty, openrouter, [key])).toBe(key);
  });

  it('never offers the value of a header as a key', () => {
    const empty = draftOfSlot(null, presets, schemes);
    const header = { ...key, id: 'h1', kind: 'header' as const };
    expect(storedKeyFor(null, empty, openrouter, [header])).toBeNull();
    expect(storedKeyFor(null, empty, openrouter, [header, key])).toBe(key);
  });

  it('forgets model and address with the provider', () => {
    const moved = withProvider({ ...draft, baseUrl: 'https://proxy.example' }, ollama);
    expect(moved).toMatchObject({ provider: 'ollama', model: 'llama3.2', baseUrl: '' });
  });

  it('says what is missing', () => {
    const { problems } = {
      problems: (d: typeof draft, p: typeof openrouter) => problemsOf(d, p, false),
    };
    expect(problems({ ...draft, model: ' ' }, openrouter)).toEqual([
      'Name a model.',
      'OpenRouter needs a key: paste it, or start the program with OPENROUTER_API_KEY set.',
    ]);
    expect(problems(withProvider(draft, compatible), compatible)).toEqual([
      'Name a model.',
      'Give the address of the server.',
    ]);
    expect(problems(withProvider(draft, ollama), ollama)).toEqual([]);
    expect(problems({ ...draft, enabled: false }, openrouter)).toEqual([]);
  });

  it('refuses an address with a password in it', () => {
    const leaking = { ...draft, baseUrl: 'https://user:secret@example.com' };
    expect(problemsOf(leaking, openrouter, true)).toHaveLength(1);
  });

  it.each([
    [{ temperature: '2.1' }, 'Temperature'],
    [{ temperature: 'warm' }, 'Temperature'],
    [{ maxTokens: '1.5' }, 'Max tokens'],
    [{ concurrency: '' }, 'Calls at once'],
    [{ concurrency: '65' }, 'Calls at once'],
    [{ inputPrice: '' }, 'A price'],
    [{ outputPrice: '-1' }, 'A price'],
    [{ monthlyCap: '0' }, 'A monthly cap'],
  ])('refuses a number out of range: %o', (change, start) => {
    expect(problemsOf({ ...draft, ...change }, openrouter, true)[0]).toMatch(
      new RegExp(`^${start}`),
    );
  });

  it('binds a fresh key to where the form points', () => {
    expect(newKeyOf(draft, openrouter)).toBeNull();
    expect(newKeyOf({ ...draft, secret: 'sk-1' }, openrouter)).toEqual({
      secret: 'sk-1',
      baseUrl: 'https://openrouter.ai/api/v1',
      scheme: 'session',
    });
  });
});
