import { describe, expect, it } from 'vitest';
import { dayOf, labelTitles, milestoneTitle, usernames } from '#src/quick_actions/names.ts';
import { mayHaveQuickActions, splitQuickActions } from '#src/quick_actions/split.ts';

describe('Quick actions in a text', () => {
  it.each([
    ['Done.\n/close', 'Done.', [['close', '']]],
    [
      '/label ~bug ~"needs work"\nIt fails.\n/assign @ann',
      'It fails.',
      [
        ['label', '~bug ~"needs work"'],
        ['assign', '@ann'],
      ],
    ],
    ['/title  A new title \r\nText\r\n', 'Text', [['title', 'A new title']]],
    ['/close', '', [['close', '']]],
    ['a\n\n/todo\n\nb', 'a\n\n\nb', [['todo', '']]],
  ])('are taken out of it: %j', (text, left, actions) => {
    const split = splitQuickActions(text);
    expect(split.text).toBe(left);
    expect(split.actions.map(({ name, argument }) => [name, argument])).toEqual(actions);
  });

  it.each([
    'Use /close to close it.',
    ' /close',
    '/unknown thing',
    '/closed',
    '/usr/bin/env',
    '/label',
    '/assign   ',
    '/Close',
    '```\n/close\n```',
    '~~~ sh\n/close\n~~~',
    '>>>\n/close\n>>>',
    '````\n```\n/close\n````',
  ])('are only whole lines of known names outside of code and quotes: %j', (text) => {
    expect(splitQuickActions(text)).toEqual({ text, actions: [] });
  });

  it('are read again behind a block of code', () => {
    expect(splitQuickActions('```\n/close\n```\n/reopen').actions.map(({ name }) => name)).toEqual(['reopen']);
  });

  it('are at most a hundred; further lines stay text', () => {
    const { text, actions } = splitQuickActions('/todo\n'.repeat(120).trim());
    expect(actions).toHaveLength(100);
    expect(text.split('\n')).toHaveLength(20);
  });

  it('take no longer for long and odd texts', () => {
    const odd = [
      '/'.repeat(65_000),
      '/a'.repeat(32_000),
      '`'.repeat(65_000),
      `/label ${'~"'.repeat(30_000)}`,
      '\n/'.repeat(30_000),
    ];
    const start = performance.now();
    for (const text of odd) splitQuickActions(text);
    labelTitles('~"'.repeat(30_000));
    labelTitles('~'.repeat(65_000));
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('may be looked for cheaply', () => {
    expect(mayHaveQuickActions('a\n/close')).toBe(true);
    expect([null, undefined, '', 'either/or', 'a /close'].map(mayHaveQuickActions)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('Names in the argument of a quick action', () => {
  it('are users with or without @', () => {
    expect(usernames('@ann bob, @eve')).toEqual(['ann', 'bob', 'eve']);
    expect(usernames('@')).toEqual([]);
  });

  it('are labels behind ~, in quotes where they have spaces', () => {
    expect(labelTitles('~bug ~"needs work",~a~b')).toEqual(['bug', 'needs work', 'a', 'b']);
    expect(labelTitles('bug')).toEqual([]);
    expect(labelTitles('~"open end')).toEqual([]);
  });

  it('are a milestone behind %', () => {
    expect(milestoneTitle('%v1.0')).toBe('v1.0');
    expect(milestoneTitle('%"next version"')).toBe('next version');
    expect(milestoneTitle('v1')).toBeNull();
  });

  it('are days as people write them', async () => {
    const now = new Date('2026-11-23T22:30:00Z');
    expect(await dayOf('2017-04-01', now)).toBe('2017-04-01');
    expect(await dayOf('tomorrow', now)).toBe('2026-11-24');
    expect(await dayOf('in 2 days', now)).toBe('2026-11-25');
    expect(await dayOf('this Friday', now)).toBe('2026-11-27');
    expect(await dayOf('December 31st', now)).toBe('2026-12-31');
    expect(await dayOf('soon', now)).toBeNull();
    expect(await dayOf('9'.repeat(1_000), now)).toBeNull();
  });
});
