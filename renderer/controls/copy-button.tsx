import { useEffect, useState } from 'react';
import { IconButton } from './icon-button.tsx';

/** Copies a text, and says for two seconds that it did, or that the browser refused. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [result, setResult] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), 2_000);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setResult('copied'),
      () => setResult('refused'),
    );
  };
  const said = { copied: 'Copied', refused: 'The browser did not allow copying' };
  return (
    <>
      <IconButton
        isSmall
        icon={result === 'copied' ? 'check' : 'copy'}
        label={result === null ? label : said[result]}
        onClick={copy}
      />
      <span className="visually-hidden" role="status">
        {result === null ? '' : said[result]}
      </span>
    </>
  );
}
