import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { InvalidRefName, RefChanged, RefLocked } from '#src/git/base/errors.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import { decodeName } from '#src/git/base/names.ts';
import { initRepository } from '#src/git/init.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { removeStaleLocks } from '#src/git/refs/lock.ts';
import { isValidBranchName, isValidRefName } from '#src/git/refs/name.ts';
import { deleteRef, setDefaultBranch, updateRef } from '#src/git/refs/update.ts';
import { type Action, ActionFailed } from '#src/git/write/actions.ts';
import { pathFault } from '#src/git/write/path.ts';
import { NothingChanged, writeTag } from '#src/git/writer.ts';
import { commitActions } from '../support/commit_actions.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitBytes, gitCode, gitLines, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const author: Signature = { name: 'Ada Ünïcode', email: 'ada@example.com', seconds: 1_500_000_000, offset: -210 };
const committer: Signature = { name: 'Cleo', email: 'cleo@example.com', seconds: 1_600_000_000, offset: 345 };
const bytes = (text: string) => Buffer.from(text);

async function repository() {
  const directory = path.join(scratch(), 'r.git');
  await initRepository(directory, 'main');
  const reader = new IsomorphicReader(directory);
  const commit = async (parent: Oid | null, actions: Action[], message = 'A message\n') =>
    commitActions(reader, { parent, actions, author, committer, message });
  const save = async (from: Oid | null, actions: Action[], ref = 'refs/heads/main') => {
    const to = await commit(from, actions);
    await updateRef(directory, ref, { from, to });
    return to;
  };
  return { directory, reader, commit, save };
}

function sound(directory: string): void {
  expect(git(directory, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
}

describe('Commits of actions', () => {
  it('are what git reads, with names, times, zones and modes', LONG, async () => {
    const { directory, save } = await repository();
    const first = await save(null, [
      { action: 'create', path: 'a.txt', content: bytes('a\n') },
      { action: 'create', path: 'dir/sub/b.txt', content: bytes('b') },
      { action: 'create', path: 'dir.x/ž ž.txt', content: bytes('') },
      { action: 'create', path: 'dir-', content: bytes('x') },
    ]);
    const second = await save(first, [
      { action: 'update', path: 'a.txt', content: bytes('new\n') },
      { action: 'move', path: 'moved/b.txt', previousPath: 'dir/sub/b.txt' },
      { action: 'move', path: 'a', previousPath: 'dir-', content: bytes('y') },
      { action: 'delete', path: 'dir.x/ž ž.txt' },
      { action: 'create', path: 'dir', content: bytes('a file where a directory was') },
    ]);
    sound(directory);
    expect(gitLines(directory, ['ls-tree', '-r', '--name-only', second])).toEqual(['a', 'a.txt', 'dir', 'moved/b.txt']);
    expect(gitBytes(directory, ['show', `${second}:moved/b.txt`])).toEqual(bytes('b'));
    const shown = git(directory, ['log', '-1', '--format=%an|%ae|%aI|%cn|%ce|%cI|%P|%B', second]).trim();
    const expected =
      'Ada Ünïcode|ada@example.com|2017-07-13T23:10:00-03:30|Cleo|cleo@example.com|2020-09-13T18:11:40+05:45';
    expect(shown).toBe(`${expected}|${first}|A message`);
  });

  it('leave alone what they do not touch: modes, links, submodules and names that are no text', LONG, async () => {
    const directory = oddHistory({ packed: true });
    const reader = new IsomorphicReader(directory);
    const parent = (await reader.resolve('topic')) ?? '';
    const actions: Action[] = [
      { action: 'update', path: 'run.sh', content: bytes('#!/bin/bash\n') },
      { action: 'move', path: 'bin/other.sh', previousPath: 'run.sh' },
      {
        action: 'move',
        path: decodeName(Buffer.from('d\xefr/\xfe', 'latin1')),
        previousPath: decodeName(Buffer.from('caf\xe9.txt', 'latin1')),
      },
    ];
    const oid = await commitActions(reader, { parent, actions, author, committer, message: 'x' });
    sound(directory);
    const list = (commit: string) => gitBytes(directory, ['ls-tree', '-rz', commit]).toString('latin1').split('\0');
    const changed = /\t(run\.sh|bin\/other\.sh|caf\xe9\.txt|d\xefr\/\xfe)$/;
    expect(list(oid).filter((line) => !changed.test(line))).toEqual(list(parent).filter((line) => !changed.test(line)));
    expect(list(oid).find((line) => line.endsWith('bin/other.sh'))).toMatch(/^100755/);
    expect(list(oid).some((line) => line.endsWith('d\xefr/\xfe'))).toBe(true);
    await reader.close();
  });

  it('fail as a whole at the first action that cannot be done', async () => {
    const { directory, reader, commit, save } = await repository();
    const content = bytes('x');
    const parent = await save(null, [{ action: 'create', path: 'dir/a', content }]);
    const faults: [Action, string][] = [
      [{ action: 'create', path: 'dir/a', content }, 'exists'],
      [{ action: 'create', path: 'dir', content }, 'exists'],
      [{ action: 'create', path: 'dir/a/b', content }, 'blocked'],
      [{ action: 'update', path: 'dir', content }, 'missing'],
      [{ action: 'update', path: 'none', content }, 'missing'],
      [{ action: 'delete', path: 'dir/none' }, 'missing'],
      [{ action: 'move', path: 'b', previousPath: 'none' }, 'missing'],
      [{ action: 'move', path: 'dir/a', previousPath: 'dir/a' }, 'exists'],
      [{ action: 'create', path: '../x', content }, 'path'],
    ];
    for (const [action, fault] of faults) {
      const failed = await commit(parent, [{ action: 'create', path: 'new', content }, action]).catch((error) => error);
      expect(failed).toBeInstanceOf(ActionFailed);
      expect([action, failed.index, failed.fault]).toEqual([action, 1, fault]);
    }
    await expect(commit(parent, [{ action: 'update', path: 'dir/a', content }])).rejects.toThrow(NothingChanged);
    expect(await reader.resolve('main')).toBe(parent);
    expect(gitLines(directory, ['rev-list', '--all'])).toEqual([parent]);
  });

  it('do a thousand actions at once', LONG, async () => {
    const { directory, save, commit } = await repository();
    const create = (at: number): Action => ({
      action: 'create',
      path: `d${at % 40}/e${at % 7}/f${at}`,
      content: bytes(`file ${at}\n`.repeat(50)),
    });
    const first = await save(
      null,
      Array.from({ length: 1000 }, (_, at) => create(at)),
    );
    const second = await commit(
      first,
      Array.from({ length: 1000 }, (_, at) => ({ ...create(at), action: 'update' as const, content: bytes(`${at}`) })),
    );
    expect(gitLines(directory, ['ls-tree', '-r', '--name-only', second])).toHaveLength(1000);
    sound(directory);
  });

  it('of fifty at once only those that are in the history succeed', LONG, async () => {
    const { directory, reader, save, commit } = await repository();
    const root = await save(null, [{ action: 'create', path: 'start', content: bytes('') }]);
    let tip = root;
    const one = async (at: number) => {
      const parent = await reader.resolve('main');
      const to = await commit(parent, [{ action: 'create', path: `f${at}`, content: bytes(`${at}`) }], `${at}`);
      await updateRef(directory, 'refs/heads/main', { from: parent, to });
      tip = to;
      return to;
    };
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => one(at)));
    const done = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    for (const reason of refused) expect(reason instanceof RefChanged || reason instanceof RefLocked).toBe(true);
    const history = gitLines(directory, ['rev-list', 'main']);
    expect(history).toContain(tip);
    expect(history.toSorted()).toEqual([...done, root].toSorted());
    expect(gitLines(directory, ['rev-list', '--merges', 'main'])).toEqual([]);
    expect(done.length).toBeGreaterThan(0);
    sound(directory);
  });

  it('make annotated tags that git accepts', LONG, async () => {
    const { directory, reader, save } = await repository();
    const object = await save(null, [{ action: 'create', path: 'a', content: bytes('a') }]);
    const oid = await writeTag(directory, {
      object,
      type: 'commit',
      name: 'v1',
      tagger: committer,
      message: 'Notes\n',
    });
    await updateRef(directory, 'refs/tags/v1', { from: null, to: oid });
    expect(await reader.tag('v1')).toMatchObject({
      target: oid,
      commit: object,
      annotation: { message: 'Notes\n', tagger: committer },
    });
    sound(directory);
  });
});

describe('Refs', () => {
  it('have the names that git check-ref-format accepts', LONG, () => {
    const names = [
      'a',
      'a/b',
      'a..b',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a b',
      'a~',
      'a^',
      'a:',
      'a?',
      'a*',
      'a[',
      'a\\b',
      'a@{b',
      '@',
      'a.',
      'a/',
      '/a',
      'a//b',
      'é',
      'a%b',
      'a.b',
      '-a',
      'HEAD',
      'a\x7f',
      'a\tb',
      '@a',
      '{',
      '',
    ];
    const directory = oddHistory({ packed: false });
    for (const name of names) {
      const accepted = gitCode(directory, ['check-ref-format', `refs/heads/${name}`]) === 0;
      expect([name, isValidRefName(`refs/heads/${name}`)]).toEqual([name, accepted]);
      const branch = gitCode(directory, ['check-ref-format', '--branch', name]) === 0;
      if (name !== 'HEAD') expect([name, isValidBranchName(name)]).toEqual([name, branch]);
    }
    expect(isValidRefName('HEAD')).toBe(false);
  });

  it('are set only if they hold what is expected, packed ones too', LONG, async () => {
    const { directory, save, commit } = await repository();
    const one = await save(null, [{ action: 'create', path: 'a', content: bytes('1') }]);
    const two = await commit(one, [{ action: 'update', path: 'a', content: bytes('2') }]);
    git(directory, ['pack-refs', '--all', '--prune']);
    await expect(updateRef(directory, 'refs/heads/main', { from: null, to: two })).rejects.toThrow(RefChanged);
    await expect(updateRef(directory, 'refs/heads/main', { from: two, to: two })).rejects.toMatchObject({
      actual: one,
    });
    await updateRef(directory, 'refs/heads/main', { from: one, to: two });
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(two);
    await expect(deleteRef(directory, 'refs/heads/main', { from: one })).rejects.toThrow(RefChanged);
    await deleteRef(directory, 'refs/heads/main', { from: two });
    expect(git(directory, ['for-each-ref'])).toBe('');
    await expect(deleteRef(directory, 'refs/heads/main')).rejects.toThrow(RefChanged);
    expect(existsSync(path.join(directory, 'refs/heads'))).toBe(true);
  });

  it('leave other packed refs and what they lead to alone when one is deleted', LONG, async () => {
    const directory = oddHistory({ packed: true });
    git(directory, ['pack-refs', '--all', '--prune']);
    const before = gitLines(directory, ['show-ref', '-d']);
    await deleteRef(directory, 'refs/tags/v1.0');
    const left = before.filter((line) => !/ refs\/tags\/v1\.0(\^\{\})?$/.test(line));
    expect(gitLines(directory, ['show-ref', '-d'])).toEqual(left);
    await deleteRef(directory, 'refs/heads/feature/with/slashes.and.dots');
    expect(existsSync(path.join(directory, 'refs/heads/feature'))).toBe(false);
    sound(directory);
  });

  it('are no directories of others, loose or packed, and empty directories are not in the way', async () => {
    const { directory, save } = await repository();
    const oid = await save(null, [{ action: 'create', path: 'a', content: bytes('1') }]);
    const set = (name: string) => updateRef(directory, `refs/heads/${name}`, { from: null, to: oid });
    await set('x/y');
    await expect(set('x')).rejects.toThrow(InvalidRefName);
    await expect(set('x/y/z')).rejects.toThrow(InvalidRefName);
    git(directory, ['pack-refs', '--all', '--prune']);
    await expect(set('x')).rejects.toThrow(InvalidRefName);
    await expect(set('x/y/z')).rejects.toThrow(InvalidRefName);
    await deleteRef(directory, 'refs/heads/x/y');
    mkdirSync(path.join(directory, 'refs/heads/x/empty/below'), { recursive: true });
    await set('x');
    for (const wrong of ['../../config', 'a..b', 'a b', 'x.lock'])
      await expect(set(wrong)).rejects.toThrow(InvalidRefName);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main', 'refs/heads/x']);
    expect(existsSync(path.join(directory, 'refs/heads/x.lock'))).toBe(false);
  });

  it('are locked against git and by git, until a stale lock is removed', LONG, async () => {
    const { directory, save, commit } = await repository();
    const from = await save(null, [{ action: 'create', path: 'a', content: bytes('1') }]);
    const to = await commit(from, [{ action: 'update', path: 'a', content: bytes('2') }]);
    writeFileSync(path.join(directory, 'refs/heads/main.lock'), '');
    await expect(updateRef(directory, 'refs/heads/main', { from, to, timeout: 30 })).rejects.toThrow(RefLocked);
    expect(gitCode(directory, ['update-ref', 'refs/heads/main', to])).not.toBe(0);
    await removeStaleLocks(directory, ['refs/heads/main', 'HEAD', 'packed-refs']);
    await updateRef(directory, 'refs/heads/main', { from, to });
    await setDefaultBranch(directory, 'větev/other');
    expect(git(directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/větev/other');
    await expect(initRepository(directory, 'main')).rejects.toThrow();
  });
});

describe('Paths', () => {
  it('are refused where git or a file system would take them for something else', () => {
    const bad = {
      empty: ['', 'a//b', '/a', 'a/'],
      traversal: ['..', 'a/../b', './a', 'a/.'],
      control: ['a\nb', 'a\0', '\x7f'],
      reserved: ['.git', 'a/.GIT/b', '.git ', '.git.', 'git~1', '.g\u200cit', 'a\\.git', '.git:x'],
      long: ['a'.repeat(256), 'ž'.repeat(128), `${'a/'.repeat(2100)}a`],
    };
    for (const [fault, paths] of Object.entries(bad))
      for (const path of paths) expect([path, pathFault(path)]).toEqual([path, fault]);
    for (const path of ['a', '.gitignore', 'a/.github/x', '...', 'a b', '-x', 'é/%2F', 'git', 'a\\b', '.gita'])
      expect([path, pathFault(path)]).toEqual([path, null]);
  });
});
