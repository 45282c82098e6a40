import { escapeMarkup } from './escape.ts';
import { reportStyle } from './html-style.ts';

/** A self-contained page: no script, no request to anywhere, light and dark by the reader's setting. */
export function htmlPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<h1>${escapeMarkup(title)}</h1>
${content}
</main>
</body>
</html>
`;
}
