import type { RouterState } from '../../contracts/app/models.ts';
import { bytesText, durationText } from '../routing/numbers.ts';

/** The active router's name for a person. */
export function routerName({ router, isDemo }: RouterState): string {
  return isDemo ? 'Demo router' : (router?.id ?? 'No router');
}

/** What the router is doing, in a few words; empty when it is simply ready. */
export function phaseWords({ phase }: RouterState): string {
  switch (phase.state) {
    case 'idle':
      return 'not loaded yet';
    case 'building':
      return `being built, ${Math.floor(phase.fraction * 100)} %`;
    case 'loading':
      return 'loading';
    case 'ready':
      return '';
    case 'restarting':
      return `restarting, attempt ${phase.attempt}`;
    case 'failed':
      return 'not running';
  }
}

/** The same in a sentence, with what a ready router costs. */
export function phaseSentence(state: RouterState): string {
  const { phase } = state;
  if (phase.state === 'failed') return phase.failure.message;
  if (phase.state !== 'ready') return `The router is ${phaseWords(state)}.`;
  return `Ready. Loaded in ${durationText(phase.loadMs)}, uses ${bytesText(phase.rssBytes)} of memory.`;
}
