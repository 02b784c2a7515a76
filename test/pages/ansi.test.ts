import { expect, it } from 'vitest';
import { AnsiLines } from '#pages/engine/ansi.ts';

function ansiToHtml(output: string): string {
  const lines = new AnsiLines();
  return output
    .split('\n')
    .map((line) => lines.html(line))
    .join('\n');
}

it('turns colors into classes, and shows markup as text', () => {
  expect(ansiToHtml('\x1b[32;1m$ npm <test>\x1b[0;m\n"a" & b')).toBe(
    '<span class="ansi-green ansi-bold">$ npm &lt;test&gt;</span>\n&quot;a&quot; &amp; b',
  );
});

it('leaves out what moves the cursor, sets titles or has colors of other kinds', () => {
  expect(ansiToHtml('\x1b[2K\x1b[1Gone\x1b[38;5;31m two\x1b[38;2;1;31;3m three\x07')).toBe('one two three');
});

it('shows the last state of lines that were written over', () => {
  expect(ansiToHtml('10%\r50%\r100%\r\ndone\n')).toBe('100%\ndone\n');
});

it('goes on with a style in the next line', () => {
  expect(ansiToHtml('\x1b[31mone\ntwo\x1b[0m\nthree')).toBe(
    '<span class="ansi-red">one</span>\n<span class="ansi-red">two</span>\nthree',
  );
});

it('makes markup for so many changes of style only', () => {
  const html = ansiToHtml('\x1b[31mx\x1b[0m'.repeat(40_000));
  expect(html.match(/<span/g)?.length).toBeLessThanOrEqual(10_000);
});

it('takes no more than a moment for input made to be slow', () => {
  ansiToHtml(`${'\x1b['.repeat(50_000)}${'1;'.repeat(100_000)}${'\r'.repeat(100_000)}`);
  ansiToHtml(`${'\r'.repeat(300_000)}x`);
});
