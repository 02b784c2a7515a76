// Each test takes long: the long run has them all.
// @module-tag long
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

const modules = (name: string, more: string) => `[submodule "${name}"]\n\tpath = lib\n${more}`;
const GOOD = modules('lib', '\turl = https://example.com/lib.git\n');
/** What makes git of clients run or overwrite something, with the word that it has for it. */
const BAD = [
  ['gitmodulesName', modules('../../x', '\turl = https://example.com/lib.git\n')],
  ['gitmodulesUrl', modules('lib', '\turl = -u./payload\n')],
  ['gitmodulesUrl', modules('lib', '\turl = "https://example.com/%0ahost=x"\n')],
  ['gitmodulesPath', '[submodule "lib"]\n\tpath = -lib\n\turl = https://example.com/lib.git\n'],
  ['gitmodulesUpdate', modules('lib', '\turl = https://example.com/lib.git\n\tupdate = !id\n')],
] as const;
/** As file systems may have it, too. */
const NAMES = [
  '.gitmodules',
  'sub/.gitmodules',
  '.GITMODULES',
  '.git\u200cmodules',
  'GITMOD~1',
  '.gitmodules ',
  'x\\.gitmodules',
];

/** A project with a commit on `main`. */
async function filled() {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  await api.post(`${at}/files/a`, { branch: 'main', content: 'x', commit_message: 'First' });
  const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
  return { at, url, directory: world.repositories.directory(project) };
}

describe('A .gitmodules that git would act upon', () => {
  it.each(BAD)('is refused over the API as in a push: %s', async (word, content) => {
    const { at, url, directory } = await filled();
    const before = git(directory, ['rev-parse', 'main']);
    const work = await workingCopy();
    await run(work, 'pull', '--quiet', url, 'main');
    await commitFile(work, '.gitmodules', content);
    const { code, said } = await gitClient(work, 'push', url, 'HEAD:main');
    expect([code === 0, said]).toEqual([false, expect.stringContaining(word)]);
    for (const name of NAMES) {
      const actions = [{ action: 'create', file_path: name, content }];
      const committed = await api.post(`${at}/commits`, { branch: 'main', commit_message: 'Modules', actions });
      expect([name, committed.status, committed.body.message]).toEqual([name, 400, expect.stringContaining(word)]);
      const file = { branch: 'main', commit_message: 'Modules', content };
      const created = await api.post(`${at}/files/${encodeURIComponent(name)}`, file);
      expect([created.status, created.body.message]).toEqual([400, expect.stringContaining(word)]);
    }
    const query = 'mutation ($input: CreateCommitInput!) { createCommit(input: $input) { commit { sha } } }';
    const actions = [{ action: 'CREATE', filePath: '.gitmodules', content }];
    const project = Number(at.split('/')[2]);
    const input = { project: String(project), branch: 'main', message: 'Modules', actions };
    const { body } = await world.graphql(query, { input }, owner);
    expect(body.errors).toEqual([expect.objectContaining({ message: expect.stringContaining(word) })]);
    expect(git(directory, ['rev-parse', 'main'])).toBe(before);
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });

  it('is refused where a file is moved or updated, a link is moved, or a directory is named so', async () => {
    const { at, url, directory } = await filled();
    const work = await workingCopy();
    await run(work, 'pull', '--quiet', url, 'main');
    symlinkSync('a', path.join(work, 'link'));
    await run(work, 'add', '.');
    await commitFile(work, 'modules', BAD[0][1]);
    await commitFile(work, '.gitmodules', GOOD);
    await run(work, 'push', '--quiet', url, 'HEAD:main');
    const commit = async (...actions: object[]) => {
      const answer = await api.post(`${at}/commits`, { branch: 'main', commit_message: 'Modules', actions });
      return [answer.status, answer.body.message];
    };
    const remove = { action: 'delete', file_path: '.gitmodules' };
    const move = (from: string) => ({ action: 'move', previous_path: from, file_path: '.gitmodules' });
    expect(await commit({ action: 'update', file_path: '.gitmodules', content: BAD[0][1] })).toEqual([
      400,
      expect.stringContaining('gitmodulesName'),
    ]);
    expect(await commit(remove, move('modules'))).toEqual([400, expect.stringContaining('gitmodulesName')]);
    expect(await commit(remove, move('link'))).toEqual([400, expect.stringContaining('gitmodulesSymlink')]);
    expect(await commit(remove, { action: 'create', file_path: '.gitmodules/x', content: 'x' })).toEqual([
      400,
      expect.stringContaining('gitmodulesBlob'),
    ]);
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });

  it('is taken where there is nothing wrong with it', async () => {
    const { at, directory } = await filled();
    for (const name of ['.gitmodules', 'sub/.gitmodules']) {
      const actions = [{ action: 'create', file_path: name, content: GOOD }];
      const { status } = await api.post(`${at}/commits`, { branch: 'main', commit_message: 'Modules', actions });
      expect(status).toBe(201);
    }
    expect(git(directory, ['show', 'main:.gitmodules'])).toBe(GOOD);
    expect(gitLines(directory, ['fsck', '--strict', '--no-dangling'])).toEqual([]);
  });
});
