import { beforeAll, describe, expect, it } from 'vitest';
import { COMMIT_KEYS, startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, master, developer, reporter, guest, api, filled, committed, project, at, directory } =
  await startCommittingWorld();

const DETAIL = [...COMMIT_KEYS, 'stats', 'status'];
const FAILED = { message: 'Something went wrong. Your changes were not committed' };

describe('POST /projects/:id/repository/commits', () => {
  it('commits actions of every kind at once, and tells the commit with its statistics', LONG, async () => {
    const own = await filled([
      { action: 'create', file_path: '/update.txt', content: 'old\n' },
      { action: 'create', file_path: 'delete.txt', content: 'gone\n' },
      { action: 'create', file_path: 'move.txt', content: 'kept\n' },
      { action: 'create', file_path: 'rewrite.txt', content: 'first\n' },
    ]);
    const actions = [
      { action: 'create', file_path: 'new/ünï code.txt', content: 'fresh\n' },
      {
        action: 'create',
        file_path: 'binary',
        content: Buffer.from([0, 255, 1]).toString('base64'),
        encoding: 'base64',
      },
      { action: 'update', file_path: 'update.txt', content: 'new\n', encoding: 'text' },
      { action: 'delete', file_path: 'delete.txt' },
      { action: 'move', file_path: 'moved/here.txt', previous_path: 'move.txt' },
      { action: 'move', file_path: 'rewritten.txt', previous_path: 'rewrite.txt', content: 'second\n' },
    ];
    const body = await committed(own.at, actions, {
      commit_message: 'All at once\n\nwith a body',
      author_name: 'Ada',
      author_email: 'ada@example.org',
    });
    expect(Object.keys(body).sort()).toEqual([...DETAIL].sort());
    expect(body).toMatchObject({
      title: 'All at once',
      message: 'All at once\n\nwith a body',
      author_name: 'Ada',
      author_email: 'ada@example.org',
      committer_name: `Name of ${owner.username}`,
      committer_email: `${owner.username}@example.org`,
      stats: { additions: 3, deletions: 3, total: 6 },
      status: null,
    });
    const show = (path: string) => git(own.directory, ['show', `master:${path}`]);
    expect(git(own.directory, ['rev-parse', 'master']).trim()).toBe(body.id);
    expect(
      git(own.directory, ['-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'master']).trim().split('\n'),
    ).toEqual(['binary', 'moved/here.txt', 'new/ünï code.txt', 'rewritten.txt', 'update.txt']);
    expect([show('update.txt'), show('moved/here.txt'), show('rewritten.txt')]).toEqual([
      'new\n',
      'kept\n',
      'second\n',
    ]);
    expect(git(own.directory, ['cat-file', '-s', 'master:binary']).trim()).toBe('3');
    expect(git(own.directory, ['fsck', '--strict'])).toBe('');
  });

  it('takes forms, whose actions come one behind the other', LONG, async () => {
    const form =
      'branch=master&commit_message=From+a+form&actions[][action]=create&actions[][file_path]=form%2Fone.txt&actions[][content]=1' +
      '&actions%5B%5D%5Baction%5D=delete&actions%5B%5D%5Bfile_path%5D=a.txt&actions[][action]=create&actions[][file_path]=two&actions[][content]=2';
    const own = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
    const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await world.send('POST', `/api/v4${own.at}/commits`, { headers, body: form });
    expect(answer).toMatchObject({ status: 201, body: { title: 'From a form' } });
    expect(git(own.directory, ['ls-tree', '-r', '--name-only', 'master'])).toBe('form/one.txt\ntwo\n');
  });

  itEveryNth<[string, Json, Json[], string]>(5, [
    ['an unknown action', {}, [{ action: 'x', file_path: 'n' }], 'Unknown action type `x`.'],
    ['no action', {}, [{ file_path: 'n' }], 'Unknown action type ``.'],
    ['no path', {}, [{ action: 'create', content: '' }], 'You must specify a file_path.'],
    ['a blank path', {}, [{ action: 'create', file_path: '/', content: '' }], 'You must specify a file_path.'],
    [
      'no file to update',
      {},
      [{ action: 'update', file_path: 'n', content: '' }],
      'File to be updated `n` does not exist.',
    ],
    ['no file to delete', {}, [{ action: 'delete', file_path: 'n' }], 'File to be deleted `n` does not exist.'],
    [
      'no file to move',
      {},
      [{ action: 'move', file_path: 'n', previous_path: 'm' }],
      'File to be moved `m` does not exist.',
    ],
    [
      'a file that is there',
      {},
      [{ action: 'create', file_path: 'a.txt' }],
      'Your changes could not be committed because a file with the name `a.txt` already exists.',
    ],
    ['no content', {}, [{ action: 'create', file_path: 'n' }], 'You must provide content.'],
    ['no new content', {}, [{ action: 'update', file_path: 'a.txt' }], 'You must provide content.'],
    [
      'no source',
      {},
      [{ action: 'move', file_path: 'n' }],
      'You must supply the original file path when moving file `n`.',
    ],
    [
      'a target that is there',
      {},
      [{ action: 'move', file_path: 'a.txt', previous_path: 'dir/b.txt' }],
      'Move destination `a.txt` already exists.',
    ],
    [
      'a path out of the repository',
      {},
      [{ action: 'create', file_path: 'x/../../y', content: '' }],
      'Your changes could not be committed, because the file name `x/../../y` cannot include directory traversal.',
    ],
    [
      "git's own directory",
      {},
      [{ action: 'create', file_path: 'x/.GIT/config', content: '' }],
      "Your changes could not be committed, because the file name `x/.GIT/config` cannot include empty names, `.git` or control characters. Separate directories with a '/'.",
    ],
    ['a file for a directory', {}, [{ action: 'create', file_path: 'a.txt/b', content: '' }], FAILED.message],
    ['nothing new', {}, [{ action: 'update', file_path: 'dir/b.txt', content: 'b\n' }], FAILED.message],
    ['no actions', {}, [], FAILED.message],
    [
      'an unknown branch',
      { branch: 'nowhere' },
      [{ action: 'create', file_path: 'n', content: '' }],
      'You can only create or edit files when you are on a branch',
    ],
    [
      'the first of two faults',
      {},
      [{ action: 'delete', file_path: 'n' }, { action: 'x' }],
      'File to be deleted `n` does not exist.',
    ],
    [
      'a fault behind a sound action',
      {},
      [
        { action: 'create', file_path: 'sound', content: '' },
        { action: 'delete', file_path: 'n' },
      ],
      'File to be deleted `n` does not exist.',
    ],
  ])('refuses %s, and commits nothing', async (_, more, actions, message) => {
    const refs = git(directory, ['show-ref']);
    const { status, body } = await api.post(`${at}/commits`, {
      branch: 'master',
      commit_message: 'no',
      actions,
      ...more,
    });
    expect({ status, body }).toEqual({ status: 400, body: { message } });
    expect(git(directory, ['show-ref'])).toBe(refs);
  });

  itEveryNth(4, [
    [{}, 'branch is missing, commit_message is missing, actions is missing'],
    [{ branch: 'master', commit_message: 'x', actions: ['y'] }, 'actions is invalid'],
    [
      { branch: 'master', commit_message: 'x', actions: [{ action: 'create', encoding: 'rot13' }] },
      'actions does not have a valid value',
    ],
  ])('refuses %j as parameters', async (given, error) => {
    expect(await api.post(`${at}/commits`, given)).toMatchObject({ status: 400, body: { error } });
  });

  it('checks reading first, then the parameters, then the right to push', async () => {
    const given = {
      branch: 'master',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'n', content: '' }],
    };
    const tried = async (who: TestUser | undefined, body: Json) =>
      (await world.api(who).post(`${at}/commits`, body)).status;
    expect(await tried(undefined, {})).toBe(401);
    expect(await tried(await world.user(), {})).toBe(404);
    expect(await tried(guest, {})).toBe(403);
    expect(await tried(reporter, {})).toBe(400);
    expect(await tried(reporter, given)).toBe(403);
  });

  it('refuses pushes to an archived project', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '' }]);
    await world.db.project.update({ where: { id: own.project.id }, data: { archived: true } });
    const given = {
      branch: 'master',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'n', content: '' }],
    };
    expect(await api.post(`${own.at}/commits`, given)).toMatchObject({ status: 403 });
  });

  it('makes the first branch the default one, whatever its name', LONG, async () => {
    const own = await filled();
    const only = { branch: 'main', commit_message: 'x', actions: [{ action: 'update', file_path: 'n', content: '' }] };
    expect(await api.post(`${own.at}/commits`, only)).toMatchObject({
      status: 400,
      body: { message: 'No files to update.' },
    });
    await committed(own.at, [{ action: 'create', file_path: 'n', content: '' }], { branch: 'trunk' });
    expect((await api.get(`/projects/${own.project.id}`)).body.default_branch).toBe('trunk');
    expect(git(own.directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/trunk');
    expect((await api.get(`${own.at}/branches/trunk`)).body).toMatchObject({
      protected: true,
      developers_can_push: false,
    });
  });

  it('commits a thousand actions at once', LONG, async () => {
    const own = await filled();
    const actions = Array.from({ length: 1000 }, (_, number) => ({
      action: 'create',
      file_path: `d${number % 40}/f${number}.txt`,
      content: `${number}\n`,
    }));
    await committed(own.at, actions);
    expect(git(own.directory, ['ls-tree', '-r', '--name-only', 'master']).trim().split('\n')).toHaveLength(1000);
    expect(git(own.directory, ['fsck', '--strict'])).toBe('');
  });

  it('keeps the modes of files', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'run.sh', content: 'old\n' }]);
    const blob = git(own.directory, ['rev-parse', 'master:run.sh']).trim();
    const tree = git(own.directory, ['mktree'], `100755 blob ${blob}\trun.sh\n`).trim();
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
    const commit = git(own.directory, [...identity, 'commit-tree', '-p', 'master', '-m', 'mode', tree]).trim();
    git(own.directory, ['update-ref', 'refs/heads/master', commit]);
    await committed(own.at, [
      { action: 'update', file_path: 'run.sh', content: 'new\n' },
      { action: 'move', file_path: 'bin/run.sh', previous_path: 'run.sh' },
    ]);
    expect(git(own.directory, ['ls-tree', '-r', 'master'])).toMatch(/^100755 blob \w+\tbin\/run.sh\n$/);
  });

  it('is createCommit in GraphQL, with the same rules', LONG, async () => {
    const query = `mutation ($input: CreateCommitInput!) { createCommit(input: $input) { commit { title authorName } } }`;
    const input = {
      project: project.id,
      branch: 'master',
      message: 'Through GraphQL',
      actions: [{ action: 'CREATE', filePath: 'graphql.txt', content: 'AA==', encoding: 'BASE64' }],
    };
    expect((await world.graphql(query, { input }, owner)).body.data.createCommit.commit).toEqual({
      title: 'Through GraphQL',
      authorName: `Name of ${owner.username}`,
    });
    const again = await world.graphql(query, { input }, owner);
    expect(again.body.errors[0]).toMatchObject({
      message: 'Your changes could not be committed because a file with the name `graphql.txt` already exists.',
      extensions: { code: 'BAD_REQUEST' },
    });
    expect((await world.graphql(query, { input }, reporter)).body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('POST /projects/:id/repository/commits/:sha/cherry_pick', () => {
  it('commits the change to another branch, with its author', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1\n' }]);
    await api.post(`${own.at}/branches`, { branch: 'topic', ref: 'master' });
    const author = { author_name: 'Ada', author_email: 'ada@example.org', branch: 'topic', commit_message: 'Pick me' };
    const picked = await committed(own.at, [{ action: 'create', file_path: 'b', content: '2\n' }], author);
    const { status, body } = await world
      .api(master)
      .post(`${own.at}/commits/${picked.id}/cherry_pick`, { branch: 'master' });
    expect([status, Object.keys(body).sort()]).toEqual([201, [...COMMIT_KEYS].sort()]);
    expect(body).toMatchObject({
      message: expect.stringMatching(/^Pick me\n\n\(cherry picked from commit [0-9a-f]{40}\)$/),
      author_name: 'Ada',
      committer_name: `Name of ${master.username}`,
      parent_ids: [git(own.directory, ['rev-parse', 'master^']).trim()],
    });
    expect(git(own.directory, ['show', 'master:b'])).toBe('2\n');
    const again = await api.post(`${own.at}/commits/${picked.id}/cherry_pick`, { branch: 'master' });
    expect([again.status, again.body.message]).toEqual([
      400,
      expect.stringMatching(/^Sorry, we cannot cherry-pick this commit automatically\./),
    ]);
  });

  it('refuses what conflicts, what is missing and who may not', LONG, async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1\n' }]);
    await api.post(`${own.at}/branches`, { branch: 'topic', ref: 'master' });
    const picked = await committed(own.at, [{ action: 'update', file_path: 'a', content: '2\n' }], { branch: 'topic' });
    await committed(own.at, [{ action: 'update', file_path: 'a', content: '3\n' }]);
    const pick = async (sha: string, branch: string | undefined, who = owner) => {
      const { status, body } = await world.api(who).post(`${own.at}/commits/${sha}/cherry_pick`, { branch });
      return [status, body.message ?? body.error];
    };
    const refs = git(own.directory, ['show-ref']);
    expect(await pick(picked.id, 'master')).toEqual([400, expect.stringMatching(/^Sorry, we cannot cherry-pick/)]);
    expect(await pick(picked.id, undefined)).toEqual([400, 'branch is missing']);
    expect(await pick(picked.id, 'nowhere')).toEqual([404, '404 Branch Not Found']);
    expect(await pick('0'.repeat(40), 'master')).toEqual([404, '404 Commit Not Found']);
    expect(await pick(picked.id, 'master', developer)).toEqual([400, 'You are not allowed to push into this branch']);
    expect(await pick(picked.id, 'master', reporter)).toEqual([403, '403 Forbidden']);
    expect(git(own.directory, ['show-ref'])).toBe(refs);
    const query = 'mutation ($input: CherryPickCommitInput!) { cherryPickCommit(input: $input) { commit { sha } } }';
    const input = { project: own.project.id, sha: picked.id, branch: 'master' };
    const refused = await world.graphql(query, { input }, owner);
    expect(refused.body.errors[0].extensions.code).toBe('CONFLICT');
  });
});

describe('POST /projects/:id/repository/commits/:sha/comments', () => {
  const KEYS = ['note', 'path', 'line', 'line_type', 'author', 'created_at'];
  let sha: string;

  beforeAll(async () => {
    sha = (await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\n2\nthree' }])).id;
  });

  it('comments on a line', async () => {
    const place = { path: 'a.txt', line: 3, line_type: 'new' };
    const { status, body } = await world
      .api(reporter)
      .post(`${at}/commits/${sha}/comments`, { note: 'Why?', ...place });
    expect([status, Object.keys(body)]).toEqual([201, KEYS]);
    expect(body).toMatchObject({ note: 'Why?', ...place, author: { id: reporter.id } });
    expect(Object.keys(body.author)).toEqual(['id', 'name', 'username', 'state', 'avatar_url', 'web_url']);
    const { body: list } = await world.api(reporter).get(`${at}/commits/${sha}/comments`);
    expect(list.at(-1)).toMatchObject({ note: 'Why?', ...place });
  });

  itEveryNth<[string, Json]>(4, [
    ['a missing file', { path: 'nowhere', line: 1, line_type: 'new' }],
    ['a directory', { path: 'dir', line: 1, line_type: 'new' }],
    ['a missing line', { path: 'a.txt', line: 4, line_type: 'new' }],
    ['line 0', { path: 'a.txt', line: 0, line_type: 'new' }],
    ['a line without its side', { path: 'a.txt', line: 1 }],
    ['a file without a line', { path: 'a.txt', line_type: 'new' }],
    ['an odd path', { path: '../\u{1f600}', line: 1, line_type: 'old' }],
  ])('is about the commit when the place is %s', async (_, place) => {
    const answer = await api.post(`${at}/commits/${sha}/comments`, { note: 'x', ...place });
    expect(answer).toMatchObject({ status: 201, body: { path: null, line: null, line_type: null } });
  });

  it('is about the last commit when a branch, a tag or a short hash is named', async () => {
    const place = { path: 'a.txt', line: 1, line_type: 'new' };
    for (const name of ['master', sha.slice(0, 8)]) {
      const answer = await api.post(`${at}/commits/${name}/comments`, { note: `on ${name}`, ...place });
      expect(answer).toMatchObject({ status: 201, body: { path: null, line: null, line_type: null } });
    }
    const comment = await world.db.commitComment.findFirstOrThrow({ where: { note: 'on master' } });
    expect(comment.sha).toBe(git(directory, ['rev-parse', 'master']).trim());
  });

  it('refuses blank notes, wrong sides, missing commits and who may not read commits', async () => {
    const before = await world.db.commitComment.count();
    const path = `${at}/commits/${sha}/comments`;
    expect(await api.post(path, { note: ' ' })).toMatchObject({
      status: 400,
      body: { message: 'Failed to save note {:note=>["can\'t be blank"]}' },
    });
    expect(await api.post(path, {})).toMatchObject({ status: 400, body: { error: 'note is missing' } });
    expect(await api.post(path, { note: 'x', line_type: 'both' })).toMatchObject({
      status: 400,
      body: { error: 'line_type does not have a valid value' },
    });
    expect(await api.post(`${at}/commits/nowhere/comments`, { note: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
    expect((await world.api().post(path, { note: 'x' })).status).toBe(401);
    expect((await world.api(guest).post(path, { note: 'x' })).status).toBe(403);
    expect((await world.api(await world.user()).post(path, { note: 'x' })).status).toBe(404);
    const query =
      'mutation ($input: CreateCommitCommentInput!) { createCommitComment(input: $input) { comment { note } } }';
    const input = { project: project.id, sha, note: ' ' };
    expect((await world.graphql(query, { input }, owner)).body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect(await world.db.commitComment.count()).toBe(before);
  });
});
