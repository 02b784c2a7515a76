// One part in depth, which the long run has.
// @module-tag long
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';
import { continueUpdate } from '#src/domain/remote_imports/update_run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { commitFile, run as gitIn } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { giteaHelloWorld } from '../support/gitea_hello.ts';
import { GITEA_TOKEN, type GiteaServer } from '../support/gitea_server.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const octocat = await world.user();

type Source = GithubServer | GiteaServer;

let github: GithubServer;
let gitea: GiteaServer;

beforeAll(async () => {
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
});
beforeEach(async () => {
  github = await helloWorld();
  gitea = await giteaHelloWorld();
  // What tests change is theirs alone.
  for (const { content } of [github, gitea]) content.lists = structuredClone(content.lists);
  Object.assign(world.imports, importSettings({ hosts: [github.host, gitea.host], timeout: 120_000 }));
});
afterEach(() => {
  github.stop();
  gitea.stop();
});

const SOURCES = {
  github: { server: (): Source => github, token: TOKEN, api: '/api/v3' },
  gitea: { server: (): Source => gitea, token: GITEA_TOKEN, api: '/api/v1' },
} as const;
type Kind = keyof typeof SOURCES;

/** A project that was imported, whose jobs run when the test says so. */
async function imported(kind: Kind, importer?: TestUser, more: object = {}) {
  // A user has six imports a minute.
  const who = importer ?? (await world.user({ admin: true }));
  const { server, token } = SOURCES[kind];
  const jobs: { name: string; after: number }[] = [];
  const enqueue: JobQueue['enqueue'] = async (_tx, name, _data, how) => {
    jobs.push({ name, after: how?.after ?? 0 });
  };
  const context = { ...world.as(who), address: async () => ({ baseUrl: world.url, ssh: null }), jobs: { enqueue } };
  const wanted = { provider: kind, url: `http://${server().host}`, path: 'octo-org/hello-world', token };
  const { id } = await importFromServer(context, { ...wanted, name: world.unique('hello'), ...more });
  await continueImport(context, id, {});
  const api = world.api(who);
  const get = async (rest: string): Promise<Json> => (await api.get(`/projects/${id}${rest}`)).body;
  expect((await get('/import')).import_status).toBe('finished');
  const again = async (given = token) => updateFromServer(context, { project: id, token: given });
  const run = () => continueUpdate(context, id, {});
  const told = async (): Promise<Json> => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { status remote { canBeUpdated update {
      status error phase counts { kind fetched total } leftOut { kind name message } continuesAt finishedAt } } } } }`;
    return (await world.graphql(query, { ref: String(id) }, admin)).body.data.project.import;
  };
  return {
    ...{ id, who, api, get, jobs, context, again, run, told },
    async update() {
      await again();
      await run();
      const { remote } = await told();
      expect(remote.update).toMatchObject({ status: 'FINISHED', error: null, phase: null });
      return remote.update.leftOut as { kind: string; name: string | null; message: string }[];
    },
    staging: world.repositories.staging({ id, repositoryStorage: 'default' }),
    directory: world.repositories.directory({ id, repositoryStorage: 'default' }),
  };
}

/** Finds a record in a list of a source. */
function at(server: Source, list: string, id: number | string): Json {
  const found = server.content.lists[list]?.find((one: Json) => [one.id, one.number, one.name].includes(id));
  if (!found) throw new Error(`There is no ${id} in ${list}`);
  return found;
}

/** Makes commits at the source, and returns that of a branch. */
async function commitAtSource(server: Source, branch: string, file: string, content: string): Promise<string> {
  const bare = server.repositories['octo-org/hello-world.git'] ?? '';
  const work = path.join(scratch('file'), world.unique('work'));
  git(path.dirname(work), ['clone', '--quiet', bare, work]);
  await gitIn(work, 'checkout', '--quiet', branch);
  await gitIn(work, 'config', 'user.email', 'a@example.com');
  await gitIn(work, 'config', 'user.name', 'A');
  const oid = await commitFile(work, file, content);
  await gitIn(work, 'push', '--quiet', 'origin', branch);
  return oid;
}

/** What all tables have but those that tell of jobs, of processes, and of the updates themselves. */
async function everything(): Promise<Record<string, string>> {
  const tables = await world.db.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      AND table_name NOT IN ('remote_updates', 'job_processes', '_prisma_migrations', 'access_tokens') ORDER BY 1`;
  const dump: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await world.db.$queryRawUnsafe<{ row: string }[]>(
      `SELECT to_jsonb(t)::text AS row FROM "${name}" t ORDER BY 1`,
    );
    dump[name] = rows.map(({ row }) => row).join('\n');
  }
  return dump;
}

describe.each(['github', 'gitea'] as const)('A project from %s that is brought up to date', (kind) => {
  it('gets what is new and changed there, and keeps what was done here', LONG, async () => {
    const project = await imported(kind);
    const { get, api, id, directory } = project;
    const server = SOURCES[kind].server();
    const root = `http://${server.host}${SOURCES[kind].api}/repos/octo-org/hello-world`;
    const now = '2024-05-01T10:00:00Z';

    // Here: an edited title, a deleted and an edited note, a label that was taken off, another one, an issue, a commit on a branch.
    await api.put(`/projects/${id}/issues/1`, { title: 'Found here', remove_labels: 'feature', add_labels: 'ours' });
    const [note] = await get('/issues/1/notes');
    await api.delete(`/projects/${id}/issues/1/notes/${note.id}`);
    const { body: own } = await api.post(`/projects/${id}/issues`, { title: 'Made here', iid: 5 });
    expect(own.iid).toBe(5);
    await api.post(`/projects/${id}/issues/5/notes`, { body: 'Said here' });
    const { status } = await api.post(`/projects/${id}/repository/commits`, {
      branch: 'topic',
      commit_message: 'Done here',
      actions: [{ action: 'create', file_path: 'here.txt', content: 'here' }],
    });
    expect(status).toBe(201);
    const here = git(directory, ['rev-parse', 'topic']).trim();

    // There: an issue is edited, closed and commented on, others are new, one with a number that is taken here.
    const changed = (record: Json, more: object) => Object.assign(record, more, { updated_at: now });
    changed(at(server, '/issues', 1), {
      state: 'closed',
      closed_at: now,
      body: 'Broken since #3',
      labels: [at(server, '/labels', 'bug')],
    });
    changed(at(server, '/issues', 2), { title: 'Closed one, renamed' });
    const fresh = { ...at(server, '/issues', 2), state: 'open', closed_at: null, created_at: now };
    server.content.lists['/issues']?.push(
      { ...fresh, id: 1_005, number: 5, title: 'Five there' },
      { ...fresh, id: 1_006, number: 6, title: 'Six there', labels: [at(server, '/labels', 'bug')] },
    );
    if (kind === 'gitea') for (const n of [5, 6]) server.content.lists[`/issues/${n}/timeline`] = [];
    const said = { ...at(server, '/issues/comments', 1), created_at: now, updated_at: now };
    server.content.lists['/issues/comments']?.push(
      { ...said, id: 90, body: 'Later' },
      { ...said, id: 91, body: 'On five', ...(kind === 'github' ? { issue_url: `${root}/issues/5` } : {}) },
    );
    if (kind === 'gitea') server.content.lists['/issues/comments']?.pop();
    const comments = server.content.lists['/issues/comments'] ?? [];
    const onMergeRequest = comments.find((one: Json) => one.body.startsWith('Ready?'));
    changed(onMergeRequest, { body: 'Ready now, see #1' });
    changed(at(server, '/labels', 'feature'), { name: 'idea', color: 'abcdef' });
    for (const list of ['/issues', '/pulls']) {
      for (const one of server.content.lists[list] ?? []) {
        for (const label of one.labels ?? []) if (label.name === 'feature') label.name = 'idea';
      }
    }
    const main = await commitAtSource(server, 'main', 'there.txt', 'there\n');
    const topic = await commitAtSource(server, 'topic', 'topic.txt', 'there\n');
    await commitAtSource(server, 'main', 'more.txt', 'more\n');
    const release = at(server, '/releases', 1);
    server.content.lists['/releases']?.push({
      ...release,
      id: 9,
      tag_name: 'v1.0',
      name: 'Another',
      assets: [],
    });

    const left = await project.update();

    const issue = await get('/issues/1');
    expect(issue).toMatchObject({
      title: 'Found here',
      description: expect.stringMatching(/^Broken since !3/),
      state: 'closed',
    });
    expect(issue.labels.toSorted()).toEqual(['bug', 'ours']);
    const notes = (await get('/issues/1/notes?sort=asc')).filter(({ system }: Json) => !system);
    expect(notes.map(({ body }: Json) => body)).toEqual(['Later']);
    expect((await get('/issues/2')).title).toBe('Closed one, renamed');
    expect(await get('/issues/5')).toMatchObject({ title: 'Made here', author: { username: project.who.username } });
    expect((await get('/issues/5/notes')).map(({ body }: Json) => body)).toEqual(['Said here']);
    expect(await get('/issues/6')).toMatchObject({
      title: 'Six there',
      labels: ['bug'],
      created_at: expect.stringMatching('2024-05'),
    });
    expect(await get('/issues?state=all')).toHaveLength(4);
    expect((await get('/labels')).map(({ name }: Json) => name).toSorted()).toEqual(['bug', 'idea', 'ours']);
    const onThree = (await get('/merge_requests/3/notes?sort=asc')).map(({ body }: Json) => body);
    expect(onThree.filter((body: string) => body.includes('Ready now, see #1'))).toHaveLength(1);
    expect(onThree.join()).not.toContain('Ready?');
    expect(left).toContainEqual({ kind: 'issues', name: '#5', message: expect.stringContaining('made here') });
    expect(left).toContainEqual({ kind: 'releases', name: 'v1.0', message: expect.stringContaining('tag') });
    expect(await get('/releases')).toHaveLength(1);
    // Git: what went on at the source alone has moved; what went on in both places is as it was here.
    expect(git(directory, ['log', '--format=%H', 'main']).split('\n')).toContain(main);
    expect(git(directory, ['rev-parse', 'topic']).trim()).toBe(here);
    expect(topic).not.toBe(here);
    expect(left).toContainEqual({
      kind: 'repository',
      name: 'topic',
      message: expect.stringContaining('changed here'),
    });
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    expect(existsSync(project.staging)).toBe(false);

    // The next one finds nothing to do.
    const before = await everything();
    const same = await project.update();
    const after = await everything();
    for (const [table, rows] of Object.entries(before)) expect([table, after[table]]).toEqual([table, rows]);
    expect(same).toEqual(left);
  });

  it('is as it was if nothing has changed', LONG, async () => {
    const project = await imported(kind);
    const before = await everything();
    const left = await project.update();
    const after = await everything();
    for (const [table, rows] of Object.entries(before)) expect([table, after[table]]).toEqual([table, rows]);
    expect(left.filter(({ message }) => /gone|changed|stays here/.test(message))).toEqual([]);
    await expectMoved(kind, project);
  });
});

/** That a project is the one of the source. */
async function expectMoved(kind: Kind, { api, id }: { api: Awaited<ReturnType<typeof imported>>['api']; id: number }) {
  const attached = [
    { filename: 'build.log', size: 4 },
    { filename: 'shot.png', size: 3 },
  ];
  const isGitea = kind === 'gitea';
  await expectHelloWorld({
    ...{ api, id, author: octocat.username },
    ...(isGitea && { lacks: ['ranges', 'code owners', 'commit comments'] as const, attached }),
  });
}

describe('Merge requests of a project that is brought up to date', () => {
  it('follow their source: new commits are a new version, and a merge is one here', LONG, async () => {
    const project = await imported('github');
    const { get, directory } = project;
    const bare = github.repositories['octo-org/hello-world.git'] ?? '';
    const old = git(directory, ['rev-parse', 'refs/merge-requests/3/head']).trim();
    // The branch is rewritten, which nobody has touched here.
    const work = path.join(scratch('file'), world.unique('work'));
    git(path.dirname(work), ['clone', '--quiet', bare, work]);
    await gitIn(work, 'checkout', '--quiet', '-b', 'new', 'origin/main');
    await gitIn(work, 'config', 'user.email', 'a@example.com');
    await gitIn(work, 'config', 'user.name', 'A');
    const head = await commitFile(work, 'a.txt', 'one\nTwo\nthree\nfour\n');
    await gitIn(work, 'push', '--quiet', '--force', 'origin', 'new:topic');
    git(bare, ['update-ref', 'refs/pull/3/head', head]);
    const pull = at(github, '/pulls', 3);
    Object.assign(pull, { title: 'Whisper', draft: false, head: { ...pull.head, sha: head } });
    await project.update();
    expect(await get('/merge_requests/3')).toMatchObject({ title: 'Whisper', sha: head, state: 'opened' });
    const versions = await get('/merge_requests/3/versions');
    expect(versions.map(({ head_commit_sha: sha }: Json) => sha)).toEqual([head, old]);
    expect(git(directory, ['rev-parse', 'topic', 'refs/merge-requests/3/head'])).toBe(`${head}\n${head}\n`);
    // The commits of the version before are still there.
    expect((await get(`/merge_requests/3/versions/${versions[1].id}`)).commits).toHaveLength(1);
    expect(git(directory, ['for-each-ref', '--contains', old, '--format=%(refname)'])).not.toBe('');

    const now = '2024-06-01T10:00:00Z';
    Object.assign(pull, { state: 'closed', merged_at: now, closed_at: now, merge_commit_sha: head });
    github.content.lists['/issues/events']?.unshift({
      id: 99,
      event: 'merged',
      actor: pull.user,
      created_at: now,
      issue: { number: 3 },
    });
    git(bare, ['update-ref', 'refs/heads/main', head]);
    await project.update();
    expect(await get('/merge_requests/3')).toMatchObject({
      state: 'merged',
      merged_at: '2024-06-01T10:00:00.000Z',
      merge_user: { username: octocat.username },
    });
    expect(git(directory, ['rev-parse', 'main']).trim()).toBe(head);
    expect(await get('/merge_requests/3/versions')).toHaveLength(2);
  });
});

describe('What is gone at the source', () => {
  it('stays here and is named, but labels and assignees that were taken off there are taken off', LONG, async () => {
    const project = await imported('github');
    const { lists } = github.content;
    lists['/issues/comments'] = (lists['/issues/comments'] ?? []).filter(({ id }: Json) => id !== 1);
    Object.assign(at(github, '/issues', 1), { assignees: [] });
    const assigned = await project.get('/issues/1');
    expect(assigned.assignees).toHaveLength(1);
    const left = await project.update();
    expect(left).toContainEqual({ kind: 'notes', name: '#1', message: expect.stringContaining('gone at the source') });
    const issue = await project.get('/issues/1');
    expect([issue.assignees, issue.assignee]).toEqual([[], null]);
    expect((await project.get('/issues/1/notes')).filter(({ system }: Json) => !system)).toHaveLength(1);
    // What the token may not read any more is not gone.
    lists['/issues/comments'] = [];
    github.interfere = ({ url = '' }, response) => {
      if (!url.includes('/issues/comments')) return false;
      response.writeHead(403).end('{}');
      return true;
    };
    const without = await project.update();
    expect(without.filter(({ kind }) => kind === 'notes')).toEqual([]);
    expect(without).toContainEqual({ kind: 'comments', name: null, message: 'The token may not read comments.' });
  });

  it('of what was deleted here nothing is made again', LONG, async () => {
    const project = await imported('github');
    await project.api.delete(`/projects/${project.id}/issues/1`);
    await project.api.delete(`/projects/${project.id}/labels/feature`);
    await project.api.delete(`/projects/${project.id}/releases/v1.0`);
    await project.update();
    expect((await project.get('/issues?state=all')).map(({ iid }: Json) => iid)).toEqual([2]);
    expect((await project.get('/labels')).map(({ name }: Json) => name)).toEqual(['bug']);
    expect(await project.get('/releases')).toEqual([]);
    expect((await project.get('/merge_requests/3')).labels).toEqual([]);
  });
});

describe('An update', () => {
  it('is for masters alone, needs a token that may read the project, and one at a time', LONG, async () => {
    const project = await imported('github');
    const dev = await world.user();
    await project.api.post(`/projects/${project.id}/members`, { user_id: dev.id, access_level: 30 });
    const mutation = `mutation ($input: UpdateImportedProjectInput!) { updateImportedProject(input: $input) { project { fullPath } } }`;
    const send = async (who: TestUser, more: object = {}) => {
      const ref = (await project.get('')).path_with_namespace;
      const { body } = await world.graphql(mutation, { input: { project: ref, token: TOKEN, ...more } }, who);
      return body.errors?.[0].extensions ?? body.data.updateImportedProject.project;
    };
    expect((await send(dev)).code).toBe('FORBIDDEN');
    expect((await send(admin, { token: 'ghp_wrong' })).fields).toEqual({ 'input.token': [expect.any(String)] });
    expect(await world.db.remoteUpdate.count({ where: { projectId: project.id } })).toBe(0);
    await project.again();
    await expect(project.again()).rejects.toThrow('already');
    await project.run();
    expect((await project.told()).remote.update.status).toBe('FINISHED');
    const row = await world.db.remoteUpdate.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(row.source).toBeNull();
    const plain = await world.project({ owner: admin });
    expect((await send(admin, { project: String(plain.fullPath) })).fields).toEqual({
      'input.project': [expect.any(String)],
    });
  });

  it('does nothing for somebody who is no master any more, and leaves the project as it is', LONG, async () => {
    const mover = await world.user();
    const group = await world.group({ owner: admin });
    await world.api(admin).post(`/groups/${group.id}/members`, { user_id: mover.id, access_level: 40 });
    const project = await imported('github', mover, { namespace: group.id });
    await project.again();
    at(github, '/issues', 1).title = 'Changed';
    github.interfere = async ({ url = '' }) => {
      if (url.includes('/pulls?'))
        await world.api(admin).put(`/groups/${group.id}/members/${mover.id}`, { access_level: 30 });
      return false;
    };
    await project.run();
    expect((await project.told()).remote.update).toMatchObject({
      status: 'FAILED',
      error: 'The user who asked for the update may not change the project any more.',
    });
    expect((await world.api(admin).get(`/projects/${project.id}/issues/1`)).body.title).toBe('Found a bug');
    expect((await project.told()).status).toBe('FINISHED');
    expect(existsSync(project.staging)).toBe(false);
  });

  it('that is canceled, or fails, leaves the project as it is', LONG, async () => {
    const project = await imported('github');
    await project.again();
    at(github, '/issues', 1).title = 'Changed';
    const cancel = () => project.api.post('/import/github/cancel', { project_id: project.id });
    github.interfere = async ({ url = '' }) => {
      if (url.includes('/pulls?')) expect((await cancel()).status).toBe(200);
      return false;
    };
    await project.run();
    expect((await project.told()).remote.update.status).toBe('CANCELED');
    expect((await project.get('/issues/1')).title).toBe('Found a bug');
    await expectHelloWorld({ api: project.api, id: project.id, author: octocat.username });
    github.interfere = () => false;
    await project.update();
    expect((await project.get('/issues/1')).title).toBe('Changed');
  });

  it('is left to the process that is at it, and looked for again', LONG, async () => {
    const project = await imported('github');
    await project.again();
    at(github, '/issues', 1).title = 'Changed';
    const until = new Date(Date.now() + 60_000);
    await world.db.remoteImportLease.create({ data: { name: `project ${project.id}`, worker: 'another', until } });
    await project.run();
    expect((await project.told()).remote.update.status).toBe('SCHEDULED');
    expect((await project.get('/issues/1')).title).toBe('Found a bug');
    expect(project.jobs.at(-1)).toEqual({ name: 'projects.update_remote', after: 20 });
    // It was killed, and is not heard of any more.
    await world.db.remoteImportLease.update({ where: { name: `project ${project.id}` }, data: { until: new Date(0) } });
    await project.run();
    expect((await project.get('/issues/1')).title).toBe('Changed');
  });
});
