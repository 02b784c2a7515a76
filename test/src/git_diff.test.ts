import { describe, expect, it } from 'vitest';
import { diffCommit, diffTrees } from '#src/git/diff/diff.ts';
import { DiffPool, DiffTimeout } from '#src/git/diff/pool.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { EMPTY_TREE } from '#src/git/model.ts';
import { ProgramReader } from '#src/git/program.ts';
import { gitDiff, ownDiff } from '../support/git_diff.ts';
import { oddHistory, randomHistory, text } from '../support/git_fixtures.ts';
import { type Change, HistoryBuilder, randomizer } from '../support/git_history.ts';
import { gitLines, ownRepository } from '../support/git_program.ts';

const VOCABULARY = [
  '',
  '  foo',
  '    bar(',
  '}',
  '  }',
  'function x() {',
  '\tif (a)',
  '\treturn;',
  '',
  'end',
  ' x',
  'class A',
  '\u00e9t\u00e9\r',
];

/** A text of few or many different lines, and an edited copy. */
function randomTexts(random: () => number, at: number): [string, string] {
  const kinds = [VOCABULARY.length, 4, 400][at % 3] ?? 4;
  const line = () => {
    const kind = Math.floor(random() * kinds);
    return VOCABULARY[kind] ?? `line ${kind}`;
  };
  const length = Math.floor(random() * (at % 10 === 0 ? 2_000 : 60));
  const before = Array.from({ length }, line);
  const after = [...before];
  for (let edits = Math.floor(random() * (at % 5 === 0 ? length : 8)); edits > 0; edits--) {
    const place = Math.floor(random() * after.length);
    const count = Math.floor(random() * 6);
    const kind = random();
    if (kind < 0.4) after.splice(place, 0, ...Array.from({ length: count }, line));
    else if (kind < 0.7) after.splice(place, count);
    else if (kind < 0.9) after[place] = line();
    else after.splice(Math.floor(random() * after.length), 0, ...after.slice(place, place + count * 3));
  }
  const end = () => (random() < 0.8 ? '\n' : '');
  return [before.join('\n') + end(), after.join('\n') + end()];
}

/** Two commits from changes. */
function pairOf(before: Change[], after: Change[]): { directory: string; from: string; to: string } {
  const h = new HistoryBuilder();
  const first = h.commit({ branch: 'main', changes: before });
  h.commit({ branch: 'main', from: [first], changes: after });
  const directory = h.build();
  const [to = '', from = ''] = gitLines(directory, ['rev-list', 'main']);
  return { directory, from, to };
}

describe('Diffs', () => {
  it.each([1, 2, 3])('of random texts are the same as git diff, byte by byte (seed %i)', async (seed) => {
    const random = randomizer(seed);
    const texts = Array.from({ length: 250 }, (_, at) => randomTexts(random, at));
    const side = (which: 0 | 1) => texts.map((pair, at): Change => ({ path: `f${at}`, content: pair[which] }));
    const { directory, from, to } = pairOf(side(0), side(1));
    const diff = await diffTrees(new IsomorphicReader(directory), from, to);
    expect(diff.overflow).toBe(false);
    expect(ownDiff(diff.entries)).toEqual(gitDiff(directory, [from, to]));
  });

  it.each([1, 2, 3, 4, 5])('find the renames that git finds, with the same similarity (seed %i)', async (seed) => {
    const random = randomizer(seed);
    const before: Change[] = [];
    const after: Change[] = [];
    for (let at = 0; at < 60; at++) {
      const content = text(10 + Math.floor(random() * 60), `t${Math.floor(random() * 50)}`);
      const path = `d${at % 5}/n${Math.floor(random() * 40)}.${at}`;
      before.push({ path, content });
      const lines = content.split('\n').map((line) => (random() < seed / 12 ? `changed ${random()}` : line));
      after.push(
        { path, remove: true },
        { path: `e${at % 3}/${path.slice(3, random() < 0.5 ? undefined : 5)}-${at % 7}`, content: lines.join('\n') },
      );
    }
    const { directory, from, to } = pairOf(before, after);
    const diff = await diffTrees(new IsomorphicReader(directory), from, to);
    expect(ownDiff(diff.entries)).toEqual(gitDiff(directory, [from, to]));
    expect(diff.entries.filter(({ renamedFile }) => renamedFile).length).toBeGreaterThan(5);
  });

  it('of every commit of every history are what git diff-tree says', async () => {
    const own = ownRepository();
    const histories = [oddHistory({ packed: true }), randomHistory(3, 40), ...(own === null ? [] : [own])];
    for (const directory of histories) {
      const readers = [new IsomorphicReader(directory), new ProgramReader(directory)];
      for (const [at, oid] of gitLines(directory, ['rev-list', '--all', '-n', '50']).entries()) {
        const parent = gitLines(directory, ['rev-parse', `${oid}^@`])[0];
        const reader = readers[at % 2] ?? new IsomorphicReader(directory);
        const diff = await diffCommit(reader, oid, { limits: { fileBytes: 1e8, totalBytes: 1e9, patchBytes: 1e8 } });
        const expected = gitDiff(directory, parent === undefined ? ['--root', oid] : [parent, oid]);
        expect(ownDiff(diff.entries)).toEqual(expected);
      }
      await Promise.all(readers.map((reader) => reader.close()));
    }
  });

  it('know kinds, modes, links, submodules, binary and empty files, and odd names', async () => {
    const { directory, from, to } = pairOf(
      [
        { path: 'to-link', content: 'x\n' },
        { path: 'mode', content: 'm\n' },
        { path: 'binary', content: Buffer.from([0, 1]) },
        { path: 'empty', content: '' },
        { path: 'emptied', content: 'x' },
        { path: 'link', content: 'a', mode: '120000' },
        { path: 'module', submodule: '1'.repeat(40) },
        { path: 'dir/file', content: 'd\n' },
        { path: 'exact', content: text(5, 'e') },
        { path: 'exact-link', content: 'somewhere', mode: '120000' },
        { path: 'with space', content: 'a\n' },
        { path: 'with "quote"\\', content: 'a\n' },
        { path: 'late-nul', content: Buffer.concat([Buffer.alloc(8_000, 10), Buffer.from([0])]) },
      ],
      [
        { path: 'to-link', content: 'x\n', mode: '120000' },
        { path: 'mode', content: 'm\n', mode: '100755' },
        { path: 'binary', content: Buffer.from([0, 2]) },
        { path: 'new-empty', content: '' },
        { path: 'emptied', content: '' },
        { path: 'link', content: 'b', mode: '120000' },
        { path: 'module', submodule: '2'.repeat(40) },
        { path: 'dir', content: 'now a file\n' },
        { path: 'exact', remove: true },
        { path: 'sub/exact', content: text(5, 'e'), mode: '100755' },
        { path: 'exact-link', remove: true },
        { path: 'sub/exact-link', content: 'somewhere', mode: '120000' },
        { path: 'with space', content: 'b\n' },
        { path: 'with "quote"\\', content: 'b\n' },
        { path: 'late-nul', content: Buffer.concat([Buffer.alloc(8_001, 10), Buffer.from([0])]) },
      ],
    );
    const reader = new IsomorphicReader(directory);
    const { entries } = await diffTrees(reader, from, to);
    expect(ownDiff(entries)).toEqual(gitDiff(directory, [from, to]));
    const back = await diffTrees(reader, to, from);
    expect(ownDiff(back.entries)).toEqual(gitDiff(directory, [to, from]));
    const all = await diffTrees(reader, EMPTY_TREE, from);
    expect(all.entries.every(({ newFile, oldPath, newPath }) => newFile && oldPath === newPath)).toBe(true);
    expect((await diffTrees(reader, to, to)).entries).toEqual([]);
  });

  it('head hunks with whole characters, as git does', async () => {
    const body = text(30, 'b');
    const characters = ['\u00e9', '\u65e5', '\u{1f600}', '\uffff', '\u0001'].map((character) => Buffer.from(character));
    // Latin-1, cut off, too long, a surrogate, beyond Unicode.
    const damaged = ['\xe9', '\xe6\x97', '\xc0\xaf', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xf0\x80\x80\x80', '\x80'];
    const all = [...characters, ...damaged.map((bytes) => Buffer.from(bytes, 'latin1'))];
    const sides: [Change[], Change[]] = [[], []];
    for (const [kind, character] of all.entries()) {
      for (const ascii of [1, 40, 74, 75, 76, 77, 78, 79, 80, 81]) {
        const heading = [Buffer.from('x'.repeat(ascii)), character, Buffer.from(' after it\n')];
        const path = `f${kind}-${ascii}`;
        sides[0].push({
          path,
          content: Buffer.concat([...heading, Buffer.from(`  ${body.replaceAll('\n', '\n  ')}`)]),
        });
        const changed = `  ${body.replaceAll('\n', '\n  ')}more\n`;
        sides[1].push({ path, content: Buffer.concat([...heading, Buffer.from(changed)]) });
      }
    }
    const { directory, from, to } = pairOf(...sides);
    const { entries } = await diffTrees(new IsomorphicReader(directory), from, to);
    expect(ownDiff(entries)).toEqual(gitDiff(directory, [from, to]));
    expect(entries.some(({ diff }) => diff.includes('\ufffd'))).toBe(false);
  });

  it('leave out what is beyond the limits, and say so', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const { directory, from, to } = pairOf(
      names.map((path) => ({ path, content: text(100, path) })),
      names.map((path) => ({ path, content: text(path === 'b' ? 5_000 : 100, `${path}!`) })),
    );
    const reader = new IsomorphicReader(directory);
    const large = async (limits: object) => {
      const { entries, overflow } = await diffTrees(reader, from, to, { limits });
      expect(overflow).toBe(true);
      for (const entry of entries) expect(entry.diff === '').toBe(entry.tooLarge);
      return entries.filter(({ tooLarge }) => tooLarge).map(({ newPath }) => newPath);
    };
    expect(await large({ fileBytes: 10_000 })).toEqual(['b']);
    expect(await large({ patchBytes: 20_000 })).toEqual(['b']);
    expect(await large({ totalBytes: 10_000 })).toEqual(['b', 'c', 'd']);
    expect(await large({ milliseconds: 0 })).toEqual(names);
    expect(await large({ files: 2 })).toEqual([]);
    const counted = await diffTrees(reader, from, to, { text: false });
    const full = await diffTrees(reader, from, to);
    expect([counted.additions, counted.deletions]).toEqual([full.additions, full.deletions]);
    expect(counted.entries.every(({ diff }) => diff === '')).toBe(true);
  });

  it('that take too long are cut off, and the pool goes on', async () => {
    const pool = new DiffPool(1, 100);
    const noise = (seed: number) => {
      const random = randomizer(seed);
      return Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(random() * 3)).join('\n'));
    };
    const pair = { oldPath: 'a', newPath: 'a', before: noise(1), after: noise(2) };
    await expect(pool.run('patches', { pairs: [pair], wantsText: true }, 50)).rejects.toThrow(DiffTimeout);
    const small = { ...pair, before: Buffer.from('a\n'), after: Buffer.from('b\n') };
    const [patch] = await pool.run('patches', { pairs: [small], wantsText: true }, 10_000);
    expect(patch).toMatchObject({ text: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n', additions: 1, deletions: 1 });
  });
});
