import type { About } from '../../contracts/app/settings.ts';
import { SettingSection } from './setting-section.tsx';

const hosts: Readonly<Record<About['host'], string>> = {
  electron: 'desktop window',
  browser: 'browser, served on this computer',
  terminal: 'terminal',
};

/** The program that this page talks to. */
export function AboutSettings({ about }: { about: About | null }) {
  if (about === null) return null;
  const facts = [
    ['Version', about.version],
    ['Runs as', hosts[about.host]],
    ['Platform', about.platform],
    ['Data', about.dataDirectory],
    ['Node', about.node],
    ['ONNX Runtime', about.onnxRuntime],
  ] as const;
  return (
    <SettingSection
      title="About"
      about="Trinity Desktop sends nothing anywhere by itself. Your agents’ providers get what they are asked."
    >
      <dl className="about">
        {facts.map(([name, value]) => (
          <div key={name} className="facts__row">
            <dt>{name}</dt>
            <dd className="about__value">{value}</dd>
          </div>
        ))}
      </dl>
    </SettingSection>
  );
}
