import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dueDate } from '#src/domain/tracking/quick_actions/due_date.ts';
import { labelTitles, milestoneTitle, usernames } from '#src/domain/tracking/quick_actions/names.ts';
import { mayHaveQuickActions, splitQuickActions, textOf } from '#src/domain/tracking/quick_actions/split.ts';
import { OTHER_NAMES, QUICK_ACTIONS } from '#src/domain/tracking/quick_actions/table.ts';

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
    ['/Close', '', [['close', '']]],
    [
      '/SPENT 1h\n/award :tada:',
      '',
      [
        ['spend', '1h'],
        ['react', ':tada:'],
      ],
    ],
    ['/label', '', [['label', '']]],
    ['/unknown thing\nText', 'Text', [[null, 'thing']]],
    ['a\n\n/todo\n\nb', 'a\n\n\nb', [['todo', '']]],
  ])('are taken out of it: %j', (text, left, actions) => {
    const split = splitQuickActions(text);
    expect(textOf(split, new Map())).toBe(left);
    expect(split.actions.map(({ name, argument }) => [name, argument])).toEqual(actions);
  });

  it.each([
    'Use /close to close it.',
    ' /close',
    '/close/it',
    '/ok-to-test',
    '/1',
    '/usr/bin/env',
    '```\n/close\n```',
    '~~~ sh\n/close\n~~~',
    '>>>\n/close\n>>>',
    '````\n```\n/close\n````',
  ])('are only whole lines of known names outside of code and quotes: %j', (text) => {
    expect(splitQuickActions(text)).toEqual({ lines: text.split('\n'), actions: [] });
  });

  it('are read again behind a block of code', () => {
    expect(splitQuickActions('```\n/close\n```\n/reopen').actions.map(({ name }) => name)).toEqual(['reopen']);
  });

  it('are at most a hundred; further lines stay text', () => {
    const split = splitQuickActions('/todo\n'.repeat(120).trim());
    expect(split.actions).toHaveLength(100);
    expect(textOf(split, new Map()).split('\n')).toHaveLength(20);
  });

  it('may be text with a face, or with names', () => {
    const text = ['/shrug Who knows', '/Tableflip', '/cc @ann'].join('\n');
    const split = splitQuickActions(text);
    expect(split.actions).toEqual([]);
    expect(split.lines).toEqual(['Who knows ¯\\＿(ツ)＿/¯', '(╯°□°)╯︵ ┻━┻', '/cc @ann']);
  });

  it('take no longer for long and odd texts', () => {
    const odd = [
      '/'.repeat(65_000),
      '/a'.repeat(32_000),
      '`'.repeat(65_000),
      `/label ${'~"'.repeat(30_000)}`,
      '\n/'.repeat(30_000),
    ];
    for (const text of odd) splitQuickActions(text);
    labelTitles('~"'.repeat(30_000));
    labelTitles('~'.repeat(65_000));
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

describe('The manual', () => {
  it('has every quick action, by all of its names', () => {
    const manual = readFileSync(new URL('../../docs/quick-actions.md', import.meta.url), 'utf8');
    const table = manual
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n');
    const names = [...Object.keys(QUICK_ACTIONS), ...Object.keys(OTHER_NAMES)];
    expect(names.filter((name) => !new RegExp(`\`/${name}[\` ]`).test(table))).toEqual([]);
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
});

describe('A due date', () => {
  // A Monday.
  const now = new Date('2026-11-23T22:30:00Z');

  it.each([
    ['2017-04-01', '2017-04-01'],
    ['2027/4/1', '2027-04-01'],
    ['2027-04-01T10:00:00Z', '2027-04-01'],
    ['4/1/2027', '2027-04-01'],
    ['4/1', '2027-04-01'],
    ['today', '2026-11-23'],
    ['Tomorrow', '2026-11-24'],
    ['  tomorrow  at   5pm ', '2026-11-24'],
    ['yesterday', '2026-11-22'],
    ['the day after tomorrow', '2026-11-25'],
    ['in 2 days', '2026-11-25'],
    ['in\t2  days', '2026-11-25'],
    ['in a week', '2026-11-30'],
    ['in three weeks', '2026-12-14'],
    ['in 1 month', '2026-12-23'],
    ['in 2 years', '2028-11-23'],
    ['10 days from now', '2026-12-03'],
    ['3 days ago', '2026-11-20'],
    ['Monday', '2026-11-23'],
    ['Friday', '2026-11-27'],
    ['this Friday', '2026-11-27'],
    ['on fri', '2026-11-27'],
    ['next Friday', '2026-12-04'],
    ['next Monday', '2026-11-30'],
    ['last Friday', '2026-11-20'],
    ['next week', '2026-11-30'],
    ['next month', '2026-12-23'],
    ['next year', '2027-11-23'],
    ['December 31st', '2026-12-31'],
    ['by December 31st, 2028', '2028-12-31'],
    ['Dec 31 2028', '2028-12-31'],
    ['Sept. 3', '2027-09-03'],
    ['November 23', '2026-11-23'],
    ['November 22', '2027-11-22'],
    ['31 December', '2026-12-31'],
    ['the 3rd of May, 2027', '2027-05-03'],
    ['Friday, 4 December 2026', '2026-12-04'],
    ['December 2027', '2027-12-01'],
    ['February 29', '2028-02-29'],
  ])('may be written as %j', (text, day) => {
    expect(dueDate(text, now)).toBe(day);
  });

  it('a month after the last of January is the last of February', () => {
    expect(dueDate('in 1 month', new Date('2027-01-31T00:00:00Z'))).toBe('2027-02-28');
    expect(dueDate('next Sunday', new Date('2026-11-29T00:00:00Z'))).toBe('2026-12-06');
  });

  it.each([
    '',
    'soon',
    'in days',
    'in 2 moons',
    'in 2 days or so',
    '2026-02-30',
    '2026-13-01',
    '0000-01-01',
    'February 30',
    'in 9999 years',
    'next',
    'day',
    'this week 5',
    '9'.repeat(1_000),
    `in ${'9'.repeat(50)} days`,
    `tomorrow ${'x '.repeat(40)}`,
  ])('is not %j', (text) => {
    expect(dueDate(text, now)).toBeNull();
  });
});
