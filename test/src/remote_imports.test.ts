import { describe, expect, it } from 'vitest';
import { attachmentsIn, type RewriteRules, rewrite } from '#src/domain/remote_imports/base/rewrite.ts';
import type { PhaseContext } from '#src/domain/remote_imports/base/source.ts';
import { GITHUB } from '#src/domain/remote_imports/github/provider.ts';
import { type LineComment, positionsOf, withSuggestions } from '#src/domain/remote_imports/line_comments.ts';
import { estimatedEnd } from '#src/domain/remote_imports/progress.ts';
import { cutOff, stagedList } from '#src/domain/remote_imports/registry/staged.ts';
import { rateLimitOf } from '#src/platform/outbound/rate_limit.ts';

const WEB = 'https://github.com/octo/app';
const IMAGE = 'https://user-images.githubusercontent.com/1/a.png';
const rules: RewriteRules = {
  web: WEB,
  path: 'octo/app',
  isMergeRequest: (number) => number === 12,
  attached: (address) => (address === IMAGE ? '/uploads/0123/a.png' : null),
  attachments: GITHUB.texts.attachments('https://github.com'),
};

describe('Texts of a source', () => {
  it.each([
    ['See #12 and #13.', 'See !12 and #13.'],
    ['GH-12, octo/app#12, Octo/App#13, other/app#12', '!12, !12, #13, other/app#12'],
    [`${WEB}/pull/12 and ${WEB}/issues/12, ${WEB}/issues/13#issuecomment-9`, '!12 and !12, #13'],
    [`${WEB}/pull/12/files`, `${WEB}/pull/12/files`],
    ['https://elsewhere.example/octo/app/pull/12', 'https://elsewhere.example/octo/app/pull/12'],
    ['Ask @octocat, @octo/team and a@b.example.', 'Ask `@octocat`, `@octo/team` and a@b.example.'],
    ['`#12 @octocat` but #12', '`#12 @octocat` but !12'],
    ['``a ` #12`` and `#12', '``a ` #12`` and `!12'],
    ['```\n#12\n```\n#12', '```\n#12\n```\n!12'],
    ['~~~ruby\n#12 @a\n', '~~~ruby\n#12 @a\n'],
    [`![x](${IMAGE}) \`${IMAGE}\``, `![x](/uploads/0123/a.png) \`${IMAGE}\``],
    ['x#12, a/#12, &#12;', 'x#12, a/#12, &#12;'],
    ['', ''],
  ])('%j becomes %j', (text, wanted) => {
    expect(rewrite(text, rules)).toBe(wanted);
  });

  it('name files outside of code alone', () => {
    const uploaded = 'https://github.com/user-attachments/assets/0a-1';
    const text = `${uploaded} \`${IMAGE}\` https://evil.example/${IMAGE}`;
    expect(attachmentsIn(text, rules.attachments)).toEqual([uploaded, IMAGE]);
  });

  it('come through whole, however odd they are', () => {
    for (const piece of ['`', '``` ', '@a', '#1', '`a``', `${WEB}/`]) {
      const text = piece.repeat(200_000 / piece.length);
      const plain = (one: string) => one.replace(/[`!#\d]/g, '').slice(0, 1_000);
      expect(rewrite(text, rules).length).toBeGreaterThan(text.length / 2);
      if (!piece.startsWith('#')) expect(plain(rewrite(text, rules))).toBe(plain(text));
    }
  });
});

describe('A comment on a line', () => {
  const [base, head] = ['a'.repeat(40), 'b'.repeat(40)];
  const comment: LineComment = {
    id: 1,
    merge_request_id: 3,
    answers: null,
    body: '',
    path: 'new.txt',
    commit: head,
    original_commit: head,
    is_file: false,
    is_old: false,
    line: 3,
    original_line: 3,
    lines_above: 1,
    hunk: '@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+more',
  };
  const version = { head, base, start: base };
  const positions = (more: Partial<LineComment>) =>
    positionsOf({ ...comment, ...more }, version, () => 'old.txt') as Record<string, never>;

  it('has its place in the changes, with the lines above it', () => {
    const { position, original_position: original, diff_lines: lines } = positions({});
    expect(position).toEqual(original);
    expect(position).toMatchObject({
      oldPath: 'old.txt',
      newPath: 'new.txt',
      oldLine: null,
      newLine: 3,
      headSha: head,
    });
    expect(position).toHaveProperty('lineRange.start', { lineCode: null, type: 'new', oldLine: null, newLine: 2 });
    expect(lines).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'TWO' }, { text: 'more' }]);
  });

  it('keeps the line as it was where that is gone or the branch has moved', () => {
    const earlier = 'c'.repeat(40);
    const gone = positions({ line: null, original_commit: earlier });
    expect(gone.position).toBeNull();
    expect(gone.original_position).toMatchObject({ headSha: earlier, newLine: 3 });
    const moved = positions({ line: 9, original_commit: earlier });
    expect(moved.position).toMatchObject({ headSha: head, newLine: 9 });
    expect(positions({ hunk: 'nonsense' })).toEqual({});
    expect(positionsOf(comment, null, (path) => path)).toEqual({});
  });

  it('suggests to replace all of its lines', () => {
    expect(withSuggestions('```suggestion\nx\n```', 2)).toBe('```suggestion:-2+0\nx\n```');
    expect(withSuggestions('```suggestion\nx\n```', 0)).toBe('```suggestion\nx\n```');
    expect(withSuggestions('```suggestions\nx\n```', 2)).toBe('```suggestions\nx\n```');
  });
});

describe('A source that limits requests', () => {
  const now = Date.UTC(2026, 10, 30);
  const seconds = (status: number, headers: Record<string, string>, text = '') => {
    const until = rateLimitOf(status, headers, text, now);
    return until && (until.getTime() - now) / 1_000;
  };
  it('is asked again when it says', () => {
    expect(seconds(429, { 'retry-after': '30' })).toBe(30);
    expect(seconds(503, { 'retry-after': new Date(now + 40_000).toUTCString() })).toBe(40);
    expect(seconds(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 50) })).toBe(50);
    expect(seconds(429, { 'ratelimit-reset': String(now / 1_000 + 60) })).toBe(60);
    expect(seconds(429, {})).toBe(60);
    expect(seconds(403, {}, 'You have exceeded a secondary rate limit')).toBe(60);
    expect(seconds(403, { 'x-ratelimit-remaining': '7' }, 'Forbidden')).toBeNull();
    expect(seconds(404, { 'retry-after': '30' })).toBeNull();
    // No source stops an import for ever, or has it asked without end.
    expect(seconds(429, { 'retry-after': '999999999' })).toBe(24 * 60 * 60);
    expect(seconds(429, { 'retry-after': '0' })).toBe(1);
  });

  it('lets the time that is left be told', () => {
    const startedAt = new Date(now - 60_000);
    const counts = [
      { kind: 'issues', fetched: 20, total: 80 },
      { kind: 'comments', fetched: 3, total: null },
    ];
    expect(estimatedEnd(counts, startedAt, now)).toEqual(new Date(now + 180_000));
    expect(estimatedEnd([], startedAt, now)).toBeNull();
    expect(estimatedEnd(counts, null, now)).toBeNull();
  });
});

describe('Lists of what was staged', () => {
  const context = (records: readonly { id: string }[]) =>
    ({
      async *staged() {
        yield* records;
      },
    }) as unknown as PhaseContext;
  const listOf = (records: readonly { id: string }[]) =>
    stagedList<{ id: string }>(context(records), 'packages', 2, ({ id }) => id);

  it('have each record once, end at their limit, and say so', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id })) as [{ id: string }, { id: string }, { id: string }];
    const whole = await listOf([a, b, a, b]);
    expect([whole, cutOff(whole, 'packages')]).toEqual([[a, b], []]);
    const some = await listOf([a, b, c]);
    expect(some).toEqual([a, b]);
    expect(cutOff(some, 'packages')).toEqual([
      { kind: 'packages', name: null, message: 'The source has more than 2: the others stay behind.' },
    ]);
  });
});
