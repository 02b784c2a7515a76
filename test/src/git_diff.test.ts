// Each test takes long: the long run has them all.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_WHOLE_BLOB_BYTES } from '#src/git/base/limits.ts';
import { EMPTY_TREE } from '#src/git/base/model.ts';
import { diffCommit, diffTrees } from '#src/git/diff/diff.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { type DiffTree, ProgramLate } from '#src/git/program/diff_tree.ts';
import { DiffTreePool } from '#src/git/program/diff_trees.ts';
import { ProgramReader } from '#src/git/program.ts';
import { gitDiff, ownDiff, pairOf, treesOf } from '../support/git_diff.ts';
import { oddHistory, randomHistory, text } from '../support/git_fixtures.ts';
import { type Change, randomizer } from '../support/git_history.ts';
import { gitLines, ownRepository, scratch } from '../support/git_program.ts';

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

const READERS = [
  { how: 'with a git program', open: (directory: string) => new ProgramReader(directory) },
  { how: 'without one', open: (directory: string) => new IsomorphicReader(directory) },
];

describe('Diffs', () => {
  it.each([1, 2, 3])('of random texts are the same as git diff, byte by byte (seed %i)', async (seed) => {
    const random = randomizer(seed);
    const texts = Array.from({ length: 250 }, (_, at) => randomTexts(random, at));
    const side = (which: 0 | 1) => texts.map((pair, at): Change => ({ path: `f${at}`, content: pair[which] }));
    const { directory, from, to } = pairOf(side(0), side(1));
    const diff = await diffTrees(new ProgramReader(directory), from, to);
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
    const diff = await diffTrees(new ProgramReader(directory), from, to);
    expect(ownDiff(diff.entries)).toEqual(gitDiff(directory, [from, to]));
    expect(diff.entries.filter(({ renamedFile }) => renamedFile).length).toBeGreaterThan(5);
  });

  it('of every commit of every history are what git diff-tree says', { timeout: 180_000 }, async () => {
    const own = ownRepository();
    const histories = [oddHistory({ packed: true }), randomHistory(3, 40), ...(own === null ? [] : [own])];
    for (const directory of histories) {
      const reader = new ProgramReader(directory);
      for (const oid of gitLines(directory, ['rev-list', '--all', '-n', '50'])) {
        const parent = gitLines(directory, ['rev-parse', `${oid}^@`])[0];
        const limits = { fileBytes: MAX_WHOLE_BLOB_BYTES, totalBytes: 1e9, patchBytes: 1e8 };
        const { entries } = await diffCommit(reader, oid, { limits });
        // Larger files are named without their lines.
        const bytes = (revision: string, name: string) =>
          Number(gitLines(directory, ['cat-file', '-s', `${revision}:${name}`])[0]);
        const isLarge = entries.map(({ tooLarge, oldPath, newPath }) => {
          if (tooLarge)
            expect(Math.max(bytes(oid, newPath), bytes(`${oid}^`, oldPath))).toBeGreaterThan(MAX_WHOLE_BLOB_BYTES);
          return tooLarge;
        });
        const said = gitDiff(directory, parent === undefined ? ['--root', oid] : [parent, oid]);
        expect(ownDiff(entries)).toEqual(said.map((one, at) => (isLarge[at] ? { ...one, body: '' } : one)));
      }
      await reader.close();
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
    const reader = new ProgramReader(directory);
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
    const { entries } = await diffTrees(new ProgramReader(directory), from, to);
    expect(ownDiff(entries)).toEqual(gitDiff(directory, [from, to]));
    expect(entries.some(({ diff }) => diff.includes('\ufffd'))).toBe(false);
  });

  it.each(READERS)('leave out what is beyond the limits, and say so, $how', async ({ open }) => {
    const names = ['a', 'b', 'c', 'd'];
    const { directory, from, to } = pairOf(
      names.map((path) => ({ path, content: text(100, path) })),
      names.map((path) => ({ path, content: text(path === 'b' ? 700 : 100, `${path}!`) })),
    );
    const reader = open(directory);
    const large = async (limits: object) => {
      const { entries, overflow } = await diffTrees(reader, from, to, { limits });
      expect(overflow).toBe(true);
      for (const entry of entries) expect(entry.diff === '').toBe(entry.tooLarge);
      return entries.filter(({ tooLarge }) => tooLarge).map(({ newPath }) => newPath);
    };
    expect(await large({ fileBytes: 10_000 })).toEqual(['b']);
    expect(await large({ patchBytes: 10_000 })).toEqual(['b']);
    expect(await large({ totalBytes: 10_000 })).toEqual(['b', 'c', 'd']);
    expect(await large({ milliseconds: 0 })).toEqual(names);
    expect(await large({ files: 2 })).toEqual([]);
    const counted = await diffTrees(reader, from, to, { text: false });
    const full = await diffTrees(reader, from, to);
    expect([counted.additions, counted.deletions]).toEqual([full.additions, full.deletions]);
    expect(counted.entries.every(({ diff }) => diff === '')).toBe(true);
  });

  it('leave out what is beyond the number of paths, and compare the first ones all the same', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `d${at % 3}/a ${at} "x"`);
    const side = (label: string) => names.map((path) => ({ path, content: text(20, label + path) }));
    const { directory, from, to } = pairOf(side('old'), [...side('new'), { path: 'z', content: 'new\n' }]);
    const whole = gitDiff(directory, [from, to]);
    for (const { open } of READERS) {
      const { entries, overflow } = await diffTrees(open(directory), from, to, { limits: { changes: 20, files: 10 } });
      expect([overflow, entries.length]).toEqual([true, 10]);
      expect(ownDiff(entries).map(({ newPath }) => newPath)).toEqual(whole.slice(0, 10).map(({ newPath }) => newPath));
      for (const [at, { body }] of ownDiff(entries).entries()) {
        expect(body.split('\n').toSorted()).toEqual(whole[at]?.body.split('\n').toSorted());
      }
    }
  });

  it('find no renames among files that are too large or too many to be read', async () => {
    const content = (end: string) => `${text(200, 'same')}${end}`;
    const { directory, from, to } = pairOf(
      [
        { path: 'a', content: content('a\n') },
        { path: 'same', content: content('b\n') },
      ],
      [
        { path: 'a', remove: true },
        { path: 'same', remove: true },
        { path: 'b', content: content('c\n') },
        { path: 'moved', content: content('b\n') },
      ],
    );
    const renamed = async (limits: object) => {
      const { entries } = await diffTrees(new ProgramReader(directory), from, to, { limits });
      return entries.filter(({ renamedFile }) => renamedFile).map(({ newPath }) => newPath);
    };
    expect(await renamed({})).toEqual(['b', 'moved']);
    expect(await renamed({ fileBytes: 1_000 })).toEqual(['moved']);
    expect(await renamed({ totalBytes: 1_000 })).toEqual(['moved']);
  });

  // It writes 200 MB into a repository.
  it('leave files out that were added or removed and are too large for git, and find renames among the others', {
    timeout: 240_000,
  }, async () => {
    const large = Buffer.alloc(9 * 1024 * 1024);
    // Git is not let have as much memory as it would read this into.
    const huge = Buffer.alloc(200 * 1024 * 1024);
    const { directory, from, to } = pairOf(
      [
        { path: 'b/old', content: text(50, 'same') },
        { path: 'd', content: large },
        { path: 'f/large', content: large },
      ],
      [
        { path: 'b/old', remove: true },
        { path: 'd', remove: true },
        { path: 'f/large', remove: true },
        { path: 'f', content: 'no directory any more\n' },
        { path: 'a', content: huge },
        { path: 'c/new', content: `${text(50, 'same')}more\n` },
        { path: 'e', content: large },
      ],
    );
    const { entries, overflow } = await diffTrees(new ProgramReader(directory), from, to);
    expect(overflow).toBe(true);
    expect(entries.map(({ oldPath, newPath, tooLarge }) => [oldPath, newPath, tooLarge])).toEqual([
      ['a', 'a', true],
      ['b/old', 'c/new', false],
      ['d', 'e', false],
      ['f', 'f', true],
      ['f/large', 'f/large', true],
    ]);
    expect(entries[1]?.diff).toContain('\n+more\n');
    const apart = await diffTrees(new ProgramReader(directory), EMPTY_TREE, from);
    expect(apart.entries.map(({ newPath, tooLarge }) => [newPath, tooLarge])).toEqual([
      ['b/old', false],
      ['d', true],
      ['f/large', true],
    ]);
  });

  it('that take too long are cut off, and others go on', async () => {
    const noise = (seed: number) => {
      const random = randomizer(seed);
      return Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(random() * 3)).join('\n'));
    };
    const { directory, from, to } = treesOf([{ path: 'a', content: noise(1) }], [{ path: 'a', content: noise(2) }]);
    const pool = new DiffTreePool(1, 100);
    const compare = (right: string, milliseconds: number) => {
      const deadline = performance.now() + milliseconds;
      const lines: string[] = [];
      const take = (some: Buffer) => lines.push(some.toString()) > 0;
      const question = { from, to: right, deadline };
      return pool.lend(directory, question, (program) => program.ask(from, right, take, deadline)).then(() => lines);
    };
    await expect(compare(to, 10)).rejects.toThrow(ProgramLate);
    const busy = compare(to, 30_000);
    await expect(compare(to, 10)).rejects.toThrow(ProgramLate);
    expect((await busy).join('')).toContain('+++ b/a');
    expect(await compare(from, 10_000)).toEqual([`${from} ${from}\n`]);
    await expect.poll(() => pool.size, { timeout: 30_000 }).toBe(0);
  });

  it('come from programs that are as many as they may be, and none is used for long', async () => {
    const pool = new DiffTreePool(2, 10_000);
    const places = Array.from({ length: 5 }, (_, at) =>
      treesOf([{ path: 'a', content: `${at}\n` }], [{ path: 'a', content: `${at}!\n` }]),
    );
    const seen = new Set<DiffTree>();
    let most = 0;
    const compare = async ({ directory, from, to }: (typeof places)[number]) => {
      const deadline = performance.now() + 20_000;
      const lines: Buffer[] = [];
      await pool.lend(directory, { from, to, deadline }, (program) => {
        seen.add(program);
        most = Math.max(most, pool.size);
        return program.ask(from, to, (some) => lines.push(some) > 0, deadline);
      });
      return Buffer.concat(lines).toString().split('\n').at(-2);
    };
    const answers = await Promise.all([...places, ...places].map(compare));
    expect(answers).toEqual([...places.keys(), ...places.keys()].map((at) => `+${at}!`));
    expect(most).toBe(2);
    const [first] = places;
    seen.clear();
    for (let at = 0; at < 250; at++) if (first !== undefined) await compare(first);
    expect(seen.size).toBe(2);
    pool.release(first?.directory ?? '');
  });
});

describe('Diffs without a git program', () => {
  it.each([1, 2])('give the other text when they are applied (seed %i)', async (seed) => {
    const random = randomizer(seed);
    const texts = Array.from({ length: 60 }, (_, at) => randomTexts(random, at + 1));
    const side = (which: 0 | 1) => texts.map((pair, at): Change => ({ path: `f ${at}`, content: pair[which] }));
    const { directory, from, to } = pairOf(
      [...side(0), { path: 'gone', content: 'gone\nsoon' }, { path: 'old', content: 'moved\n' }],
      [
        ...side(1),
        { path: 'gone', remove: true },
        { path: 'old', remove: true },
        { path: 'new', content: Buffer.from('caf\xe9\n', 'latin1') },
        { path: 'moved', content: 'moved\n' },
        { path: 'binary', content: Buffer.from([0, 1]) },
        { path: 'module', submodule: '1'.repeat(40) },
      ],
    );
    const limits = { milliseconds: 60_000 };
    const { entries, overflow } = await diffTrees(new IsomorphicReader(directory), from, to, { limits });
    expect(overflow).toBe(false);
    const expected = gitDiff(directory, [from, to]);
    expect(ownDiff(entries).map(({ body: _, ...entry }) => entry)).toEqual(
      expected.map(({ body: _, ...entry }) => entry),
    );
    for (const [at, [before, after]] of texts.entries()) {
      const entry = entries.find(({ newPath }) => newPath === `f ${at}`);
      expect(applied(before, entry?.diff ?? '')).toBe(after);
    }
    const bodies = (rows: { newPath: string; body: string }[]) =>
      rows.filter(({ newPath }) => !newPath.startsWith('f ')).map(({ body }) => body);
    expect(bodies(ownDiff(entries))).toEqual(bodies(expected));
  });

  it('of very different texts leave room for others, and end in time', async () => {
    const lines = (label: string) => Array.from({ length: 5_000 }, (_, at) => `${label} ${at}\n`).join('');
    const { directory, from, to } = pairOf(
      [
        { path: 'a', content: lines('old') },
        { path: 'b', content: 'b\n' },
      ],
      [
        { path: 'a', content: `first\n${lines('new')}` },
        { path: 'b', content: 'c\n' },
      ],
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const reader = new IsomorphicReader(directory);
    const { additions, deletions } = await diffTrees(reader, from, to, { limits: { milliseconds: 60_000 } });
    clearInterval(timer);
    expect([additions, deletions]).toEqual([5_002, 5_001]);
    expect(turns).toBeGreaterThan(50);
    const { entries } = await diffTrees(reader, from, to, { limits: { milliseconds: 50 } });
    expect(entries.find(({ newPath }) => newPath === 'a')?.tooLarge).toBe(true);
    const { entries: untouched } = await diffTrees(reader, from, to, { limits: { milliseconds: 0 } });
    expect(untouched.map(({ tooLarge }) => tooLarge)).toEqual([true, true]);
  });
});

/** What a patch makes of a text, by the git program. */
function applied(before: string, patch: string): string {
  if (patch === '') return before;
  const directory = scratch();
  writeFileSync(path.join(directory, 'f'), before);
  const renamed = patch.replace(/^--- .*\n\+\+\+ .*\n/, '--- a/f\n+++ b/f\n');
  execFileSync('git', ['apply', '--unidiff-zero', '-'], { cwd: directory, input: renamed });
  return readFileSync(path.join(directory, 'f'), 'utf8');
}
