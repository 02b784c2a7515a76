// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { oddHistory } from '../support/git_fixtures.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

async function filled(visibility: 'public' | 'private' = 'public') {
  const project = await world.project({ owner, visibility });
  const directory = await fillRepository(world, project, oddHistory({ packed: false }));
  return { project, directory };
}

/** A field of the repository; what it is, or the code of the error. */
async function read(project: { id: number }, field: string, variables: Json = {}, who?: TestUser): Promise<Json> {
  const names = { text: 'String', path: 'String', ref: 'String' } as const;
  const declared = Object.entries(names).map(([name, type]) => `$${name}: ${type}`);
  const query = `query ($id: ProjectRef!, ${declared.join(', ')}) { project(ref: $id) { fullPath repository {
    at(refAndPath: $text, ref: $ref, path: $path) ${field} } } }`;
  const { body } = await world.graphql(query, { id: String(project.id), ...variables }, who);
  return body.data?.project?.repository?.at ?? body.errors?.[0]?.extensions?.code ?? body;
}

describe('A path of a ref', () => {
  it('has the longest branch or tag in front, and else a commit', async () => {
    const { project, directory } = await filled();
    const sha = git(directory, ['rev-parse', 'main']).trim();
    for (const branch of ['work', 'new/one', 'new/one-two']) git(directory, ['branch', branch, 'main']);
    git(directory, ['tag', 'work/docs', 'main']);
    const [name = ''] = git(directory, ['ls-tree', '-r', '--name-only', 'main', '--', 'README.md']).split('\n');
    const file = name === '' ? (git(directory, ['ls-tree', '--name-only', 'main']).split('\n')[0] ?? '') : name;
    const at = (text: string) => read(project, '{ ref refKind path commitSha }', { text });
    const here = { commitSha: sha };
    expect(await at('main')).toEqual({ ref: 'main', refKind: 'BRANCH', path: '', ...here });
    expect(await at(`main/${file}`)).toEqual({ ref: 'main', refKind: 'BRANCH', path: file, ...here });
    expect(await at(`new/one/${file}`)).toEqual({ ref: 'new/one', refKind: 'BRANCH', path: file, ...here });
    expect(await at('new/one-two/')).toEqual({ ref: 'new/one-two', refKind: 'BRANCH', path: '', ...here });
    expect(await at(`work/docs/${file}`)).toEqual({ ref: 'work/docs', refKind: 'TAG', path: file, ...here });
    expect(await at(`work/${file}`)).toEqual({ ref: 'work', refKind: 'BRANCH', path: file, ...here });
    expect(await at(`${sha}/${file}`)).toEqual({ ref: sha, refKind: 'COMMIT', path: file, ...here });
    expect(await at(sha.slice(0, 10))).toEqual({ ref: sha.slice(0, 10), refKind: 'COMMIT', path: '', ...here });
    expect(await read(project, '{ ref path }')).toEqual({ ref: 'main', path: '' });
    expect(await at('new/none')).toBe('NOT_FOUND');
    expect(await at('main/none')).toBe('NOT_FOUND');
    expect(await read(project, '{ ref }', { text: 'main', ref: 'main' })).toBe('VALIDATION_FAILED');
    expect(await at(`${'a/'.repeat(2000)}b`)).toBe('NOT_FOUND');
  });

  it('is hidden from those who may not read the repository', async () => {
    const { project } = await filled('private');
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    expect(await read(project, '{ ref }', {}, guest)).toBe('FORBIDDEN');
    expect(await read(project, '{ ref }', {}, owner)).toEqual({ ref: 'main' });
  });

  it('lists entries with the commits that git finds for each, to visitors of a public project too', async () => {
    const { project, directory } = await filled();
    const field = '{ entries(first: 100) { nodes { path lastCommit { sha } } } lastCommit { sha } }';
    const lines = git(directory, ['ls-tree', '-r', '-d', '-z', 'main']).split('\0');
    const folders = lines.flatMap((line) => /^\d+ tree \w+\t(.*)$/s.exec(line)?.[1] ?? []);
    let checked = 0;
    for (const path of ['', ...folders.filter((folder) => folder.isWellFormed() && !folder.includes('\ufffd'))]) {
      const { entries, lastCommit } = await read(project, field, { ref: 'main', path }, owner);
      const git1 = (name: string) => git(directory, ['log', '-1', '--format=%H', 'main', '--', name]).trim();
      if (path !== '') expect(lastCommit.sha).toBe(git1(path));
      for (const entry of entries.nodes) {
        if (entry.path.includes('\ufffd')) continue;
        expect([entry.path, entry.lastCommit?.sha]).toEqual([entry.path, git1(entry.path)]);
        checked++;
      }
      expect(await read(project, field, { ref: 'main', path })).toEqual({ entries, lastCommit });
    }
    expect(checked).toBeGreaterThan(5);
  });

  it('has the paths of files that contain all words', async () => {
    const { project, directory } = await filled();
    const all = git(directory, ['ls-tree', '-r', '--name-only', '-z', 'main']).split('\0').slice(0, -1);
    const [first = ''] = all.filter((path) => path.includes('/') && /^[\w./-]+$/.test(path));
    const [folder = '', ...rest] = first.split('/');
    const search = `${rest.join('/')} ${folder.toUpperCase()}`;
    const found = await read(project, `{ paths(search: ${JSON.stringify(search)}) }`);
    expect(found.paths).toContain(first);
    expect(found.paths.length).toBeLessThan(all.length);
    expect((await read(project, '{ paths(search: "no such file anywhere") }')).paths).toEqual([]);
    expect((await read(project, '{ paths(limit: 100) }')).paths).toHaveLength(Math.min(all.length, 100));
    expect(await read(project, '{ paths(limit: 101) }')).toBe('VALIDATION_FAILED');
  });
});
