import { render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorBoundary } from '../../../renderer/controls/error-boundary.tsx';

function Part({ breaks }: { breaks: boolean }) {
  if (breaks) throw new Error('Cannot be drawn.');
  return <p>whole</p>;
}
const page = (breaks: boolean) => (
  <ErrorBoundary subject={breaks} fallback={<p>plain</p>}>
    <Part breaks={breaks} />
  </ErrorBoundary>
);

describe('a part that cannot be drawn', () => {
  // React says on the console what was caught; that it does is not ours to test.
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
  afterEach(() => void vi.restoreAllMocks());

  it('is replaced, and tried again with its next content', () => {
    const view = render(page(true));
    expect(screen.getByText('plain')).toBeTruthy();
    view.rerender(page(false));
    expect(screen.getByText('whole')).toBeTruthy();
    view.unmount();
  });
});
