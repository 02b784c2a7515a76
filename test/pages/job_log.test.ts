import { expect, it } from 'vitest';
import { logHtml } from '#pages/job_log.ts';

const START = 'section_start:1700000000:build[collapsed=true]\r\x1b[0K';
const END = 'section_end:1700000065:build\r\x1b[0K';
const shown = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/ +/g, ' ');

it('numbers the lines from that of the first one on, and counts marks as lines', () => {
  const html = logHtml({ firstLine: 41, content: `one\n${START}Building\nmake\n${END}\nlast\n` });
  expect([...html.matchAll(/id="L(\d+)"/g)].map(([, line]) => Number(line))).toEqual([41, 42, 43, 45]);
  expect(html).toContain('<a href="#L43">43</a><span>make</span>');
});

it('folds sections with their first line as title and how long they took', () => {
  const html = logHtml({ firstLine: 1, content: `${START}Building\nmake\n${END}after` });
  expect(html).toMatch(/^<details class="log-section"><summary>.*Building.*1 min 5 s.*<\/summary>/);
  expect(html.indexOf('</details>')).toBeLessThan(html.indexOf('after'));
  expect(html).not.toContain('section_');
});

it('opens sections that are not collapsed, and titles one without words by its name', () => {
  const html = logHtml({ firstLine: 1, content: 'section_start:1:get_sources\r\x1b[0K\nfetch\n' });
  expect(html).toContain('<details class="log-section" open>');
  expect(shown(html)).toContain('get_sources');
});

it('closes what a log leaves open, and ends nothing that did not begin', () => {
  const starts = Array.from({ length: 30 }, (_, at) => `section_start:1:s${at}\r\x1b[0Kpart ${at}`).join('\n');
  const html = logHtml({ firstLine: 1, content: `section_end:1:other\r\x1b[0K\n${starts}\nsection_end:9:s2\r\x1b[0K` });
  const opened = html.match(/<details/g)?.length ?? 0;
  expect(opened).toBeGreaterThan(3);
  expect(opened).toBeLessThanOrEqual(10);
  expect(html.match(/<\/details>/g)).toHaveLength(opened);
});

it('shows markup as text, in names of sections and around marks too', () => {
  const content = `section_start:1:a<b>\r\x1b[0K<img src=x>\n<script>1</script>${END}<i>\n`;
  const html = logHtml({ firstLine: 1, content });
  expect(html).not.toMatch(/<(?:img|script|i|b)\b/);
  expect(html).toContain('&lt;script&gt;');
});

it('takes no more than a moment for marks made to be slow', () => {
  logHtml({ firstLine: 1, content: 'section_start:1:'.repeat(8_000) });
  logHtml({ firstLine: 1, content: `section_start:1:${'a'.repeat(120_000)}` });
  logHtml({ firstLine: 1, content: '\x1b['.repeat(60_000) });
});
