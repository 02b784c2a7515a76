// One part in depth, which the long run has.
// @module-tag long
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_LIMITS } from '#src/git/base/diff_limits.ts';
import { diffTrees } from '#src/git/diff/diff.ts';
import { changesIn } from '#src/git/diff/name_changes.ts';
import { DiffTree, type Trees } from '#src/git/program/diff_tree.ts';
import { DiffTreePool, diffTrees as diffTreePool } from '#src/git/program/diff_trees.ts';
import { ProgramReader } from '#src/git/program.ts';
import { treesOf } from '../support/git_diff.ts';
import { text } from '../support/git_fixtures.ts';
import { type Change, randomizer } from '../support/git_history.ts';
import { itEveryNth, LONG } from '../support/long.ts';

/** The process of the git program that compares in a directory, once it is one. */
function pidOf(directory: string): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      if (!pid) return false;
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.startsWith('git') && command.includes(directory);
      } catch {
        return false;
      }
    });
}

/** What a program that has begun to compare two trees says first. */
async function namesOf(directory: string, trees: Trees): Promise<Buffer> {
  const pool = new DiffTreePool(1, 10_000);
  const named = await pool.prepare(directory, trees)?.named(10_000);
  pool.release(directory);
  if (!named) throw new Error('The program has named nothing');
  return named;
}

describe('Diffs that were begun before they were asked for', () => {
  const deadline = performance.now() + 100_000;
  const old = [{ path: 'a', content: 'a\n' }];
  const compare = (pool: DiffTreePool, directory: string, trees: Trees, start?: () => DiffTree) => {
    const lines: Buffer[] = [];
    const take = (some: Buffer) => lines.push(some) > 0;
    const ask = async (program: DiffTree) => {
      const hadBegun = program.hasBegun(trees);
      await program.ask(trees.from, trees.to, take, deadline);
      return { hadBegun, said: Buffer.concat(lines).toString() };
    };
    return pool.lend(directory, { ...trees, deadline }, ask, start);
  };

  it('come from the program that is at them', async () => {
    const pool = new DiffTreePool(1, 10_000);
    const { directory, from, to } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
    for (let turn = 0; turn < 3; turn++) {
      // Another one has no room.
      for (let time = 0; time < 2; time++) pool.prepare(directory, { from, to });
      expect(pool.size).toBe(1);
      const { hadBegun, said } = await compare(pool, directory, { from, to });
      expect(hadBegun).toBe(true);
      expect(said).toContain('\n-a\n+b\n');
      expect(said).not.toContain('=');
    }
    pool.release(directory);
    expect(pool.size).toBe(0);
  });

  it('are whole, however long they are', LONG, async () => {
    const pool = new DiffTreePool(1, 10_000);
    const content = Array.from({ length: 100_000 }, (_, at) => `${at}\n`).join('');
    const files = Array.from({ length: 5 }, (_, at) => ({ path: `b${at}`, content }));
    const { directory, from, to } = treesOf(old, [...old, ...files]);
    pool.prepare(directory, { from, to });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { hadBegun, said } = await compare(pool, directory, { from, to });
    expect(hadBegun).toBe(true);
    expect(said.match(/\n\+\d/g)).toHaveLength(500_000);
    expect((await compare(pool, directory, { from: to, to: from })).said.match(/\n-\d/g)).toHaveLength(500_000);
    pool.release(directory);
  });

  it('answer nobody who asks for others', async () => {
    const pool = new DiffTreePool(3, 10_000);
    const { directory, from, to } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
    pool.prepare(directory, { from, to });
    const back = await compare(pool, directory, { from: to, to: from });
    expect(back.hadBegun).toBe(false);
    expect(back.said).toContain('\n-b\n+a\n');
    const own = await compare(pool, directory, { from, to }, () => new DiffTree(directory, ['--no-renames']));
    expect(own.hadBegun).toBe(false);
    expect(own.said).toContain('\n-a\n+b\n');
    // The one that had begun with it is not needed any more.
    expect(pool.size).toBe(1);
    pool.prepare(directory, { from, to });
    pool.forget(directory, { from, to });
    expect(pool.size).toBe(0);
    pool.release(directory);
  });

  it('are only those that are going to be asked for', LONG, async () => {
    const files = Array.from({ length: 10 }, (_, at) => ({ path: `d${at}/a`, content: 'a\n' }));
    const { directory, from, to } = treesOf(old, files);
    const reader = new ProgramReader(directory);
    const prepare = vi.spyOn(diffTreePool, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    expect((await reader.changes(from, to, { most: 100 })).changes).toHaveLength(10);
    expect(prepare).not.toHaveBeenCalled();
    await reader.changes(from, to, { most: 100, compared: true });
    expect(prepare.mock.calls).toEqual([[directory, { from, to }]]);
    await reader.close();
  });

  it('come from a program that was started before anybody knew what to ask', async () => {
    const pool = new DiffTreePool(1, 10_000);
    const { directory, from, to } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
    const other = treesOf(old, [{ path: 'a', content: 'c\n' }]);
    pool.start(directory);
    pool.start(directory);
    // There is no room for more.
    pool.start(other.directory);
    expect(pool.size).toBe(1);
    pool.prepare(directory, { from, to });
    expect(pool.size).toBe(1);
    const { hadBegun, said } = await compare(pool, directory, { from, to });
    expect(hadBegun).toBe(true);
    expect(said).toContain('\n-a\n+b\n');
    // The one that answered is idle, and enough.
    pool.start(directory);
    expect(pool.size).toBe(1);
    pool.release(directory);
  });

  it('begin at once for trees that are far apart, and find the same', LONG, async () => {
    const files = Array.from({ length: 3 }, (_, at) => ({ path: `d${at}/"ä\t${at}"`, content: 'a\n' }));
    const { directory, from, to } = treesOf(old, files);
    const reader = new ProgramReader(directory);
    onTestFinished(() => reader.close());
    const prepare = vi.spyOn(diffTreePool, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    const near = await reader.changes(from, to, { most: 100, compared: true });
    expect(near.isComplete).toBe(true);
    expect(prepare).not.toHaveBeenCalled();
    expect(await reader.changes(from, to, { most: 100, compared: true, isFar: true })).toEqual(near);
    expect(prepare.mock.calls).toEqual([[directory, { from, to }]]);
    const options = { limits: { milliseconds: 60_000 } };
    expect(await diffTrees(reader, from, to, { ...options, isFar: true })).toEqual(
      await diffTrees(reader, from, to, options),
    );
  });

  itEveryNth(3, [1, 2, 3])('name the same files as where renames are not looked for (seed %i)', async (seed) => {
    const random = randomizer(seed);
    const pick = (most: number) => Math.floor(random() * most);
    const before: Change[] = [];
    const after: Change[] = [];
    for (let at = 0; at < 80; at++) {
      const file = `${['a', 'a.b', 'a-b', 'b/c', '"q"', 'ä\t'][pick(6)]}/${pick(9)}.${at}`;
      const content = text(20, `${at}`);
      before.push({ path: file, content });
      const to = [`${['a', 'b', 'z', 'B'][pick(4)]}${pick(99)}/${at}`, `${file}/below`, `${file}.moved`, file][pick(4)];
      after.push({ path: file, remove: true }, { path: to ?? file, content: `${content}${pick(2) ? 'more\n' : ''}` });
    }
    const { directory, from, to } = treesOf(before, after);
    const named = await namesOf(directory, { from, to });
    expect(named.toString()).toMatch(/ R\d\d\d\t/);
    const reader = new ProgramReader(directory);
    for (const most of [1, 2, 3, 5, 8, 13, 21, 34, 1_000]) {
      const changes = changesIn(named, most);
      expect(changes).toEqual(await reader.changes(from, to, { most }));
      expect(changes.isComplete).toBe(most === 1_000);
    }
  });

  it('name the old path of a rename among the first, though the rename comes last', LONG, async () => {
    const content = text(20, 'moved');
    const others = (mark: string) => Array.from({ length: 9 }, (_, at) => ({ path: `m${at}`, content: mark }));
    const { directory, from, to } = treesOf(
      [{ path: 'a', content }, ...others('old\n')],
      [{ path: 'a', remove: true }, { path: 'z', content }, ...others('new\n')],
    );
    const { changes, isComplete } = changesIn(await namesOf(directory, { from, to }), 3);
    expect(changes.map(({ path: name }) => name)).toEqual(['a', 'm0', 'm1']);
    expect(isComplete).toBe(false);
  });

  it('name nothing to those who do not wait or come late, or if the lines are very long', LONG, async () => {
    const pool = new DiffTreePool(1, 10_000);
    const files = Array.from({ length: 6_000 }, (_, at) => ({ path: `${'long'.repeat(30)}/${at}`, content: 'a\n' }));
    const { directory, from, to } = treesOf(old, files);
    onTestFinished(() => pool.release(directory));
    const program = pool.prepare(directory, { from, to });
    expect(await program?.named(0)).toBeNull();
    pool.forget(directory, { from, to });
    expect(await program?.named(10_000)).toBeNull();
    expect(await pool.prepare(directory, { from, to })?.named(10_000)).toBeNull();
    const { said } = await compare(pool, directory, { from, to });
    expect(said.split('\n').filter((line) => line.startsWith(':'))).toHaveLength(6_000);
    const begun = pool.prepare(directory, { from: to, to: from });
    const [named, back] = await Promise.all([begun?.named(10_000), compare(pool, directory, { from: to, to: from })]);
    expect([named, back.hadBegun]).toEqual([null, true]);
  });

  it('end before a large file is in memory, and begin anew in a program that may read it', LONG, async () => {
    const content = Buffer.alloc(40 * 1024 * 1024);
    const { directory, from, to } = treesOf(old, [{ path: 'large', content }]);
    const begun = diffTreePool.prepare(directory, { from, to });
    expect((await begun?.named(10_000))?.toString()).toContain('\tlarge\n');
    await expect.poll(() => begun?.ended).toBe(true);
    const reader = new ProgramReader(directory);
    onTestFinished(() => reader.close());
    const { entries } = await diffTrees(reader, from, to, { isFar: true });
    expect(entries.map(({ newPath, tooLarge }) => [newPath, tooLarge])).toEqual([['large', true]]);
    // Had nobody found out its size, git would be asked about it.
    const changes = await reader.changes(from, to);
    const limits = { ...DEFAULT_LIMITS, milliseconds: 60_000 };
    const comparison = { from, to, ...changes, sizes: new Map(), limits, text: true };
    const plan = await reader.compare({ ...comparison, deadline: performance.now() + 60_000 });
    expect(plan.results()).toMatchObject([{ tooLarge: false, binary: true }]);
  });

  it('name nothing that differs between trees that are the same', async () => {
    const pool = new DiffTreePool(1, 10_000);
    const { directory, from } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
    onTestFinished(() => pool.release(directory));
    const named = await pool.prepare(directory, { from, to: from })?.named(10_000);
    expect(named?.toString()).toMatch(/^[^:]+$/);
  });

  it.runIf(existsSync('/proc/self/cmdline'))('have our priority for a moment, and then a lower one', LONG, async () => {
    const pool = new DiffTreePool(1, 10_000);
    const content = Array.from({ length: 100_000 }, (_, at) => `${at}\n`).join('');
    const files = Array.from({ length: 4 }, (_, at) => ({ path: `b${at}`, content }));
    const { directory, from, to } = treesOf(old, [...old, ...files]);
    // It waits for somebody to take what it says: more than is kept for those who come later.
    pool.prepare(directory, { from, to });
    onTestFinished(() => pool.release(directory));
    const pid = await vi.waitUntil(() => pidOf(directory), { timeout: 30_000 });
    expect(getPriority(pid)).toBe(getPriority());
    await expect.poll(() => getPriority(pid), { timeout: 30_000 }).toBe(getPriority() + 5);
    expect((await compare(pool, directory, { from, to })).said).toContain('\n+99999\n');
  });

  it.runIf(existsSync('/proc/self/cmdline'))(
    'keep our priority where all is said before anybody asks',
    LONG,
    async () => {
      const pool = new DiffTreePool(1, 10_000);
      const { directory, from, to } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
      pool.prepare(directory, { from, to });
      onTestFinished(() => pool.release(directory));
      const pid = await vi.waitUntil(() => pidOf(directory), { timeout: 30_000 });
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(getPriority(pid)).toBe(getPriority());
      expect((await compare(pool, directory, { from, to })).said).toContain('\n-a\n+b\n');
    },
  );

  it('are given up when nobody asks for them', LONG, async () => {
    const pool = new DiffTreePool(1, 100);
    const { directory, from, to } = treesOf(old, [{ path: 'a', content: 'b\n' }]);
    pool.prepare(directory, { from, to });
    await expect.poll(() => pool.size, { timeout: 30_000 }).toBe(0);
    expect((await compare(pool, directory, { from, to })).said).toContain('\n-a\n+b\n');
    pool.release(directory);
  });
});
