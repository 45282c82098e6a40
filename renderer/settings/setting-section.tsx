import { useId, type ReactNode } from 'react';

/** One group of settings: what it is about on the left, the controls on the right. */
export function SettingSection(props: { title: string; about: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="setting" aria-labelledby={id}>
      <div className="setting__about">
        <h2 id={id}>{props.title}</h2>
        <p>{props.about}</p>
      </div>
      <div className="setting__controls">{props.children}</div>
    </section>
  );
}
