// Each test takes long: the long run has them all.
// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { InvalidRefName, RefChanged, RefLocked } from '#src/git/base/errors.ts';
import { initRepository } from '#src/git/init.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { removeStaleLocks } from '#src/git/refs/lock.ts';
import { deleteRef, updateRef } from '#src/git/refs/update.ts';
import { NotAlone, type RefChange, updateRefs } from '#src/git/refs/update_many.ts';
import { writeTag } from '#src/git/writer.ts';
import { commitActions } from '../support/commit_actions.ts';
import { randomizer } from '../support/git_history.ts';
import { git, gitLines, scratch } from '../support/git_program.ts';

const run = promisify(execFile);
const who = { name: 'Ada', email: 'ada@example.com', seconds: 1_500_000_000, offset: 0 };

/** A repository and a way to make commits in it, each a file more than its parent. */
async function repository() {
  const directory = path.join(scratch(), 'r.git');
  await initRepository(directory, 'main');
  const reader = new IsomorphicReader(directory);
  const commit = (parent: string | null, name: string) => {
    const actions = [{ action: 'create' as const, path: name, content: Buffer.from(name) }];
    return commitActions(reader, { parent, actions, author: who, committer: who, message: name });
  };
  return { directory, reader, commit };
}

const refsOf = (directory: string) =>
  gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname) %(*objectname)']);
const packedFile = (directory: string) => readFileSync(path.join(directory, 'packed-refs'), 'latin1');
const locksIn = (directory: string) =>
  readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith('.lock'));

describe('Many refs at once', () => {
  it('are packed as git packs them, with what annotations lead to', async () => {
    const { directory, reader, commit } = await repository();
    const tip = await commit(null, 'one');
    const tag = await writeTag(directory, { object: tip, type: 'commit', name: 'v', tagger: who, message: 'v\n' });
    const outer = await writeTag(directory, { object: tag, type: 'tag', name: 'w', tagger: who, message: 'w\n' });
    const names = [
      'refs/heads/a.b',
      'refs/heads/a/b',
      'refs/heads/a-b',
      'refs/heads/ž/ü',
      'refs/heads/\udcff',
      'refs/heads/Z',
    ];
    const changes: RefChange[] = names.map((name) => ({ name, from: null, to: tip }));
    for (const [at, to] of [tag, outer, tip].entries()) changes.push({ name: `refs/tags/v${at}`, from: null, to });
    const peeled = await reader.peeled([tip, tag, outer]);
    expect([...peeled]).toEqual([
      [tag, tip],
      [outer, tip],
    ]);
    expect(await updateRefs(directory, changes, { peeled })).toEqual(changes.map(() => null));
    expect(refsOf(directory)).toHaveLength(changes.length);
    expect(readdirSync(path.join(directory, 'refs', 'heads'))).toEqual([]);
    const own = packedFile(directory);
    git(directory, ['update-ref', 'refs/heads/one-more', tip]);
    git(directory, ['pack-refs', '--all', '--prune']);
    git(directory, ['update-ref', '-d', 'refs/heads/one-more']);
    expect(own).toBe(packedFile(directory));
    expect(git(directory, ['fsck', '--strict'])).toBe('');
    for (const { name } of changes) expect(await reader.resolve(name)).toBe(tip);
  });

  it('become what they become one at a time, whatever they were', { timeout: 90_000 }, async () => {
    const { directory, commit } = await repository();
    const [a, b] = [await commit(null, 'a'), await commit(null, 'b')];
    await updateRef(directory, 'refs/heads/elsewhere', { to: a });
    const random = randomizer(11);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let round = 0; round < 12; round++) {
      for (let at = 0; at < 6; at++) {
        const name = NAMES[below(NAMES.length)] ?? '';
        await updateRef(directory, name, { to: below(2) ? a : b }).catch(() => undefined);
      }
      if (below(2)) git(directory, ['pack-refs', '--all']);
      if (below(3) === 0) git(directory, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/elsewhere']);
      const values = new Map(gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)']).map(pair));
      const chosen = NAMES.filter(() => below(2)).sort(() => random() - 0.5);
      const changes = chosen.map((name): RefChange => {
        const from = below(5) === 0 ? a : (values.get(name) ?? null);
        return { name, from, to: below(3) === 0 ? null : below(2) ? a : b };
      });
      const copy = path.join(scratch(), 'copy.git');
      cpSync(directory, copy, { recursive: true });
      const expected: unknown[] = [];
      for (const { name, from, to } of changes) {
        const one =
          to === null ? deleteRef(copy, name, from === null ? {} : { from }) : updateRef(copy, name, { from, to });
        expected.push(
          await one.then(
            () => null,
            (error: Error) => error.name,
          ),
        );
      }
      const found = await updateRefs(directory, changes);
      expect([changes, found.map((error) => error?.name ?? null)]).toEqual([changes, expected]);
      expect(refsOf(directory)).toEqual(refsOf(copy));
      expect(locksIn(directory)).toEqual([]);
      expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    }
  });

  it('change all or not at all where they are to', async () => {
    const { directory, commit } = await repository();
    const [a, b] = [await commit(null, 'a'), await commit(null, 'b')];
    await updateRef(directory, 'refs/heads/x', { to: a });
    const changes = [
      { name: 'refs/heads/x', from: a, to: b },
      { name: 'refs/heads/y', from: null, to: b },
      { name: 'refs/heads/z', from: b, to: a },
    ];
    const before = refsOf(directory);
    const errors = await updateRefs(directory, changes, { atomic: true });
    expect(errors.map((error) => error?.constructor)).toEqual([NotAlone, NotAlone, RefChanged]);
    expect(refsOf(directory)).toEqual(before);
    expect(locksIn(directory)).toEqual([]);
    expect(existsSync(path.join(directory, 'packed-refs'))).toBe(false);
    expect(await updateRefs(directory, changes.slice(0, 2), { atomic: true })).toEqual([null, null]);
    expect(refsOf(directory)).toEqual([`refs/heads/x ${b} `, `refs/heads/y ${b} `]);
  });

  it('wait for none that somebody else has locked, and are not changed twice', async () => {
    const { directory, commit } = await repository();
    const a = await commit(null, 'a');
    const held = path.join(directory, 'refs', 'heads', 'x.lock');
    cpSync(path.join(directory, 'HEAD'), held);
    const change = (name: string) => ({ name, from: null, to: a });
    const changes = [change('refs/heads/x'), change('refs/heads/y'), change('refs/heads/y'), change('refs/heads/..')];
    const errors = await updateRefs(directory, changes, { timeout: 20 });
    expect(errors.map((error) => error?.constructor)).toEqual([RefLocked, undefined, InvalidRefName, InvalidRefName]);
    expect(existsSync(held)).toBe(true);
    await removeStaleLocks(directory, ['refs/heads/x', 'refs/heads/y/below', `refs/heads/${'long'.repeat(63)}`]);
    expect(existsSync(held)).toBe(false);
    expect(await updateRefs(directory, [change('refs/heads/x')], { timeout: 20 })).toEqual([null]);
    const long = await updateRefs(directory, [change(`refs/heads/${'long'.repeat(63)}`)]);
    expect(long.map((error) => error?.constructor)).toEqual([InvalidRefName]);
  });

  it('exclude changes by the git program', { timeout: 90_000 }, async () => {
    const { directory, commit } = await repository();
    const root = await commit(null, 'root');
    const names = Array.from({ length: 8 }, (_, at) => `refs/heads/r/${at}`);
    await updateRefs(
      directory,
      names.map((name) => ({ name, from: null, to: root })),
    );
    const done = new Map(names.map((name) => [name, [root]]));
    const holds = async (name: string) =>
      (await run('git', [`--git-dir=${directory}`, 'rev-parse', name])).stdout.trim();
    const next = async (round: number, by: string) =>
      Promise.all(
        names.map(async (name, at) => {
          const from = await holds(name);
          return { name, from, to: await commit(from, `${by}${round}-${at}`) };
        }),
      );
    const own = async (round: number) => {
      const changes = await next(round, 'own');
      const errors = await updateRefs(directory, changes);
      for (const [at, { name, to }] of changes.entries()) {
        if (errors[at] === null) done.get(name)?.push(to);
        else expect(errors[at] instanceof RefChanged || errors[at] instanceof RefLocked).toBe(true);
      }
    };
    const foreign = async (round: number) => {
      for (const { name, from, to } of await next(round, 'git')) {
        await run('git', [`--git-dir=${directory}`, 'update-ref', name, to, from]).then(
          () => done.get(name)?.push(to),
          () => undefined,
        );
      }
    };
    const packs = async () => {
      await run('git', [`--git-dir=${directory}`, 'pack-refs', '--all']).catch(() => undefined);
    };
    for (let round = 0; round < 6; round++) await Promise.all([own(round), foreign(round), packs()]);
    for (const name of names) {
      expect(gitLines(directory, ['rev-list', name]).toSorted()).toEqual(done.get(name)?.toSorted());
    }
    expect(Math.max(...[...done.values()].map(({ length }) => length))).toBeGreaterThan(3);
  });

  it('hold an old or a new value each, and can be changed again, when the process is killed', {
    timeout: 90_000,
  }, async () => {
    const { directory, commit } = await repository();
    const [a, b] = [await commit(null, 'a'), await commit(null, 'b')];
    const names = Array.from({ length: 400 }, (_, at) => `refs/heads/d${at % 7}/${at}`);
    await updateRefs(
      directory,
      names.map((name) => ({ name, from: null, to: a })),
    );
    const random = randomizer(6);
    for (let round = 0; round < 6; round++) {
      // Some have files of their own, which the packed values must replace.
      for (const name of names.slice(0, 40)) await updateRef(directory, name, { to: a });
      const child = spawn(process.execPath, ['--input-type=module', '-e', changer(directory, names, [a, b])], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, 5 + random() * 150));
      child.kill('SIGKILL');
      await once(child, 'close');
      const values = new Map(gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)']).map(pair));
      expect([...values.keys()].toSorted()).toEqual(names.toSorted());
      expect([...values.values()].filter((value) => value !== a && value !== b)).toEqual([]);
      // Those that have no files change in one stroke.
      expect(new Set(names.slice(40).map((name) => values.get(name))).size).toBe(1);
      expect(output).not.toBe('');
      await removeStaleLocks(directory, [...names, 'packed-refs']);
      expect(locksIn(directory)).toEqual([]);
      const back = names.map((name) => ({ name, from: values.get(name) ?? null, to: a }));
      expect((await updateRefs(directory, back)).filter((error) => error !== null)).toEqual([]);
      expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    }
  });
});

const NAMES = ['x', 'x/y', 'x/y/z', 'y', 'alias', 'deep/a', 'deep/b', 'deep', 'ž', 'deep/b/c'].map(
  (name) => `refs/heads/${name}`,
);

const pair = (line: string) => line.split(' ') as [string, string];

/** A program that sets all refs to the one and the other value without end, and says so each time. */
function changer(directory: string, names: string[], values: string[]): string {
  const module = JSON.stringify(new URL('../../src/git/refs/update_many.ts', import.meta.url).href);
  return `
    const { updateRefs } = await import(${module});
    const names = ${JSON.stringify(names)};
    const values = ${JSON.stringify(values)};
    for (let at = 0; ; at++) {
      const [from, to] = [values[at % 2], values[(at + 1) % 2]];
      const errors = await updateRefs(${JSON.stringify(directory)}, names.map((name) => ({ name, from, to })));
      if (errors.some((error) => error !== null)) throw errors.find((error) => error !== null);
      process.stdout.write(to + '\\n');
    }`;
}
