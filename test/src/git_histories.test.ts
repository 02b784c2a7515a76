import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Diff, diffCommit, diffTrees } from '#src/git/diff/diff.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { openRepository } from '#src/git/open.ts';
import { ProgramReader } from '#src/git/program.ts';
import { mergeTrees } from '#src/git/write/merge_trees.ts';
import { ObjectWriter } from '#src/git/write/objects.ts';
import { type Entry, gitDiff, ownDiff } from '../support/git_diff.ts';
import {
  contributorsOf,
  GivenHistory,
  latin1,
  listTree,
  membersOf,
  mergeBases,
  netLines,
  treeLine,
} from '../support/git_given.ts';
import { git, gitBytes, gitCode, gitLines } from '../support/git_program.ts';
import { entriesOf } from '../support/git_tree.ts';

/** Repositories whose histories are read here and by git: their paths, parted as those of PATH are. None is changed. */
const given = (process.env.TEST_REPOSITORIES ?? '').split(path.delimiter).filter((name) => name !== '');

/** How many trees of each are listed, and pages of logs. */
const TREES = 20;

const READERS: Record<string, (directory: string) => Promise<RepositoryReader>> = {
  'as the server reads it': openRepository,
  'by the git program alone': async (directory) => new ProgramReader(directory),
  'without a git program': async (directory) => new IsomorphicReader(directory),
};

/** Nothing is left out as too large but files of more than 1 MiB. */
const UNBOUNDED = { totalBytes: 1e10, patchBytes: 1e8, textBytes: 1e9, files: 1e6, milliseconds: 60_000 };

describe.skipIf(given.length === 0)('Histories that TEST_REPOSITORIES names', () => {
  // Without any they are listed as skipped.
  describe.each(given.length === 0 ? ['(none named)'] : given)('%s', (source) => {
    const history = once(() => new GivenHistory(source));

    it('has commits that changed what git says', { timeout: 600_000 }, async () => {
      const { directory, commits } = history();
      const reader = await openRepository(directory);
      for (const oid of commits) {
        const [parent] = gitLines(directory, ['rev-parse', `${oid}^@`]);
        const diff = await diffCommit(reader, oid, { limits: UNBOUNDED });
        const expected = gitDiff(directory, parent === undefined ? ['--root', oid] : [parent, oid]);
        expect(ownDiff(diff.entries), oid).toEqual(withoutLarge(expected, diff));
      }
      await reader.close();
    });

    it('has commits that are compared as git does', { timeout: 600_000 }, async () => {
      const { directory, pairs } = history();
      const reader = await openRepository(directory);
      for (const [from, to] of pairs) {
        const [base = from] = await reader.mergeBases(from, to);
        const diff = await diffTrees(reader, base, to, { limits: UNBOUNDED });
        expect(ownDiff(diff.entries), `${from}...${to}`).toEqual(withoutLarge(gitDiff(directory, [base, to]), diff));
      }
      await reader.close();
    });

    it('has merges that come out as with git', { timeout: 600_000 }, async () => {
      const { directory, merges } = history();
      const reader = await openRepository(directory);
      for (const [ours, theirs, base] of merges) {
        const trees = {
          base: await treeOf(reader, base),
          ours: await treeOf(reader, ours),
          theirs: await treeOf(reader, theirs),
        };
        const { tree, conflicts } = await mergeTrees(reader, new ObjectWriter(directory), trees);
        const settings = ['-c', 'merge.directoryRenames=false', '-c', 'merge.renameLimit=400'];
        const command = [...settings, 'merge-tree', '--write-tree', ours, theirs];
        const code = gitCode(directory, command);
        expect(conflicts.length > 0, `${ours} and ${theirs}`).toBe(code !== 0);
        if (code === 0) expect(tree).toBe(git(directory, command).trim());
      }
      await reader.close();
    });

    it('has contributors as git counts them', { timeout: 600_000 }, async () => {
      const { directory, tip } = history();
      const reader = await openRepository(directory);
      expect(await reader.contributors({ tip, lines: true })).toEqual(contributorsOf(directory, tip));
      await reader.close();
    });

    it.each(Object.entries(READERS))('has logs as git writes them, %s', { timeout: 600_000 }, async (_, open) => {
      const { directory, tip, pairs, commits } = history();
      const reader = await open(directory);
      const ask = (...args: string[]) => gitLines(directory, ['rev-list', ...args]);
      expect(await reader.count({ start: tip })).toBe(ask(tip).length);
      for (const oid of commits.slice(0, TREES)) {
        const found = await reader.log({ start: oid }, { offset: 3, limit: 250 });
        expect(found.map((commit) => commit.oid)).toEqual(ask('--skip=3', '--max-count=250', oid));
      }
      for (const [from, to] of pairs) {
        const between = (await reader.between(from, to)).map(({ oid }) => oid);
        expect(between).toEqual(ask(to, `^${from}`));
        const bases = mergeBases(directory, from, to);
        expect((await reader.mergeBases(from, to)).toSorted()).toEqual(bases.toSorted());
      }
      await reader.close();
    });

    it.each(Object.entries(READERS))('has trees as git lists them, %s', { timeout: 600_000 }, async (_, open) => {
      const { directory, commits } = history();
      const reader = await open(directory);
      for (const oid of commits.slice(0, TREES)) {
        const own = (await entriesOf(reader, oid, '', { recursive: true }))?.map(treeLine).toSorted();
        expect(own).toEqual(listTree(directory, oid));
        const { blob = 0, tree = 0, commit = 0 } = (await reader.measureTree(oid)) ?? {};
        expect(blob + tree + commit).toBe(own?.length);
      }
      await reader.close();
    });

    it('is compared without a git program in the same files, with as many lines in the end', {
      timeout: 600_000,
    }, async () => {
      const { directory, commits } = history();
      const reader = new IsomorphicReader(directory);
      for (const oid of commits.slice(0, TREES)) {
        const [parent] = gitLines(directory, ['rev-parse', `${oid}^@`]);
        if (parent === undefined) continue;
        const { entries } = await diffTrees(reader, parent, oid, { limits: UNBOUNDED, text: false });
        const own = entries.map(({ newPath, additions, deletions }) => `${latin1(newPath)} ${additions - deletions}`);
        expect(own, oid).toEqual(netLines(directory, parent, oid));
      }
      await reader.close();
    });

    it.each(Object.entries(READERS))('is archived with all its files, %s', { timeout: 600_000 }, async (_, open) => {
      const { directory, commits } = history();
      const reader = await open(directory);
      for (const oid of commits.slice(0, 2)) {
        const archive = Buffer.concat(await (await reader.archive(oid, 'tar', 'a/')).toArray());
        expect(membersOf(archive)).toEqual(
          membersOf(gitBytes(directory, ['archive', '--format=tar', '--prefix=a/', oid])),
        );
      }
      await reader.close();
    });
  });
});

/** What git says, but of files that are too large for ours. */
function withoutLarge(expected: Entry[], { entries }: Diff): Entry[] {
  return expected.map((entry, at) => (entries[at]?.tooLarge === true ? { ...entry, body: '' } : entry));
}

async function treeOf(reader: RepositoryReader, oid: string): Promise<string> {
  return (await reader.commit(oid))?.tree ?? oid;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
