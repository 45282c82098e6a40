import { memo } from 'react';

/** What an agent thought aloud: apart from its text, folded, and never part of what the router reads. */
export const Reasoning = memo(function Reasoning(props: { text: string; isLive: boolean }) {
  return (
    <details className="reasoning">
      <summary>
        {props.isLive ? 'Thinking…' : 'Reasoning'}
        <span className="reasoning__note">not read by the router</span>
      </summary>
      <div className="reasoning__text" dir="auto">
        {props.text}
      </div>
    </details>
  );
});
