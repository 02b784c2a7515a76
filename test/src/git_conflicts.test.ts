import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Signature } from '#src/git/base/model.ts';
import { openRepository } from '#src/git/open.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { bothOf, type ConflictPart } from '#src/git/write/conflict_regions.ts';
import { findConflicts } from '#src/git/write/conflicts.ts';
import { mergeResolved } from '#src/git/write/resolved_merge.ts';
import { text } from '../support/git_fixtures.ts';
import { type Change, HistoryBuilder } from '../support/git_history.ts';
import { git, gitLines, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const committer: Signature = { name: 'Cleo', email: 'cleo@example.com', seconds: 1_600_000_000, offset: 0 };
const a = text(20, 'a');
const put = (name: string, content: string | Buffer, mode?: '100755' | '120000'): Change => ({
  path: name,
  content,
  ...(mode === undefined ? {} : { mode }),
});
const drop = (name: string): Change => ({ path: name, remove: true });

interface Case {
  base: Change[];
  ours: Change[];
  theirs: Change[];
}

afterEach(() => {
  vi.unstubAllEnvs();
  forgetProgram();
});

/** A repository in which `main` and `topic` have changed what a first commit holds. */
function forked({ base, ours, theirs }: Case) {
  const h = new HistoryBuilder();
  const root = h.commit({ branch: 'main', changes: base });
  h.commit({ branch: 'main', from: [root], changes: ours });
  h.commit({ branch: 'topic', from: [root], changes: theirs });
  const directory = h.build();
  const [onto = '', merged = ''] = gitLines(directory, ['rev-parse', 'main', 'topic']);
  return { directory, onto, merged };
}

async function conflictsOf(one: Case) {
  const { directory, onto, merged } = forked(one);
  const reader = await openRepository(directory);
  const found = await findConflicts(reader, { ours: onto, theirs: merged });
  await reader.close();
  return found?.files.map(({ path, kind, parts }) => ({ path, kind, parts })) ?? null;
}

/** The ways of resolving all regions of a file. */
const WAYS = {
  ours: ({ ours }: { ours: string; theirs: string }) => ours,
  theirs: ({ theirs }: { ours: string; theirs: string }) => theirs,
  both: bothOf,
};

function resolved(parts: readonly ConflictPart[], way: keyof typeof WAYS): string {
  return parts.map((part) => ('text' in part ? part.text : WAYS[way](part))).join('');
}

describe('Conflicts', () => {
  it('are the regions of a file for which each side has other lines', async () => {
    const base = ['one\n', 'two\n', 'three\n', 'four\n', 'five\n', 'six\n', 'seven\n', 'eight\n'];
    const changed = (at: Record<number, string>) => base.map((line, index) => at[index] ?? line).join('');
    const files = await conflictsOf({
      base: [put('a', base.join('')), put('b', 'b\n')],
      ours: [put('a', changed({ 1: 'TWO\n', 6: 'SEVEN\n' }))],
      theirs: [put('a', changed({ 1: 'zwei\n', 6: 'sieben\n' })), put('b', 'B\n')],
    });
    expect(files).toEqual([
      {
        path: 'a',
        kind: 'text',
        parts: [
          { text: 'one\n' },
          { ours: 'TWO\n', theirs: 'zwei\n' },
          { text: 'three\nfour\nfive\nsix\n' },
          { ours: 'SEVEN\n', theirs: 'sieben\n' },
          { text: 'eight\n' },
        ],
      },
    ]);
  });

  it('are told apart from marks of conflicts that the files contain', LONG, async () => {
    const marks = '<<<<<<< ours\n=======\n>>>>>>> theirs\n';
    const files = await conflictsOf({
      base: [put('a', `${marks}one\n`)],
      ours: [put('a', `${marks}ours\n`)],
      theirs: [put('a', `${marks}theirs\n`)],
    });
    expect(files?.[0]?.parts).toEqual([{ text: marks }, { ours: 'ours\n', theirs: 'theirs\n' }]);
  });

  it('keep ends of lines, and files without one at their end', LONG, async () => {
    const files = await conflictsOf({
      base: [put('a', 'one\r\ntwo\r\n'), put('b', 'one\ntwo')],
      ours: [put('a', 'one\r\nTWO\r\n'), put('b', 'one\nTWO')],
      theirs: [put('a', 'one\r\nzwei\r\n'), put('b', 'one\nzwei\n')],
    });
    expect(files?.map(({ parts }) => parts)).toEqual([
      [{ text: 'one\r\n' }, { ours: 'TWO\r\n', theirs: 'zwei\r\n' }],
      [{ text: 'one\n' }, { ours: 'TWO', theirs: 'zwei\n' }],
    ]);
    expect(resolved(files?.[1]?.parts ?? [], 'both')).toBe('one\nTWO\nzwei\n');
  });

  it('of a file that was moved are those of the file at its new path', LONG, async () => {
    const files = await conflictsOf({
      base: [put('a', a)],
      ours: [drop('a'), put('d/b', `x\n${a}`)],
      theirs: [put('a', `y\n${a}`)],
    });
    expect(files).toEqual([{ path: 'd/b', kind: 'text', parts: [{ ours: 'x\n', theirs: 'y\n' }, { text: a }] }]);
  });

  const KINDS: Record<string, Case & { kinds: string[] }> = {
    'a binary file': {
      base: [put('f', 'x\0')],
      ours: [put('f', 'y\0')],
      theirs: [put('f', 'z\0')],
      kinds: ['f binary'],
    },
    'text in another encoding': {
      base: [put('f', 'x\n')],
      ours: [put('f', Buffer.from('f\xfcr\n', 'latin1'))],
      theirs: [put('f', 'z\n')],
      kinds: ['f binary'],
    },
    'a file that one side deleted': {
      base: [put('f', a), put('z', '')],
      ours: [drop('f')],
      theirs: [put('f', `${a}x\n`)],
      kinds: ['f deleted'],
    },
    'a file that both moved': {
      base: [put('f', a)],
      ours: [drop('f'), put('g', a)],
      theirs: [drop('f'), put('h', a)],
      kinds: ['f moved', 'g moved', 'h moved'],
    },
    'a link': {
      base: [put('f', 'x', '120000')],
      ours: [put('f', 'y', '120000')],
      theirs: [put('f', 'z', '120000')],
      kinds: ['f link'],
    },
    'a submodule': {
      base: [{ path: 'f', submodule: '1'.repeat(40) }],
      ours: [{ path: 'f', submodule: '2'.repeat(40) }],
      theirs: [{ path: 'f', submodule: '3'.repeat(40) }],
      kinds: ['f submodule'],
    },
    'a large file': {
      base: [put('f', 'x\n')],
      ours: [put('f', 'y\n'.repeat(200_000))],
      theirs: [put('f', 'z\n')],
      kinds: ['f tooLarge'],
    },
  };

  it.each(Object.entries(KINDS))('name what is not resolved here: %s', async (_, { kinds, ...one }) => {
    const files = await conflictsOf(one);
    expect(files?.map(({ path, kind }) => `${path} ${kind}`)).toEqual(kinds);
    expect(files?.every(({ parts }) => parts.length === 0)).toBe(true);
  });

  it('with more regions than are shown are too large', LONG, async () => {
    const lines = (word: string) => Array.from({ length: 1_800 }, (_, at) => (at % 6 === 0 ? `${word}\n` : `${at}\n`));
    const files = await conflictsOf({
      base: [put('f', lines('x').join(''))],
      ours: [put('f', lines('y').join(''))],
      theirs: [put('f', lines('z').join(''))],
    });
    expect(files).toEqual([{ path: 'f', kind: 'tooLarge', parts: [] }]);
  });

  it('of a file that attributes keep from being merged are one region where git sees none', LONG, async () => {
    const files = await conflictsOf({
      base: [put('.gitattributes', 'a -merge\n'), put('a', a)],
      ours: [put('a', `top\n${a}`)],
      theirs: [put('a', `${a}end\n`)],
    });
    expect(files).toEqual([{ path: 'a', kind: 'text', parts: [{ ours: `top\n${a}`, theirs: `${a}end\n` }] }]);
  });

  it('are whole files without a git program', async () => {
    const one = { base: [put('a', a), put('b', 'b\n')], ours: [put('a', `x\n${a}`)], theirs: [put('a', `y\n${a}`)] };
    const { directory, onto, merged } = forked(one);
    vi.stubEnv('PATH', scratch());
    forgetProgram();
    const reader = await openRepository(directory);
    const found = await findConflicts(reader, { ours: onto, theirs: merged });
    expect(found?.files).toMatchObject([{ path: 'a', kind: 'text', parts: [{ ours: `x\n${a}`, theirs: `y\n${a}` }] }]);
  });
});

describe('A merge whose conflicts are resolved', () => {
  const one: Case = {
    base: [put('a', a), put('deep/b', 'b\n'), put('c', 'c\n')],
    ours: [put('a', `ours\n${a}`), put('deep/b', 'ours\n', '100755'), put('left', 'l\n')],
    theirs: [put('a', `theirs\n${a}`), put('deep/b', 'theirs\n'), put('c', 'C\n'), put('new/right', 'r\n')],
  };

  it.each(['ours', 'theirs'] as const)('has the lines that git merge takes with -X %s', async (way) => {
    const { directory, onto, merged } = forked(one);
    const reader = await openRepository(directory);
    const oid = await mergeResolved(reader, {
      ...{ onto, merged, author: committer, committer, message: 'Merge\n' },
      resolve: (files) => files.map(({ parts }) => resolved(parts, way)),
    });
    const [tree] = gitLines(directory, ['rev-parse', `${oid}^{tree}`]);
    const copy = `${scratch()}/copy`;
    git(directory, ['clone', '--quiet', '--branch=main', directory, copy]);
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    const place = [`--git-dir=${copy}/.git`, `--work-tree=${copy}`];
    git(directory, ['-C', copy, ...who, ...place, 'merge', '--quiet', '-X', way, '--no-edit', merged]);
    expect(gitLines(`${copy}/.git`, ['rev-parse', 'HEAD^{tree}'])).toEqual([tree]);
    expect(gitLines(directory, ['log', '-1', '--format=%P', oid])).toEqual([`${onto} ${merged}`]);
    git(directory, ['update-ref', 'refs/heads/main', oid]);
    // Nothing with marks of conflicts was left behind.
    expect(git(directory, ['fsck', '--strict', '--unreachable'])).toBe('');
    await reader.close();
  });

  it('has the text that somebody wrote, and what git acts upon is checked', LONG, async () => {
    const { directory, onto, merged } = forked({
      base: [put('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n')],
      ours: [put('.gitmodules', '[submodule "x"]\n\tpath = y\n\turl = https://example.com/x\n')],
      theirs: [put('.gitmodules', '[submodule "x"]\n\tpath = z\n\turl = https://example.com/x\n')],
    });
    const reader = await openRepository(directory);
    const merge = (content: string) =>
      mergeResolved(reader, {
        ...{ onto, merged, author: committer, committer, message: 'Merge\n' },
        resolve: () => [content],
      });
    await expect(merge('[submodule "../x"]\n\tpath = z\n\turl = https://example.com/x\n')).rejects.toMatchObject({
      name: 'RefusedObjects',
    });
    const oid = await merge('[submodule "x"]\n\tpath = q\n\turl = https://example.com/x\n');
    expect(git(directory, ['show', `${oid}:.gitmodules`])).toContain('path = q');
    await reader.close();
  });

  it('is not made without conflicts', async () => {
    const { directory, onto, merged } = forked({ base: [put('a', a)], ours: [put('b', '')], theirs: [put('c', '')] });
    const reader = await openRepository(directory);
    const merge = { onto, merged, author: committer, committer, message: 'Merge\n', resolve: () => [] };
    await expect(mergeResolved(reader, merge)).rejects.toMatchObject({ name: 'NothingChanged' });
    await reader.close();
  });
});
