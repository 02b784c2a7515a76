import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ObjectType } from '#src/git/base/model.ts';
import { findSelfContained, type HeldObject } from '#src/git/incoming/self_contained.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitBytes, gitLines } from '../support/git_program.ts';

/** A history with a directory of directories, as a server has it. */
async function history() {
  const work = await workingCopy();
  for (const folder of ['a/b', 'c']) await mkdir(path.join(work, folder), { recursive: true });
  await commitFile(work, 'a/b/one', 'one\n');
  await commitFile(work, 'c/two', 'two\n');
  const main = await commitFile(work, 'three', 'three\n');
  return { work, main, directory: path.join(work, '.git') };
}

const known = new Map<string, HeldObject>();

function objectOf(directory: string, oid: string): HeldObject {
  const before = known.get(oid);
  if (before !== undefined) return before;
  const output = gitBytes(directory, ['cat-file', '--batch=%(objecttype)'], `${oid}\n`);
  const at = output.indexOf(10);
  const content = output.subarray(at + 1, -1);
  const object = { type: output.toString('latin1', 0, at) as ObjectType, size: content.length, content };
  known.set(oid, object);
  return object;
}

function storeOf(directory: string) {
  return {
    async read(oid: string) {
      const { type, content } = objectOf(directory, oid);
      return { type, content: content ?? Buffer.alloc(0) };
    },
  };
}

/** Looks at a push that brings what the tips lead to and the bounds do not, without some objects. */
async function look(directory: string, tips: readonly string[], bounds: readonly string[], without: string[] = []) {
  const range = [...tips, ...bounds.map((oid) => `^${oid}`)];
  const listed = gitLines(directory, ['rev-list', '--objects', '--no-object-names', ...range]);
  const oids = listed.filter((oid) => oid !== '' && !without.includes(oid));
  const held = new Map(oids.map((oid) => [oid, objectOf(directory, oid)]));
  const found = await findSelfContained(tips, new Set(bounds), held, storeOf(directory));
  const files = oids.filter((oid) => held.get(oid)?.type === 'blob').sort();
  return { files, found: found && { files: [...found.files].sort(), parents: [...found.parents] } };
}

describe('What a push brings', () => {
  it('is the files that commits change, of commits and of merges that differ from all that they merge', async () => {
    const { work, main, directory } = await history();
    await run(work, 'checkout', '--quiet', '-b', 'topic');
    await commitFile(work, 'a/b/one', 'other\n');
    await run(work, 'checkout', '--quiet', 'main');
    const beside = await commitFile(work, 'c/two', 'more\n');
    await run(work, 'merge', '--quiet', '--no-commit', 'topic');
    // An evil merge: none of its parents has this.
    await writeFile(path.join(work, 'a/b/four'), 'four\n');
    await run(work, 'add', '.');
    await run(work, 'commit', '--quiet', '-m', 'Merge');
    const merge = await run(work, 'rev-parse', 'HEAD');
    const all = await look(directory, [merge], [main]);
    expect(all.files).toHaveLength(3);
    expect(all.found).toEqual({ files: all.files, parents: [] });
    const onTop = await look(directory, [merge], [beside]);
    expect(onTop.found).toEqual({ files: onTop.files, parents: [main] });
    const evil = await run(work, 'rev-parse', 'HEAD:a/b/four');
    expect((await look(directory, [merge], [main], [evil])).found).toBeNull();
    for (const name of ['HEAD^{tree}', 'HEAD:a', 'HEAD:a/b'])
      expect((await look(directory, [merge], [main], [await run(work, 'rev-parse', name)])).found).toBeNull();
    // Refs have to lead to parents that were not brought, which whoever asks makes sure of.
    expect((await look(directory, [merge], [main], [beside])).found?.parents).toContain(beside);
  });

  it('has roots and commits that change nothing, and names parents that are no refs', async () => {
    const { work, main, directory } = await history();
    await run(work, 'commit', '--quiet', '--allow-empty', '-m', 'Nothing');
    const empty = await run(work, 'rev-parse', 'HEAD');
    expect((await look(directory, [empty], [main])).found).toEqual({ files: [], parents: [] });
    const old = await run(work, 'rev-parse', `${main}~1`);
    await run(work, 'checkout', '--quiet', old);
    const late = await commitFile(work, 'five', 'five\n');
    const { files, found } = await look(directory, [late], [main]);
    expect(found).toEqual({ files, parents: [old] });
    const root = await look(directory, [late], []);
    expect(root.files).toHaveLength(3);
    expect(root.found).toEqual({ files: root.files, parents: [] });
    expect((await look(directory, [late, main], [main])).found).toBeNull();
  });

  it('is not certain where files and directories were elsewhere before, and of all that is no commit', async () => {
    const { work, main, directory } = await history();
    await rename(path.join(work, 'a'), path.join(work, 'moved'));
    await run(work, 'add', '--all', '.');
    await run(work, 'commit', '--quiet', '-m', 'Move');
    expect((await look(directory, [await run(work, 'rev-parse', 'HEAD')], [main])).found).toBeNull();
    await run(work, 'tag', '-a', '-m', 'One', 'v1');
    expect((await look(directory, [await run(work, 'rev-parse', 'v1')], [main])).found).toBeNull();
    expect((await look(directory, [await run(work, 'rev-parse', 'HEAD^{tree}')], [main])).found).toBeNull();
  });

  it('has submodules, which are elsewhere, and takes no odd mode for one', async () => {
    const { main, directory } = await history();
    const root = git(directory, ['ls-tree', '-z', main]).split('\0').filter(Boolean);
    const commitOf = (tree: string) =>
      git(directory, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-p', main, '-m', 'x', tree]).trim();
    const tree = git(
      directory,
      ['mktree', '--missing'],
      [...root, `160000 commit ${'1'.repeat(40)}\tsub`, ''].join('\n'),
    );
    expect((await look(directory, [commitOf(tree.trim())], [main])).found).toEqual({ files: [], parents: [] });
    const entry = Buffer.concat([Buffer.from('1640000 sub\0'), Buffer.alloc(20, 0x11)]);
    const odd = gitBytes(directory, ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], entry).toString();
    const commit = commitOf(odd.trim());
    const held = new Map([commit, odd.trim()].map((oid) => [oid, objectOf(directory, oid)]));
    expect(await findSelfContained([commit], new Set([main]), held, storeOf(directory))).toBeNull();
  });
});
