import { expect, it } from 'vitest';
import { formatDuration, parseDuration } from '#src/domain/tracking/subjects/duration.ts';

it.each([
  ['3h30m', 12_600],
  ['1w', 144_000],
  ['1w 2d', 201_600],
  ['1mo', 576_000],
  ['1.5h', 5_400],
  ['90', 90],
  ['2 hours and 5 minutes', 7_500],
  ['1 Day, 1 sec', 28_801],
  ['-1h', -3_600],
  ['- 1h 30m', -5_400],
  ['+1h', 3_600],
  ['0h', 0],
  ['-0', 0],
])('%j is a duration of %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

it.each([
  '',
  ' ',
  'h',
  'soon',
  '1x',
  '1h tomorrow',
  '--1h',
  '1h -30m',
  '1h 30',
  '1e9h',
  '.5h',
  '1:30',
  '1h\u0000',
  '٣h',
  `${'1h '.repeat(200)}`,
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});

it.each([
  [0, null],
  [12_600, '3h 30m'],
  [144_000, '1w'],
  [201_661, '1w 2d 1m 1s'],
  [576_000 * 30, '30mo'],
  [-5_400, '-1h 30m'],
])('%i seconds are written as %j', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
