/** Style of the HTML report: system fonts, light and dark by the reader's setting. */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #1b1c20; --paper: #ffffff; --line: #d7d9e0; --good: #17663a; --bad: #a3231d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e9ee; --paper: #17181c; --line: #3a3d46; --good: #7fd6a2; --bad: #ff9d96; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding-bottom: .25rem; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: normal; }
thead th { font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.right, tr.passed td:nth-child(2) { color: var(--good); }
tr.failed td:nth-child(2) { color: var(--bad); }
.totals { font-size: 1.1rem; margin: .25rem 0 1rem; }
.columns { display: flex; flex-wrap: wrap; gap: 2rem; }
.scroll { overflow-x: auto; }
meter { width: 10rem; }
figure { margin: 0; max-width: 100%; }
svg { max-width: 100%; height: auto; border-left: 1px solid var(--line); border-bottom: 1px solid var(--line); }
polyline { fill: none; stroke: var(--good); stroke-width: 2; }
`;
