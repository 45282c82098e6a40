import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { DecisionFacts } from '../../../renderer/routing/decision-facts.tsx';
import { decisionOf } from '../../fixtures/run-events.ts';

it.each([
  ['argmax', 'highest logit'],
  ['softmax', 'highest logit, shares at T 0.7'],
  ['sample', 'drawn at random by share, T 0.7, seed 7'],
] as const)('says of %s how the choice was made', (mode, words) => {
  const decision = decisionOf({ selection: { mode, temperature: 0.7, seed: 7 } });
  const view = render(<DecisionFacts decision={decision} />);
  expect(screen.getByText('Selection').nextElementSibling?.textContent).toBe(words);
  view.unmount();
});
