import { createHash } from 'node:crypto';
import { enterPath, pageSecretKey, sessionPath } from '../../../contracts/app/handshake.ts';
import { contentSecurityPolicy } from '../content-security.ts';

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; min-height: 100vh; display: grid; place-content: center; }
  main { max-width: 34rem; padding: 2rem; }
  h1 { font-size: 1.25rem; }
  code { font-size: 0.95em; }
`;

/** The token stands in the fragment, which browsers never send: it is in no log and no Referer. */
const script = `
  const token = location.hash.slice(1);
  const say = (name) => { for (const part of document.querySelectorAll('[data-state]')) part.hidden = part.dataset.state !== name; };
  history.replaceState(null, '', ${JSON.stringify(enterPath)});
  const enter = async () => {
    if (token === '') return say('none');
    const answer = await fetch(${JSON.stringify(sessionPath)}, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    const { secret, isKnown } = await answer.json();
    if (secret !== undefined) sessionStorage.setItem(${JSON.stringify(pageSecretKey)}, secret);
    if (secret !== undefined || isKnown) location.replace('/');
    else say('spent');
  };
  // A fresh address pasted into this tab changes only the fragment.
  addEventListener('hashchange', () => location.reload());
  enter().catch(() => say('unreachable'));
`;

/** The page that trades a one-time address for a session; also what a stranger sees. */
export const enterPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trinity Desktop</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>Trinity Desktop</h1>
<div role="status">
<p data-state="opening">Opening…</p>
<p data-state="none" hidden>This page opens with a one-time address. Get one with <code>npm start</code> or <code>npm run -s trinity -- url</code> on the computer where Trinity runs.</p>
<p data-state="spent" hidden>This address was used already, or is too old. Get a fresh one with <code>npm start</code> or <code>npm run -s trinity -- url</code> on the computer where Trinity runs.</p>
<p data-state="unreachable" hidden>Trinity does not answer. Is it still running?</p>
</div>
<noscript><p>Trinity needs JavaScript.</p></noscript>
</main>
<script>${script}</script>
</body>
</html>
`;

/** Its policy: this script and this style, by their hashes, and requests to its own host. */
export const enterPagePolicy = contentSecurityPolicy([], [hashSource(script)]).replace(
  "style-src 'self'",
  `style-src ${hashSource(style)}`,
);

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
