import { describe, expect, it } from 'vitest';
import { type Expandable, Expansion } from '#src/domain/ci/variables/expansion.ts';
import { LONG } from '../support/long.ts';

/** A reference in braces, which a text of this language must not have. */
const braced = (name: string) => `$\{${name}}`;

type Given = Record<string, string | Expandable>;

/** Variables by name; those that are more than a text say so. */
function expansionOf(given: Given, mode: 'final' | 'again' = 'final'): Expansion {
  const find = (name: string) => {
    const one = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof one === 'string' ? { value: one } : one;
  };
  return new Expansion(find, mode);
}

const RAW = { value: 'a$B', isFixed: true };
const FILE = { value: 'content', isFile: true };

describe('Variables that refer to others', () => {
  it('have the values of those in them, whatever their order and however many stand between', () => {
    const made = expansionOf({
      URL: `https://${braced('HOST')}/$SLUG`,
      HOST: '$SLUG.$DOMAIN',
      SLUG: 'one',
      DOMAIN: 'example.com',
    });
    expect(made.value('URL')).toBe('https://one.example.com/one');
    expect(made.value('NOBODY')).toBeUndefined();
  });

  it.each<[string, Given, string]>([
    ['itself', { A: 'x$A' }, 'x$A'],
    ['each other', { A: '$B', B: '$C', C: '$A' }, '$B'],
    ['each other by two ways', { A: '$B$C', B: '$A', C: '$B' }, '$B$C'],
    ['others that do so', { A: 'x$B', B: '$B' }, 'x$B'],
  ])('stay as they are written if they refer to %s', (_what, given, expected) => {
    expect(expansionOf(given).value('A')).toBe(expected);
  });

  it.each<[string, string]>([
    ['$$A', '$A'],
    ['a$', 'a$'],
    [`$1 ${braced('')} $-`, `$1 ${braced('')} $-`],
    [braced(`URL_${braced('ENV')}`), braced(`URL_${braced('ENV')}`)],
    ['$UNSET/$constructor', '/'],
    ['$RAW', 'a$B'],
    ['$FILE', 'content'],
  ])('make %s to %s', (value, expected) => {
    expect(expansionOf({ A: value, B: 'b', ENV: 'prod', RAW, FILE }).value('A')).toBe(expected);
  });

  it.each<[string, string]>([
    ['$$B', '$$B'],
    ['$UNSET/$B', '$UNSET/b'],
    ['$FILE', '$FILE'],
    ['$RAW', 'a$$B'],
  ])('leave to a runner of %s what it knows better: %s', (value, expected) => {
    expect(expansionOf({ A: value, B: 'b', RAW, FILE }, 'again').value('A')).toBe(expected);
  });

  it('are not looked into if they are raw or files', () => {
    const made = expansionOf({ RAW, FILE: { value: '$B', isFile: true }, B: 'b' });
    expect([made.value('RAW'), made.value('FILE')]).toEqual(['a$B', '$B']);
  });

  it('are secret if they have a secret in them, and not if they only stand beside it', () => {
    const made = expansionOf({ A: '$B', B: 'x$SECRET', C: '$D', D: 'd', SECRET: { value: 's', isSecret: true } });
    expect(['A', 'B', 'C', 'SECRET'].filter((name) => made.isSecret(name))).toEqual(['A', 'B', 'SECRET']);
  });

  it('do not grow without limit: what would be too long stays as it is written', () => {
    const doubled = Array.from({ length: 60 }, (_, at) => [`A${at}`, `$A${at + 1}$A${at + 1}`]);
    const made = expansionOf({ ...Object.fromEntries(doubled), A60: 'a'.repeat(1_000) });
    expect(made.value('A59')).toHaveLength(2_000);
    expect(made.value('A0')?.length).toBeLessThan(300_000);
  });

  it('may refer to each other in a chain of any length', LONG, () => {
    const chain = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`A${at}`, `$A${at + 1}`]));
    expect(expansionOf({ ...chain, A50000: 'end' }).value('A0')).toBe('end');
    expect(expansionOf({ A: 'a' }).names('$A'.repeat(200_000))).toEqual(['A']);
  });
});

describe('A text with variables', () => {
  it('is cut where it becomes longer than it may be', () => {
    expect(expansionOf({ A: 'abc' }).text('$A$A$A', 7)).toBe('abcabca');
    expect(expansionOf({ A: 'abc' }, 'again').text('$A$A$A', 7)).toBe('$A$A$A');
  });

  it('keeps names that are not set, or leaves them out', () => {
    const made = expansionOf({ A: 'a' });
    expect([made.text('$A-$B', 9), made.text('$A-$B', 9, 'vanish')]).toEqual(['a-$B', 'a-']);
  });

  it('says which variables it refers to, also by others', () => {
    expect(expansionOf({ A: '$B', B: '$A$C', C: 'c', D: 'd' }).names('x$A/$NONE').sort()).toEqual(['A', 'B', 'C']);
  });
});
