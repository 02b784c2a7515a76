// One part in depth, which the long run has.
// @module-tag long
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Signature } from '#src/git/base/model.ts';
import { openRepository } from '#src/git/open.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { cherryPick, MergeConflict, mergeInto, NothingChanged } from '#src/git/writer.ts';
import { text } from '../support/git_fixtures.ts';
import { type Change, HistoryBuilder } from '../support/git_history.ts';
import { git, gitCode, gitLines, scratch } from '../support/git_program.ts';
import { everyNth, LONG } from '../support/long.ts';

const committer: Signature = { name: 'Cleo', email: 'cleo@example.com', seconds: 1_600_000_000, offset: 0 };

interface Case {
  base: Change[];
  ours: Change[];
  theirs: Change[];
  /** Whether it cannot be merged. */
  conflict?: boolean;
}

const a = text(20, 'a');
const put = (name: string, content: string, mode?: '100755' | '120000'): Change => ({
  path: name,
  content,
  ...(mode === undefined ? {} : { mode }),
});
const drop = (name: string): Change => ({ path: name, remove: true });

const CASES: Record<string, Case> = {
  'another file': { base: [put('a', a)], ours: [put('b', 'b\n')], theirs: [put('c', 'c\n')] },
  'other lines of a file': { base: [put('a', a)], ours: [put('a', `top\n${a}`)], theirs: [put('a', `${a}end\n`)] },
  'the same lines': { base: [put('a', a)], ours: [put('a', `x\n${a}`)], theirs: [put('a', `y\n${a}`)], conflict: true },
  'a file that was renamed': { base: [put('a', a)], ours: [drop('a'), put('d/b', a)], theirs: [put('a', `${a}end\n`)] },
  'by a rename': { base: [put('a', a)], ours: [put('a', `top\n${a}`)], theirs: [drop('a'), put('d/b', a)] },
  'by a rename to a taken name': {
    base: [put('a', a)],
    ours: [put('b', 'b\n')],
    theirs: [drop('a'), put('b', a)],
    conflict: true,
  },
  'two ways of renaming': {
    base: [put('a', a)],
    ours: [drop('a'), put('b', a)],
    theirs: [drop('a'), put('c', a)],
    conflict: true,
  },
  'a deleted file': {
    base: [put('a', a), put('z', '')],
    ours: [drop('a')],
    theirs: [put('a', `${a}x\n`)],
    conflict: true,
  },
  'by deleting what changed': {
    base: [put('a', a), put('z', '')],
    ours: [put('a', `${a}x\n`)],
    theirs: [drop('a')],
    conflict: true,
  },
  'by deleting': { base: [put('a', a), put('b/c', 'z\n')], ours: [put('x', 'x\n')], theirs: [drop('b/c')] },
  'the same file added': {
    base: [put('a', a)],
    ours: [put('b', 'b\n'), put('c', '1\n')],
    theirs: [put('b', 'b\n'), put('d', '2\n')],
  },
  'different files added': { base: [put('a', a)], ours: [put('b', '1\n')], theirs: [put('b', '2\n')], conflict: true },
  'mode and content': { base: [put('a', a)], ours: [put('a', a, '100755')], theirs: [put('a', `${a}x\n`)] },
  'a binary file twice': { base: [put('a', '\0')], ours: [put('a', '\0x')], theirs: [put('a', '\0y')], conflict: true },
  'a file below a file': { base: [put('a', a)], ours: [put('b', '1\n')], theirs: [put('b/c', '2\n')], conflict: true },
  'a directory by a file': {
    base: [put('a', a), put('d/e', '1\n')],
    ours: [put('x', 'x\n')],
    theirs: [drop('d/e'), put('d', '2\n')],
  },
  'a file that became a link, with the same target as its content': {
    base: [put('l', 'a')],
    ours: [put('l', 'a', '120000')],
    theirs: [put('l', 'b')],
    conflict: true,
  },
  'the content of a file by a link': {
    base: [put('l', 'a')],
    ours: [put('l', 'b')],
    theirs: [put('l', 'a', '120000')],
    conflict: true,
  },
  'the content of what became a link': {
    base: [put('l', a)],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', `${a}end\n`)],
    conflict: true,
  },
  'the mode of a link': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'a')],
    theirs: [put('l', 'a', '100755')],
    conflict: true,
  },
  'a link that became a file, to another place': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'a')],
    conflict: true,
  },
  'a file by a submodule': {
    base: [put('l', 'a')],
    ours: [put('l', 'b')],
    theirs: [{ path: 'l', submodule: '1'.repeat(40) }],
    conflict: true,
  },
  'a submodule by a file': {
    base: [{ path: 'l', submodule: '1'.repeat(40) }],
    ours: [put('x', '')],
    theirs: [put('l', 'a')],
  },
  'a file by a link': { base: [put('l', 'a')], ours: [put('x', '')], theirs: [put('l', 'a', '120000')] },
  'another file beside a link that was made of one': {
    base: [put('l', 'a')],
    ours: [put('l', 'a', '120000')],
    theirs: [put('x', '')],
  },
  'a file to the same link': {
    base: [put('l', 'a')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'b', '120000'), put('x', '')],
  },
  'the mode of a file that was renamed to a link': {
    base: [put('a', a)],
    ours: [drop('a'), put('b', a, '120000')],
    theirs: [put('a', a, '100755')],
    conflict: true,
  },
  'links twice': {
    base: [put('l', 'a', '120000')],
    ours: [put('l', 'b', '120000')],
    theirs: [put('l', 'c', '120000')],
    conflict: true,
  },
};

afterEach(() => {
  vi.unstubAllEnvs();
  forgetProgram();
});

/** A repository in which `main` and `topic` have changed what a first commit holds. */
function forked({ base, ours, theirs }: Case): { directory: string; onto: string; commit: string } {
  const h = new HistoryBuilder();
  const root = h.commit({ branch: 'main', changes: base });
  h.commit({ branch: 'main', from: [root], changes: ours });
  const author = 'Tess <tess@example.com>';
  h.commit({ branch: 'topic', from: [root], changes: theirs, author, message: 'Topic\n' });
  const directory = h.build();
  const [onto = '', commit = ''] = gitLines(directory, ['rev-parse', 'main', 'topic']);
  return { directory, onto, commit };
}

/** Tree, parent and people of a commit. */
function shown(directory: string, oid: string): string {
  return git(directory, ['log', '-1', '--format=%T %P %an %cn %s', oid]).trim();
}

describe('Cherry-picking', () => {
  for (const [options, cases] of everyNth(16, Object.entries(CASES))) {
    it.each(cases)('changes %s as git merge-tree does', options, async (_, one) => {
      const { theirs, conflict = false } = one;
      const { directory, onto, commit } = forked(one);
      expect(gitCode(directory, ['merge-tree', '--write-tree', 'main', 'topic'])).toBe(conflict ? 1 : 0);
      const reader = await openRepository(directory);
      const picked = await cherryPick(reader, { commit, onto, committer }).catch((error) => error);
      expect(readdirSync(path.join(directory, 'objects')).filter((name) => name.startsWith('incoming'))).toEqual([]);
      if (conflict) expect(picked).toBeInstanceOf(MergeConflict);
      else {
        const [tree] = gitLines(directory, ['merge-tree', '--write-tree', 'main', 'topic']);
        expect(shown(directory, picked)).toBe(`${tree} ${onto} Tess Cleo Topic`);
        await updateRef(directory, 'refs/heads/main', { from: onto, to: picked });
        expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
        await expect(cherryPick(reader, { commit, onto: picked, committer })).rejects.toThrow(
          theirs.some((change) => 'remove' in change) ? /./ : NothingChanged,
        );
      }
      await reader.close();
    });
  }

  it('names the paths in conflict, and follows no renames of whole directories', LONG, async () => {
    const names = ['b', 'c', 'd'];
    const files = (folder: string) => names.map((name) => put(`${folder}/${name}`, text(20, name)));
    const { directory, onto, commit } = forked({
      base: [put('a', a), ...files('old')],
      ours: [put('a', `x\n${a}`), ...names.map((name) => drop(`old/${name}`)), ...files('new')],
      theirs: [put('a', `y\n${a}`), put('old/e', 'e\n')],
    });
    const reader = await openRepository(directory);
    const error = await cherryPick(reader, { commit, onto, committer }).catch((failure) => failure);
    expect(error).toMatchObject({ paths: ['a'] });
    await reader.close();
  });

  it('takes the root of a history, and a merge against its first parent', LONG, async () => {
    const h = new HistoryBuilder();
    const root = h.commit({ branch: 'main', changes: [put('a', a)] });
    const side = h.commit({ branch: 'side', from: [root], changes: [put('side', 's\n')] });
    const next = h.commit({ branch: 'main', from: [root], changes: [put('b', 'b\n')] });
    h.commit({ branch: 'main', from: [next, side], changes: [put('side', 's\n')] });
    h.commit({ branch: 'other', changes: [put('z', 'z\n')] });
    const directory = h.build();
    const [merge = '', first = '', onto = ''] = gitLines(directory, ['rev-parse', 'main', 'main~2', 'other']);
    const reader = await openRepository(directory);
    const names = async (commit: string) => {
      const picked = await cherryPick(reader, { commit, onto, committer });
      return gitLines(directory, ['ls-tree', '-r', '--name-only', picked]);
    };
    expect([await names(first), await names(merge)]).toEqual([
      ['a', 'z'],
      ['side', 'z'],
    ]);
    await reader.close();
  });
});

/** What a program of the repository's choice would do, if any were run. */
const RUN = 'merge=custom';

const ATTRIBUTES: Record<string, Case> = {
  'union, of a directory below': {
    base: [put('log/.gitattributes', '*.md merge=union\n'), put('log/deep/c.md', a)],
    ours: [put('log/deep/c.md', `${a}ours\n`)],
    theirs: [put('log/deep/c.md', `${a}theirs\n`)],
  },
  'union, overruled below': {
    base: [put('.gitattributes', '* merge=union\n'), put('d/.gitattributes', '*.c merge=text\n'), put('d/x.c', a)],
    ours: [put('d/x.c', `${a}ours\n`)],
    theirs: [put('d/x.c', `${a}theirs\n`)],
    conflict: true,
  },
  'binary, although its lines could be merged': {
    base: [put('.gitattributes', '*.lock merge=binary\n'), put('a.lock', a)],
    ours: [put('a.lock', `top\n${a}`)],
    theirs: [put('a.lock', `${a}end\n`)],
    conflict: true,
  },
  'none, although its lines could be merged': {
    base: [put('.gitattributes', 'a -merge\n'), put('a', a)],
    ours: [put('a', `top\n${a}`)],
    theirs: [put('a', `${a}end\n`)],
    conflict: true,
  },
  'by a program that nobody set up: lines are merged': {
    base: [put('.gitattributes', `a ${RUN}\n`), put('a', a)],
    ours: [put('a', `top\n${a}`)],
    theirs: [put('a', `${a}end\n`)],
  },
  'union, of what was moved': {
    base: [put('new/.gitattributes', 'b merge=union\n'), put('a', a)],
    ours: [drop('a'), put('new/b', `${a}ours\n`)],
    theirs: [put('a', `${a}theirs\n`)],
  },
  'union, of what the other one moved': {
    base: [put('new/.gitattributes', 'b merge=union\n'), put('a', a)],
    ours: [put('a', `${a}ours\n`)],
    theirs: [drop('a'), put('new/b', `${a}theirs\n`)],
  },
  'as the branch has it, not as what comes in says': {
    base: [put('.gitattributes', ''), put('a', a)],
    ours: [put('a', `${a}ours\n`)],
    theirs: [put('.gitattributes', '* merge=union\n'), put('a', `${a}theirs\n`)],
    conflict: true,
  },
  'not by a link': {
    base: [put('attributes', '* merge=union\n'), put('.gitattributes', 'attributes', '120000'), put('a', a)],
    ours: [put('a', `${a}ours\n`)],
    theirs: [put('a', `${a}theirs\n`)],
    conflict: true,
  },
};

describe('Files whose attributes say how they are merged', () => {
  for (const [options, cases] of everyNth(16, Object.entries(ATTRIBUTES))) {
    it.each(cases)('are merged as git does it in a working tree: %s', options, async (_, one) => {
      const { conflict = false } = one;
      const { directory, onto, commit } = forked(one);
      const copy = path.join(scratch(), 'copy');
      git(directory, ['clone', '--quiet', '--branch=main', directory, copy]);
      const inCopy = ['-C', copy, '-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'merge.directoryRenames=false'];
      const merging = [`--git-dir=${copy}/.git`, `--work-tree=${copy}`, 'merge', '--quiet', '--no-edit', commit];
      expect(gitCode(directory, [...inCopy, ...merging])).toBe(conflict ? 1 : 0);
      const reader = await openRepository(directory);
      const who = { author: committer, committer, message: 'Merge\n' };
      for (const make of [
        () => mergeInto(reader, { ...who, onto, merged: commit }),
        () => cherryPick(reader, { commit, onto, committer }),
      ]) {
        const made = await make().catch((error) => error);
        if (conflict) expect(made).toBeInstanceOf(MergeConflict);
        else {
          const [expected] = gitLines(path.join(copy, '.git'), ['rev-parse', 'HEAD^{tree}']);
          expect(gitLines(directory, ['rev-parse', `${made}^{tree}`])).toEqual([expected]);
        }
      }
      expect(readdirSync(path.join(directory, 'objects')).filter((name) => name.startsWith('incoming'))).toEqual([]);
      await reader.close();
    });
  }
});

describe('Cherry-picking without a git program', () => {
  for (const [options, cases] of everyNth(16, Object.entries(CASES))) {
    it.each(cases)('changes %s as git does, or reports a conflict', options, async (_, one) => {
      const { directory, onto, commit } = forked(one);
      const [tree] = one.conflict ? [] : gitLines(directory, ['merge-tree', '--write-tree', 'main', 'topic']);
      vi.stubEnv('PATH', scratch());
      forgetProgram();
      const reader = await openRepository(directory);
      const picked = await cherryPick(reader, { commit, onto, committer }).catch((error) => error);
      vi.unstubAllEnvs();
      const isWhole = !one.conflict && !touchedTwice(one);
      if (isWhole) expect(shown(directory, picked)).toBe(`${tree} ${onto} Tess Cleo Topic`);
      else expect(picked).toBeInstanceOf(MergeConflict);
    });
  }
});

/** Whether both sides changed a file, in different ways. */
function touchedTwice({ ours, theirs }: Case): boolean {
  const same = (left: Change, right: Change) => JSON.stringify(left) === JSON.stringify(right);
  return theirs.some((change) => ours.some((other) => other.path === change.path && !same(change, other)));
}
