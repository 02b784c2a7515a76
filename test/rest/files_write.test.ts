import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;
let directory: string;

const NOT_COMMITTED = 'Something went wrong. Your changes were not committed';
const how = { branch: 'master', commit_message: 'Why' };
const fileAt = (path: string) => `${at}/files/${encodeURIComponent(path).replaceAll('.', '%2E')}`;
const tip = () => git(directory, ['rev-parse', 'master']).trim();

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/repository`;
  directory = world.repositories.directory(project);
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  expect((await api.post(fileAt('README.md'), { ...how, content: 'Read me\n' })).status).toBe(201);
});

describe('POST /projects/:id/repository/files/:file_path', () => {
  itEveryNth(4, [
    'plain.txt',
    'deep/er/file.txt',
    'with space & more?.txt',
    'ünï/cödé 日本.md',
    '100%/%2F.txt',
    'a+b=c#d.txt',
    '.hidden',
    '-dash',
    'quote\'s "and" `ticks`',
  ])('creates %s in a commit', async (path) => {
    const before = tip();
    const answer = await api.post(fileAt(path), { ...how, content: `in ${path}` });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({ file_name: path, file_path: path, branch: 'master' });
    expect(git(directory, ['show', `master:${path}`])).toBe(`in ${path}`);
    expect(git(directory, ['log', '-1', '--format=%P %an <%ae> %B', 'master']).trim()).toBe(
      `${before} Name of ${owner.username} <${owner.username}@example.org> Why`,
    );
  });

  it('takes raw slashes, Base64, empty files and authors', LONG, async () => {
    const bytes = Buffer.from([0, 1, 254, 255]);
    const author = { author_name: 'Ada', author_email: 'ada@example.org' };
    const given = { ...how, ...author, content: bytes.toString('base64'), encoding: 'base64' };
    expect(await api.post(`${at}/files/raw/slashes/x.bin`, given)).toMatchObject({
      status: 201,
      body: { file_path: 'raw/slashes/x.bin' },
    });
    expect(git(directory, ['cat-file', '-s', 'master:raw/slashes/x.bin']).trim()).toBe('4');
    expect(git(directory, ['log', '-1', '--format=%an <%ae> %cn', 'master']).trim()).toBe(
      `Ada <ada@example.org> Name of ${owner.username}`,
    );
    expect((await api.post(fileAt('empty'), { ...how, content: '' })).status).toBe(201);
    expect(git(directory, ['cat-file', '-s', 'master:empty']).trim()).toBe('0');
  });

  itEveryNth<[string, string, Json, string]>(4, [
    [
      'a file that is there',
      'README.md',
      {},
      'Your changes could not be committed because a file with the same name already exists',
    ],
    [
      'a path out of the repository',
      '../x',
      {},
      'Your changes could not be committed, because the file name `../x` cannot include directory traversal.',
    ],
    ['a file for a directory', 'README.md/x', {}, NOT_COMMITTED],
    ['an unknown branch', 'new', { branch: 'x' }, 'You can only create or edit files when you are on a branch'],
  ])('refuses %s', async (_, path, more, message) => {
    const before = tip();
    const { status, body } = await api.post(fileAt(path), { ...how, content: 'x', ...more });
    expect({ status, body }).toEqual({ status: 400, body: { message } });
    expect(tip()).toBe(before);
  });

  itEveryNth(4, ['.git/config', 'a/.GIT/x', 'a//b', 'line\nbreak'])('refuses the path %j', async (path) => {
    const before = tip();
    const { status, body } = await api.post(fileAt(path), { ...how, content: 'x' });
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^Your changes could not be committed, /)]);
    expect(tip()).toBe(before);
  });

  it('validates before it looks for rights; refuses anonymous callers first', async () => {
    const missing = { error: 'branch is missing, commit_message is missing, content is missing' };
    const stranger = world.api(await world.user());
    expect(await stranger.post(fileAt('x'), {})).toMatchObject({ status: 400, body: missing });
    expect(await stranger.post(fileAt('x'), { ...how, content: '' })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
    expect(await world.api(reporter).post(fileAt('x'), { ...how, content: '' })).toMatchObject({ status: 403 });
    expect(await world.api(developer).post(fileAt('x'), { ...how, content: '' })).toMatchObject({
      status: 400,
      body: { message: 'You are not allowed to push into this branch' },
    });
    expect((await world.api().post(fileAt('x'), {})).status).toBe(401);
    expect(await api.post(fileAt('x'), { ...how, content: '', encoding: 'rot13' })).toMatchObject({
      status: 400,
      body: { error: 'encoding does not have a valid value' },
    });
  });
});

describe('PUT /projects/:id/repository/files/:file_path', () => {
  it('commits new content', LONG, async () => {
    await api.post(fileAt('put.txt'), { ...how, content: 'old' });
    const { status, body } = await api.put(fileAt('put.txt'), { ...how, content: 'new' });
    expect([status, body]).toEqual([200, { file_name: 'put.txt', file_path: 'put.txt', branch: 'master' }]);
    expect(git(directory, ['show', 'master:put.txt'])).toBe('new');
  });

  itEveryNth<[string, string, Json]>(4, [
    ['unchanged content', 'README.md', { content: 'Read me\n' }],
    ['a missing file', 'nowhere', { content: 'x' }],
  ])('refuses %s without saying why', async (_, path, more) => {
    const before = tip();
    expect(await api.put(fileAt(path), { ...how, ...more })).toMatchObject({
      status: 400,
      body: { message: NOT_COMMITTED },
    });
    expect(tip()).toBe(before);
  });

  it('refuses who may not push', async () => {
    expect((await world.api(reporter).put(fileAt('README.md'), { ...how, content: 'x' })).status).toBe(403);
    expect((await world.api().put(fileAt('README.md'), { ...how, content: 'x' })).status).toBe(401);
    expect((await api.put(fileAt('README.md'), how)).body).toEqual({ error: 'content is missing' });
  });
});

describe('DELETE /projects/:id/repository/files/:file_path', () => {
  it('commits the removal, with parameters in the query or the body', LONG, async () => {
    for (const name of ['one', 'two']) await api.post(fileAt(name), { ...how, content: name });
    const inQuery = await api.delete(`${fileAt('one')}?branch=master&commit_message=Gone`);
    expect([inQuery.status, inQuery.body]).toEqual([200, { file_name: 'one', file_path: 'one', branch: 'master' }]);
    expect((await api.delete(fileAt('two'), how)).status).toBe(200);
    const names = gitLines(directory, ['ls-tree', '-r', '--name-only', 'master']);
    expect(names.filter((name) => name === 'one' || name === 'two')).toEqual([]);
  });

  it('refuses a missing file, missing parameters and who may not push', async () => {
    const before = tip();
    expect(await api.delete(fileAt('nowhere'), how)).toMatchObject({ status: 400, body: { message: NOT_COMMITTED } });
    expect((await api.delete(fileAt('README.md'))).body).toEqual({
      error: 'branch is missing, commit_message is missing',
    });
    expect((await world.api(reporter).delete(fileAt('README.md'), how)).status).toBe(403);
    expect((await world.api().delete(fileAt('README.md'), how)).status).toBe(401);
    expect(tip()).toBe(before);
  });
});

describe('Files', () => {
  it('are written through GraphQL by the same rules', LONG, async () => {
    const run = (name: string, type: string, input: Json, who = owner) =>
      world.graphql(
        `mutation ($input: ${type}!) { ${name}(input: $input) { path branch commit { title } } }`,
        { input: { project: project.id, path: 'via/graphql', branch: 'master', message: 'Said so', ...input } },
        who,
      );
    const done = { path: 'via/graphql', branch: 'master', commit: { title: 'Said so' } };
    expect((await run('createFile', 'CreateFileInput', { content: '1' })).body.data.createFile).toEqual(done);
    expect((await run('updateFile', 'UpdateFileInput', { content: '2' })).body.data.updateFile).toEqual(done);
    const unchanged = await run('updateFile', 'UpdateFileInput', { content: '2' });
    expect(unchanged.body.errors[0]).toMatchObject({ message: NOT_COMMITTED, extensions: { code: 'BAD_REQUEST' } });
    const refused = await run('deleteFile', 'DeleteFileInput', {}, reporter);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await run('deleteFile', 'DeleteFileInput', {})).body.data.deleteFile).toEqual(done);
  });

  it('that fifty callers write to one branch at once are all there, in one line of history', LONG, async () => {
    const own = await world.project({ owner });
    const place = `/projects/${own.id}/repository`;
    const repository = world.repositories.directory(own);
    await api.post(`${place}/files/first`, { ...how, content: '' });
    const names = Array.from({ length: 50 }, (_, number) => `file-${number}`);
    const answers = await Promise.all(
      names.map((name) => api.post(`${place}/files/${name}`, { ...how, commit_message: name, content: name })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    const written = names;
    const log = gitLines(repository, ['log', '--format=%s %p', 'master']).map((line) => line.split(' '));
    expect(log.map(([subject]) => subject).sort()).toEqual([...written, 'Why'].sort());
    expect(log.every((line) => line.length <= 2)).toBe(true);
    expect(gitLines(repository, ['ls-tree', '--name-only', 'master']).sort()).toEqual([...written, 'first'].sort());
    expect(git(repository, ['fsck', '--strict', '--no-dangling'])).toBe('');
    expect(await world.db.event.count({ where: { projectId: own.id, action: 'pushed to' } })).toBe(written.length);
    const { commits } = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: own.id } });
    expect(commits).toBe(written.length + 1);
  });

  it('that two callers write to an empty repository at once make one first commit', LONG, async () => {
    const own = await world.project({ owner });
    const place = `/projects/${own.id}/repository`;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(
      names.map((name) => api.post(`${place}/files/${name}`, { ...how, content: name })),
    );
    const written = names.filter((_, index) => answers[index]?.status === 201);
    expect(written.length).toBeGreaterThan(0);
    const repository = world.repositories.directory(own);
    expect(gitLines(repository, ['ls-tree', '--name-only', 'master']).sort()).toEqual(written);
    expect(gitLines(repository, ['rev-list', '--max-parents=0', 'master'])).toHaveLength(1);
  });
});
