import type { Failure } from '../../contracts/failure.ts';
import type { Session } from './session.ts';
import type { Page } from './view-state.ts';

export function showPage(session: Session, page: Page): void {
  session.view.setState({ page, sidebarOpen: false, inspectorOpen: false });
}

export function setInspectorOpen(session: Session, inspectorOpen: boolean): void {
  session.view.setState({ inspectorOpen });
}

export function setSidebarOpen(session: Session, sidebarOpen: boolean): void {
  session.view.setState({ sidebarOpen });
}

export function setShortcutsOpen(session: Session, shortcutsOpen: boolean): void {
  session.view.setState({ shortcutsOpen });
}

/** Says that something did not work. The same thing said twice stands once; at most four stand. */
export function report(session: Session, what: string, failure: Failure | null): void {
  session.view.setState(({ notices }) => {
    const others = notices.filter((one) => one.what !== what);
    const id = Math.max(0, ...notices.map((one) => one.id)) + 1;
    return { notices: [...others, { id, what, failure }].slice(-4) };
  });
}

export function dismiss(session: Session, id: number): void {
  session.view.setState(({ notices }) => ({ notices: notices.filter((one) => one.id !== id) }));
}
