import { expect, test } from 'vitest';
import { nearest } from '#src/platform/config/nearest.ts';

const words = ['serve', 'restore', 'user create', 'user block', 'doctor'];

test.each([
  ['serv', 'serve'],
  ['SERVE', 'serve'],
  ['sevre', 'serve'],
  ['usercreate', 'user create'],
  ['docter', 'doctor'],
])('"%s" probably means %s', (given, meant) => expect(nearest(given, words)).toBe(meant));

test('nothing is suggested for words that are like none', () => {
  for (const given of ['', 'fly', 'x'.repeat(1_000_000)]) expect(nearest(given, words)).toBeUndefined();
});
