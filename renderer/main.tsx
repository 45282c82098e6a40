import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectToHost } from './api.ts';
import { ErrorBoundary } from './controls/error-boundary.tsx';
import { BrokenPage } from './shell/broken-page.tsx';
import { Shell } from './shell/shell.tsx';
import { followAddress } from './shell/address.ts';
import { begin } from './stores/begin.ts';
import { flushDrafts } from './stores/drafts.ts';
import { createSession } from './stores/session.ts';
import { SessionContext } from './stores/use-session.ts';
import './styles/all.css';

/** A hidden page is not painted; it still folds what arrives, four times a second. */
const hiddenFrameMs = 250;

function scheduleFrame(callback: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(callback, hiddenFrameMs);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(frame);
}

const session = createSession({
  connect: connectToHost,
  scheduleFrame,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  now: () => Date.now(),
  memory: localStorage,
});
document.documentElement.dataset['theme'] = session.settings.getState().theme;

const root = document.getElementById('root');
if (root !== null) {
  followAddress(session);
  createRoot(root).render(
    <StrictMode>
      <SessionContext value={session}>
        <ErrorBoundary fallback={<BrokenPage />}>
          <Shell />
        </ErrorBoundary>
      </SessionContext>
    </StrictMode>,
  );
  const life = new AbortController();
  window.addEventListener('pagehide', () => flushDrafts(session));
  void begin(session, life.signal);
}
