import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MissingObject } from '#src/git/base/errors.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { absentObjects } from '#src/git/objects/presence.ts';
import { updateRef } from '#src/git/refs/update.ts';
import { updateRefs } from '#src/git/refs/update_many.ts';
import { confirmObjects, secureObjects } from '#src/git/remote/secure.ts';
import { commitActions } from '../support/commit_actions.ts';
import { emptyRepository, git, gitLines } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const who = { name: 'Ada', email: 'ada@example.com', seconds: 1_500_000_000, offset: 0 };
const MAIN = 'refs/heads/main';

/** A repository with a commit on `main`, and what writes more of them. */
async function repository() {
  const directory = emptyRepository();
  const reader = new IsomorphicReader(directory);
  const commit = (parent: string | null, name: string, keepLock?: PackKeepLock) => {
    const actions = [{ action: 'create' as const, path: `d/${name}`, content: Buffer.from(name) }];
    return commitActions(reader, { parent, actions, author: who, committer: who, message: name }, keepLock);
  };
  const first = await commit(null, 'first');
  await updateRef(directory, MAIN, { from: null, to: first });
  return { directory, commit, first };
}

const cleanUp = (directory: string) => git(directory, ['gc', '--quiet', '--prune=now']);
const isWhole = (directory: string) => git(directory, ['fsck', '--strict', '--no-dangling']) === '';
const fileOf = (directory: string, oid: string) => path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2));
const branch = (name: string, to: string) => ({ name: `refs/heads/${name}`, from: null, to });

describe('A ref', () => {
  it('is never made to hold what is not there, alone or among others', async () => {
    const { directory, commit, first } = await repository();
    const gone = await commit(first, 'gone');
    rmSync(fileOf(directory, gone));
    const refs = () => gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)']);
    await expect(updateRef(directory, MAIN, { from: first, to: gone })).rejects.toThrow(MissingObject);
    await expect(updateRef(directory, 'refs/heads/new', { from: null, to: gone })).rejects.toThrow(MissingObject);
    const changes = [branch('a', first), branch('b', gone), { name: MAIN, from: first, to: gone }, branch('c', first)];
    const errors = await updateRefs(directory, changes);
    expect(errors.map((error) => error?.constructor)).toEqual([undefined, MissingObject, MissingObject, undefined]);
    expect(refs()).toEqual([`refs/heads/a ${first}`, `refs/heads/c ${first}`, `${MAIN} ${first}`]);
    const atomic = await updateRefs(directory, [branch('d', first), branch('e', gone)], { atomic: true });
    expect(atomic.map((error) => error?.name)).toEqual(['NotAlone', 'MissingObject']);
    expect(refs()).toHaveLength(3);
    const left = readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith('.lock'));
    expect(left).toEqual([]);
  });
});

describe('New objects', () => {
  it('survive any clean-up until they are released, and then what refs lead to', LONG, async () => {
    const { directory, commit, first } = await repository();
    const keepLock = new PackKeepLock(directory);
    const kept = await commit(first, 'kept', keepLock);
    const unused = await commit(first, 'unused', keepLock);
    for (const args of [
      ['gc', '--quiet', '--prune=now'],
      ['repack', '-adq'],
      ['prune', '--expire=now'],
    ]) {
      git(directory, args);
      expect(await absentObjects(directory, [kept, unused])).toEqual([]);
    }
    await updateRef(directory, MAIN, { from: first, to: kept });
    await keepLock.release();
    cleanUp(directory);
    expect(await absentObjects(directory, [kept, unused])).toEqual([unused]);
    expect(isWhole(directory)).toBe(true);
    expect(readdirSync(path.join(directory, 'objects', 'pack')).filter((name) => name.endsWith('.keep'))).toEqual([]);
  });

  it('of two writers with the same content are released one by one', LONG, async () => {
    const { directory, commit, first } = await repository();
    const [one, two] = [new PackKeepLock(directory), new PackKeepLock(directory)];
    const oid = await commit(first, 'same', one);
    expect(await commit(first, 'same', two)).toBe(oid);
    await one.release();
    cleanUp(directory);
    expect(await absentObjects(directory, [oid])).toEqual([]);
    await two.release();
    cleanUp(directory);
    expect(await absentObjects(directory, [oid])).toEqual([oid]);
  });
});

describe('Objects to which no ref leads', () => {
  it('are kept for who makes a ref of them, with all that they lead to', LONG, async () => {
    const { directory, commit, first } = await repository();
    const below = await commit(first, 'below');
    const old = await commit(below, 'old');
    const keepLock = new PackKeepLock(directory);
    expect(await secureObjects(keepLock, [branch('back', old)])).toBe(true);
    cleanUp(directory);
    expect(await confirmObjects(keepLock, [branch('back', old)])).toBe(true);
    await updateRef(directory, 'refs/heads/back', { from: null, to: old });
    await keepLock.release();
    expect(isWhole(directory)).toBe(true);
  });

  it('are refused where a part of them is gone', LONG, async () => {
    const { directory, commit, first } = await repository();
    const old = await commit(first, 'old');
    const [tree = ''] = gitLines(directory, ['rev-parse', `${old}:d`]);
    rmSync(fileOf(directory, tree));
    const keepLock = new PackKeepLock(directory);
    expect(await secureObjects(keepLock, [branch('back', old)])).toBe(false);
    expect(readdirSync(path.join(directory, 'objects')).filter((name) => name.startsWith('incoming'))).toEqual([]);
  });

  it('are looked at again when refs have changed since', LONG, async () => {
    const { directory, first } = await repository();
    const change = branch('new', first);
    const [kept, lost] = [new PackKeepLock(directory), new PackKeepLock(directory)];
    for (const keepLock of [kept, lost]) expect(await secureObjects(keepLock, [change])).toBe(true);
    git(directory, ['update-ref', '-d', MAIN]);
    expect(await confirmObjects(kept, [change])).toBe(true);
    cleanUp(directory);
    expect(await absentObjects(directory, [first])).toEqual([]);
    await kept.release();
    cleanUp(directory);
    expect(await confirmObjects(lost, [change])).toBe(false);
    await expect(updateRef(directory, change.name, change)).rejects.toThrow(MissingObject);
  });

  it('are not looked at again where a branch has only moved on', LONG, async () => {
    const { directory, commit, first } = await repository();
    const keepLock = new PackKeepLock(directory);
    const change = branch('new', first);
    expect(await secureObjects(keepLock, [change])).toBe(true);
    await updateRef(directory, MAIN, { from: first, to: await commit(first, 'more') });
    expect(await confirmObjects(keepLock, [change])).toBe(true);
    expect(keepLock.packs).toEqual([]);
  });

  it('are no reason to refuse anything where some ref has been broken for long', async () => {
    const { directory, commit, first } = await repository();
    const broken = await commit(first, 'broken');
    await updateRef(directory, 'refs/heads/broken', { from: null, to: broken });
    rmSync(fileOf(directory, broken));
    const old = await commit(first, 'old');
    const keepLock = new PackKeepLock(directory);
    expect(await secureObjects(keepLock, [branch('back', old)])).toBe(true);
    expect(existsSync(path.join(directory, 'objects', 'pack', keepLock.packs[0] ?? 'none'))).toBe(true);
    await keepLock.release();
  });
});
