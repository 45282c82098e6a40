import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'caution' | 'danger';

/** A short fact about something, and how it should be taken. */
export interface Fact {
  readonly text: string;
  readonly tone: Tone;
}

/** A small fact with a tone. The words carry the meaning; the colour only helps. */
export function FactChip(props: { tone?: Tone; title?: string; children: ReactNode }) {
  const { tone = 'neutral' } = props;
  return (
    <span className={tone === 'neutral' ? 'chip' : `chip chip--${tone}`} title={props.title}>
      {props.children}
    </span>
  );
}
