import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines, type TextLine } from '../../../main/evals/line-reader.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** Bytes that a stream hands out at once. */
const chunkBytes = 64 * 1024;

async function read(content: Buffer | string, limit = 1000, start = 0): Promise<TextLine[]> {
  const path = join(temporaryFolder(), 'lines');
  writeFileSync(path, content);
  return Array.fromAsync(readLines(path, limit, { start }));
}

/** Lines by the obvious means: the whole file, split. */
function split(content: Buffer, limit: number): { text: string | null; offset: number }[] {
  const lines: { text: string | null; offset: number }[] = [];
  let offset = 0;
  while (offset < content.length) {
    const found = content.indexOf('\n', offset);
    const end = found === -1 ? content.length : found;
    const bytes = content.subarray(offset, end);
    const text = bytes.toString('utf8').replace(/\r$/, '');
    const isMarked = offset === 0 && text.startsWith('\ufeff');
    lines.push({ text: bytes.length > limit ? null : isMarked ? text.slice(1) : text, offset });
    offset = end + 1;
  }
  return lines;
}

describe('readLines', () => {
  it('numbers lines, gives their place, and knows which one lacks its end', async () => {
    expect(await read('one\r\n\r\ntwo')).toEqual([
      { number: 1, offset: 0, bytes: 4, text: 'one', isTerminated: true },
      { number: 2, offset: 5, bytes: 1, text: '', isTerminated: true },
      { number: 3, offset: 7, bytes: 3, text: 'two', isTerminated: false },
    ]);
  });
  it('gives nothing for an empty file', async () => {
    expect(await read('')).toEqual([]);
  });
  it.each(['é', '漢', '🙂'])(
    'keeps %s whole wherever a chunk ends inside it',
    async (character) => {
      const bytes = Buffer.byteLength(character);
      for (let inside = 0; inside <= bytes; inside++) {
        const before = 'x'.repeat(chunkBytes - inside);
        const lines = await read(`${before}${character}\n${character}`, 2 * chunkBytes);
        expect(lines.map((line) => line.text)).toEqual([`${before}${character}`, character]);
      }
    },
  );
  it.each([0, 1, 2])('removes CRLF when a chunk ends %i bytes into it', async (inside) => {
    const before = 'x'.repeat(chunkBytes - inside);
    const lines = await read(`${before}\r\nnext\r\n`, 2 * chunkBytes);
    expect(lines.map((line) => line.text)).toEqual([before, 'next']);
    expect(lines[1]?.offset).toBe(before.length + 2);
  });
  it('passes over a long line over several chunks and reads the next one', async () => {
    const lines = await read(`${'x'.repeat(3 * chunkBytes)}\nnext\n`);
    expect(lines).toMatchObject([
      { text: null, bytes: 3 * chunkBytes },
      { text: 'next', number: 2, offset: 3 * chunkBytes + 1 },
    ]);
  });
  it('removes a byte-order mark at the start of the file alone', async () => {
    const lines = await read('\ufeffa\n\ufeffb\n');
    expect(lines.map((line) => line.text)).toEqual(['a', '\ufeffb']);
  });
  it('begins at a line that is named by its offset', async () => {
    expect(await read('one\ntwo\n', 1000, 4)).toMatchObject([{ text: 'two', offset: 4 }]);
  });
  it('agrees with splitting the whole file, whatever it holds', async () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '\ufeff', 'é', '🙂', '\0', '\u2028'),
      fc.string({ maxLength: 20 }),
    );
    const content = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(''))),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 0, max: 40 }), async (bytes, limit) => {
        const lines = await read(bytes, limit);
        expect(lines.map(({ text, offset }) => ({ text, offset }))).toEqual(split(bytes, limit));
      }),
      { numRuns: 100 },
    );
  });
});
