import { describe, expect, it } from 'vitest';
import { closedIssues } from '#src/domain/tracking/references/closing.ts';
import { mentions, recordNames } from '#src/domain/tracking/references/scan.ts';
import { LONG } from '../support/long.ts';

const records = (text: string) =>
  recordNames(text).map(({ type, path, number }) => `${path ?? ''}${type === 'Issue' ? '#' : '!'}${number}`);
const closed = (text: string) => closedIssues(text).map(({ path, number }) => `${path ?? ''}#${number}`);
const named = (text: string) => mentions(text).map(({ name, isAddressed }) => (isAddressed ? `${name}!` : name));

describe('The records that a text names', () => {
  it('are issues and merge requests of its project and of others, each once', () => {
    expect(records('See #4, (#5), !2 and #4.')).toEqual(['#4', '#5', '!2']);
    expect(records('a/b#4, A/B#4, group/sub/project!7; other#1')).toEqual(['a/b#4', 'group/sub/project!7', 'other#1']);
    expect(records('#4: first\n- #5\n* #6!')).toEqual(['#4', '#5', '#6']);
  });

  it('are not in code, quotes or other words', () => {
    expect(records('`#1` ``#2 ` #3`` #4')).toEqual(['#4']);
    expect(records('```\n#1\n```\n#2\n> #3\n~~~ruby\n#4\n~~~\n>>>\n#5\n>>>\n#6')).toEqual(['#2', '#6']);
    expect(records('`open #1')).toEqual(['#1']);
    expect(records('`a\n\n#1 b`')).toEqual(['#1']);
    expect(records('&#39; ##4 #4a #12345678901 !important')).toEqual([]);
  });
});

describe('The users that a text names', () => {
  it('are those behind an @, without addresses of mail', () => {
    expect(named('Hi @Ann, ask @bob.c. or @group/sub; not ann@example.org or `@eve`')).toEqual([
      'ann',
      'bob.c',
      'group/sub',
    ]);
  });

  it('are addressed where the text begins with them', () => {
    expect(named('@ann @bob, please ask @eve')).toEqual(['ann!', 'bob!', 'eve']);
    expect(named('Dear @ann')).toEqual(['ann']);
  });
});

describe('The issues that a text closes', () => {
  it('stand behind one of the words, in lists too', () => {
    for (const word of [
      'Close',
      'closes',
      'Closed',
      'closing',
      'fix',
      'Fixes',
      'fixed',
      'Fixing',
      'Resolve',
      'resolves',
    ]) {
      expect([word, closed(`${word} #4`)]).toEqual([word, ['#4']]);
    }
    expect(closed('Implements #4, and more; Fixes: issue #5')).toEqual(['#4', '#5']);
    expect(closed('Closes #4, #5 and group/project#6, other#7. See #8')).toEqual([
      '#4',
      '#5',
      'group/project#6',
      'other#7',
    ]);
  });

  it('are none without a word, or in code', () => {
    expect(closed('See #4, closes nothing, #5; disclose #6; fixture #7; `closes #8`; fixes#9')).toEqual([]);
  });
});

describe('Texts that are made to take long', () => {
  it('are read in the time of others', LONG, () => {
    const patterns = [
      '`',
      '``` ',
      '#',
      '@',
      '!1',
      'a/',
      'a.',
      '-',
      'closes ',
      'closes #1, ',
      '> ',
      '@a.',
      '/#',
      '#1',
      'fix a/',
    ];
    for (const pattern of patterns) {
      const text = pattern.repeat(Math.ceil(1_000_000 / pattern.length));
      recordNames(text);
      mentions(text);
      closedIssues(text);
    }
  });

  it('name at most a hundred of each', () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `closes #${n} @user${n}`).join(' ');
    expect([recordNames(text).length, mentions(text).length, closedIssues(text).length]).toEqual([100, 100, 100]);
  });
});
