import { expect, test } from 'vitest';
import { closestMatch } from '#src/platform/config/closest_match.ts';

const words = ['serve', 'restore', 'user create', 'user block', 'doctor'];

test.each([
  ['serv', 'serve'],
  ['SERVE', 'serve'],
  ['sevre', 'serve'],
  ['usercreate', 'user create'],
  ['docter', 'doctor'],
])('"%s" probably means %s', (given, meant) => expect(closestMatch(given, words)).toBe(meant));

test('nothing is suggested for words that are like none', () => {
  for (const given of ['', 'fly', 'x'.repeat(1_000_000)]) expect(closestMatch(given, words)).toBeUndefined();
});
