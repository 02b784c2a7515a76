import { expect, test } from 'vitest';
import { Attached } from '#src/platform/attached.ts';

test('What is attached to an object is found by that object, and seen by nobody else', () => {
  const [one, other] = [new Attached<object, number>(), new Attached<object, number>()];
  const owner = { name: 'a' };
  expect(one.get(owner)).toBeUndefined();
  one.set(owner, 1);
  one.set(owner, 2);
  expect([one.get(owner), other.get(owner), one.get({})]).toEqual([2, undefined, undefined]);
  expect(JSON.stringify(owner)).toBe('{"name":"a"}');
  expect(one.get({ ...owner })).toBeUndefined();
});
