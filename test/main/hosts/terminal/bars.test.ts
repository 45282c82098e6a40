import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { barRows, renderBars } from '../../../../main/hosts/terminal/bars.ts';
import { styleOf, type TerminalStyle } from '../../../../main/hosts/terminal/style.ts';

const labels = [
  'Kiel',
  '東京の支店',
  'a very long name of a slot that goes on',
  'x',
  'y',
  'z',
  '👩‍👩‍👧',
];
const logits = [30.2, -4.5, 15.8, 0, 1, 2, 3];

function render(style: Partial<TerminalStyle>, effective?: number): string[] {
  return renderBars(barRows(labels, logits, effective), {
    columns: 80,
    colour: false,
    unicode: true,
    canRedraw: false,
    ...style,
  });
}

describe('renderBars', () => {
  for (const columns of [20, 32, 40, 80, 200]) {
    it(`keeps every line within ${columns} columns`, () => {
      for (const line of render({ columns }))
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    });
  }

  it('gives the largest logit the longest bar and the smallest none', () => {
    const lengths = render({}).map((line) => (line.match(/[█▏▎▍▌▋▊▉]/g) ?? []).length);
    expect(Math.max(...lengths)).toBe(lengths[0]);
    expect(lengths[1]).toBe(0);
  });

  it('draws logits that lie close together with bars of nearly one length', () => {
    const style = { columns: 60, colour: false, unicode: false, canRedraw: false };
    const [first, second] = renderBars(barRows(['a', 'b'], [-3, -3.04]), style);
    const marks = (line = '') => (line.match(/#/g) ?? []).length;
    expect(marks(first)).toBeGreaterThan(10);
    expect(marks(second)).toBe(marks(first));
  });

  it('marks the effective choice, and the raw one when it was overruled', () => {
    const lines = render({}, 2);
    expect(lines[2]).toMatch(/^▶/);
    expect(lines[0]).toMatch(/^▷/);
    expect(lines[3]).toMatch(/^ /);
  });

  it('uses plain ASCII on a dumb terminal', () => {
    const ascii = renderBars(barRows(['a', 'b'], [1, 2]), {
      columns: 60,
      colour: false,
      unicode: false,
      canRedraw: false,
    }).join('\n');
    expect(ascii).toMatch(/^[\x20-\x7e\n]*$/);
    expect(ascii).toContain('####');
  });

  it('writes colour only when the style has colour', () => {
    expect(render({}).join('')).toBe(stripVTControlCharacters(render({}).join('')));
    expect(render({ colour: true }).join('')).toContain('\u001b[32m');
  });

  it('never lets a label bring control characters to the terminal', () => {
    const [line = ''] = renderBars(barRows(['\u001b[31mred\u0007\r'], [1]), {
      columns: 80,
      colour: false,
      unicode: true,
      canRedraw: false,
    });
    expect(line).not.toMatch(/[\u0000-\u001f\u007f]/);
  });

  it('gives nothing for no logits and a full bar for one', () => {
    expect(renderBars([], { columns: 80, colour: false, unicode: true, canRedraw: false })).toEqual(
      [],
    );
    expect(
      renderBars(barRows(['a'], [0.5]), {
        columns: 80,
        colour: false,
        unicode: true,
        canRedraw: false,
      })[0],
    ).toContain('█');
  });
});

describe('styleOf', () => {
  const tty = { write: () => true, isTTY: true, columns: 100 };
  const pipe = { write: () => true };

  it('has colour on a terminal only', () => {
    expect(styleOf(tty, { TERM: 'xterm' }).colour).toBe(true);
    expect(styleOf(pipe, { TERM: 'xterm' }).colour).toBe(false);
  });
  it('obeys NO_COLOR over everything, and an empty NO_COLOR not', () => {
    expect(styleOf(tty, { NO_COLOR: '1', FORCE_COLOR: '1' }).colour).toBe(false);
    expect(styleOf(tty, { NO_COLOR: '' }).colour).toBe(true);
  });
  it('is plain on a dumb terminal and in an ASCII locale', () => {
    expect(styleOf(tty, { TERM: 'dumb' })).toMatchObject({ colour: false, unicode: false });
    expect(styleOf(tty, { LC_ALL: 'C' }).unicode).toBe(false);
    expect(styleOf(tty, { LANG: 'de_DE.UTF-8' }).unicode).toBe(true);
  });
  it('draws a line again on a terminal only, and never on a dumb one', () => {
    expect(styleOf(tty, { TERM: 'xterm', NO_COLOR: '1' }).canRedraw).toBe(true);
    expect(styleOf(tty, { TERM: 'dumb' }).canRedraw).toBe(false);
    expect(styleOf(pipe, { TERM: 'xterm', FORCE_COLOR: '1' }).canRedraw).toBe(false);
  });
  it('assumes 80 columns where there is no terminal and at least 20 on any', () => {
    expect(styleOf(pipe, {}).columns).toBe(80);
    expect(styleOf({ ...tty, columns: 3 }, {}).columns).toBe(20);
  });
});
