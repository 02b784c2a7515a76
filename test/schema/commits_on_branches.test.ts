// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';

const { world, owner, developer, reporter, filled, committed } = await startCommittingWorld();
const file = { action: 'create', file_path: 'a.txt', content: 'one\n' };

/** The answer to a mutation about files, as its result or its error. */
async function send(name: string, input: Json, who = owner): Promise<Json> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { commit { sha parentShas } } }`;
  const { body } = await world.graphql(query, { input }, who);
  if (body.data?.[name]) return body.data[name].commit;
  const [{ message, extensions }] = body.errors;
  return { code: extensions.code, message, fields: extensions.fields };
}

const change = { branch: 'topic', startBranch: 'master', message: 'Change', path: 'a.txt' };

describe('A commit with startBranch', () => {
  it('creates the branch at that one, as one push, and leaves the other as it was', async () => {
    const { project, directory } = await filled([file]);
    const [tip] = gitLines(directory, ['rev-parse', 'master']);
    const { sha, parentShas } = await send('updateFile', { ...change, project: project.fullPath, content: 'two\n' });
    expect(parentShas).toEqual([tip]);
    expect(gitLines(directory, ['rev-parse', 'master', 'topic'])).toEqual([tip, sha]);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    const events = await world.db.event.findMany({ where: { projectId: project.id, action: 'pushed new' } });
    expect(events.map(({ data }) => (data as Json).ref)).toEqual(['refs/heads/master', 'refs/heads/topic']);
    const actions = [{ action: 'MOVE', filePath: 'b.txt', previousPath: 'a.txt' }];
    const input = { project: project.fullPath, branch: 'moved', startBranch: 'topic', message: 'Move', actions };
    expect((await send('createCommit', input)).parentShas).toEqual([sha]);
    expect(gitLines(directory, ['ls-tree', '--name-only', 'moved'])).toEqual(['b.txt']);
  });

  it('is one on that branch where both are the same, and the first one of an empty repository', async () => {
    const { project, directory } = await filled();
    const input = { ...change, project: project.fullPath, content: 'x' };
    expect((await send('createFile', input)).parentShas).toEqual([]);
    expect(gitLines(directory, ['branch', '--format=%(refname:short)'])).toEqual(['topic']);
    const same = { ...input, startBranch: 'topic', content: 'y' };
    expect((await send('updateFile', same)).parentShas).toHaveLength(1);
    expect(gitLines(directory, ['branch', '--format=%(refname:short)'])).toEqual(['topic']);
  });

  it('names the field of what keeps the branch from being created, and creates nothing', async () => {
    const { project, at, directory } = await filled([file]);
    await world.api(owner).post(`${at}/branches`, { branch: 'taken', ref: 'master' });
    const input = { ...change, project: project.fullPath, content: 'two\n' };
    const taken = "A branch called 'taken' already exists. Switch to that branch in order to make changes";
    expect(await send('updateFile', { ...input, branch: 'taken' })).toEqual({
      code: 'CONFLICT',
      message: taken,
      fields: { 'input.branch': [taken] },
    });
    for (const branch of ['a b', '', 'x..y', '-x/', 'refs/../x', 'taken/below', 'x'.repeat(5000)]) {
      expect([branch, (await send('updateFile', { ...input, branch })).code]).toEqual([branch, 'BAD_REQUEST']);
    }
    const nowhere = await send('updateFile', { ...input, startBranch: 'none' });
    expect(Object.keys(nowhere.fields)).toEqual(['input.startBranch']);
    expect((await send('updateFile', { ...input, path: 'none.txt' })).code).toBe('BAD_REQUEST');
    expect((await send('updateFile', { ...input, content: 'one\n' })).code).toBe('BAD_REQUEST');
    expect((await send('updateFile', input, reporter)).code).toBe('FORBIDDEN');
    expect(gitLines(directory, ['branch', '--format=%(refname:short)'])).toEqual(['master', 'taken']);
  });

  it('is refused to developers where the name is protected, not where only the start is', async () => {
    const { project, at } = await filled([file]);
    await world.api(owner).put(`${at}/branches/master/protect`);
    const rules = { name: 'release/*', developersCanPush: false, developersCanMerge: false };
    await world.db.protectedBranch.create({ data: { projectId: project.id, ...rules } });
    const input = { ...change, project: project.fullPath, content: 'two\n' };
    const refused = 'You are not allowed to push into this branch';
    expect((await send('updateFile', { ...input, branch: 'master' }, developer)).message).toBe(refused);
    expect((await send('updateFile', { ...input, branch: 'release/1' }, developer)).message).toBe(refused);
    expect((await send('updateFile', input, developer)).parentShas).toHaveLength(1);
  });

  it('creates the branch once, however many try at the same time', async () => {
    const { project, directory } = await filled([file]);
    const tries = ['1', '2', '3'].map((content) =>
      send('updateFile', { ...change, project: project.fullPath, content }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter(({ sha }) => sha)).toHaveLength(1);
    expect(gitLines(directory, ['rev-list', 'topic'])).toHaveLength(2);
  });
});

describe('A commit with lastCommitId', () => {
  it('is refused where the file has other content by now, and made where it has the same', async () => {
    const { project, at, directory } = await filled([file]);
    const [known] = gitLines(directory, ['rev-parse', 'master']);
    const other = [{ action: 'create', file_path: 'other.txt', content: 'x' }];
    await committed(at, other);
    const input = {
      project: project.fullPath,
      branch: 'master',
      message: 'Change',
      path: 'a.txt',
      lastCommitId: known,
    };
    expect((await send('updateFile', { ...input, content: 'mine\n' })).sha).toMatch(/^[0-9a-f]{40}$/);
    const changed = 'The file has changed since you started editing it: a.txt';
    const refusal = { code: 'BAD_REQUEST', message: changed, fields: { 'input.lastCommitId': [changed] } };
    expect(await send('updateFile', { ...input, content: 'again\n' })).toEqual(refusal);
    expect(await send('deleteFile', input)).toEqual(refusal);
    const { path, ...rest } = input;
    const move = { action: 'MOVE', filePath: 'b.txt', previousPath: path, lastCommitId: known };
    expect(await send('createCommit', { ...rest, lastCommitId: undefined, actions: [move] })).toEqual({
      ...refusal,
      fields: { 'input.actions.lastCommitId': [changed] },
    });
    for (const lastCommitId of ['0'.repeat(40), 'master', '', 'x', `${known}~1`]) {
      expect((await send('updateFile', { ...input, lastCommitId, content: 'z' })).message).toBe(changed);
    }
    expect(git(directory, ['show', 'master:a.txt'])).toBe('mine\n');
  });

  it('is in the actions of REST, too', async () => {
    const { at, directory } = await filled([file]);
    const [known] = gitLines(directory, ['rev-parse', 'master']);
    await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'two\n', last_commit_id: known }]);
    const actions = [{ action: 'update', file_path: 'a.txt', content: 'three\n', last_commit_id: known }];
    const answer = await world.api(owner).post(`${at}/commits`, { branch: 'master', commit_message: 'x', actions });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'The file has changed since you started editing it: a.txt' },
    });
  });
});
