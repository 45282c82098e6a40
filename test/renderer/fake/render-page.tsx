import { render, waitFor, type RenderResult } from '@testing-library/react';
import { Shell } from '../../../renderer/shell/shell.tsx';
import { SessionContext } from '../../../renderer/stores/use-session.ts';
import type { FakeApp } from './fake-app.ts';
import { testPage, type TestPage } from './test-session.ts';

export interface RenderedPage extends TestPage {
  readonly view: RenderResult;
  /** Runs frames and timers until a condition holds of what is drawn. */
  settle(condition: () => void): Promise<void>;
}

/** The whole page over a fake app, connected and filled. */
export async function renderPage(app: FakeApp): Promise<RenderedPage> {
  const page = testPage(app);
  const view = render(
    <SessionContext value={page.session}>
      <Shell />
    </SessionContext>,
  );
  await page.begin();
  return {
    ...page,
    view,
    settle: (condition) =>
      waitFor(
        () => {
          page.frames.run();
          page.timers.run();
          condition();
        },
        { timeout: 10_000, interval: 10 },
      ),
    close: () => {
      view.unmount();
      page.close();
    },
  };
}
