import { Component, type ReactNode } from 'react';

type Props = {
  /** Shown instead of what cannot be drawn. */
  fallback: ReactNode;
  /** Another value is another try. */
  subject?: unknown;
  children: ReactNode;
};
type State = { readonly hasFailed: boolean; readonly subject: unknown };

/** Keeps a part that cannot be drawn from taking the rest of the page with it. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false, subject: this.props.subject };

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    if (props.subject === state.subject) return null;
    return { hasFailed: false, subject: props.subject };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
