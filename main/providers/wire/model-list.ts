import { ProviderError } from '../failure.ts';
import { Deadlines } from './deadlines.ts';
import {
  inWords,
  joinUrl,
  refuseUnlessGood,
  untilAborted,
  type ExchangeParts,
  type Target,
} from './exchange.ts';
import { parseJson } from './json-values.ts';

/** Bytes of a model list: the longest known is about 1 MB. */
const listBytes = 16 * 1024 * 1024;

/**
 * The names of the models that a provider offers to this key, or null where its format has no list.
 *
 * @throws ProviderError as a call does
 */
export async function fetchModels(
  { http, clock }: Pick<ExchangeParts, 'http' | 'clock'>,
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const { models } = target.adapter;
  if (models === null) return null;
  const deadlines = new Deadlines(clock, target.timeouts, signal);
  try {
    const response = await untilAborted(
      http(joinUrl(target.baseUrl, models.path), {
        method: 'GET',
        headers: { accept: 'application/json', ...models.headers, ...target.secretHeaders },
        signal: deadlines.signal,
        connectTimeoutMs: target.timeouts.connectMs,
      }),
      deadlines.signal,
    );
    await refuseUnlessGood(response, target.secrets, clock.now(), deadlines.signal);
    const names = models.read(parseJson(await readText(response, deadlines.signal)));
    if (names === null) throw noList();
    return names.filter((name) => !target.secrets.foundIn(name));
  } catch (error) {
    throw inWords(error, deadlines, signal);
  } finally {
    deadlines.close();
  }
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await untilAborted(reader.read(), signal);
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > listBytes) throw noList();
    text += decoder.decode(value, { stream: true });
  }
}

function noList(): ProviderError {
  return new ProviderError(
    'malformed_answer',
    'The server answered the question for its models with something else. Check the base URL.',
  );
}
