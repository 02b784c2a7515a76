// One part in depth, which the long run has.
// @module-tag long
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import { MODEL } from '../support/hello_repositories.ts';
import type { Json } from '../support/http.ts';
import { LfsSource } from '../support/lfs_source.ts';
import { LONG } from '../support/long.ts';
import { expectHelloWorld } from '../support/moved_project.ts';
import { OLD_TOKEN, OldGitlab, SECRET } from '../support/old_gitlab.ts';
import { PNG } from '../support/project_archives.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld, type TestUser, type World } from '../support/world.ts';

/** The server that projects are moved from, and the one that they are moved to. */
const source = await startWorld();
const world = await startWorld();
const owner = await source.user({ admin: true, username: 'monalisa' });
const admin = await world.user({ admin: true });
const octocat = await world.user();

let github: GithubServer;
let hello: Json;
let token: string;
let old: OldGitlab;

beforeAll(async () => {
  github = await helloWorld();
  const data = { email: 'octocat@example.com', confirmedAt: new Date() };
  await world.db.user.update({ where: { id: octocat.id }, data });
  const there = await source.user({ username: 'octocat' });
  await source.db.user.update({ where: { id: there.id }, data });
  Object.assign(source.imports, importSettings({ hosts: [github.host], timeout: 60_000 }));
  const lfs = new LfsSource([MODEL]);
  github.interfere = (request, response) => lfs.answer(request, response);
  token = await source.token(owner);
  const given = { personal_access_token: TOKEN, repo_id: 1_296_269, target_namespace: owner.username };
  const { body } = await source
    .api(owner)
    .post('/import/github', { ...given, github_hostname: `http://${github.host}` });
  hello = await ended(source, owner, body);
  expect(hello.import_error).toBeNull();
  old = await OldGitlab.start();
});
afterAll(() => {
  github.stop();
  old.stop();
});
beforeEach(() => {
  old.interfere = () => false;
  old.pageSize = 100;
  old.mostCounted = Number.POSITIVE_INFINITY;
  old.requests.length = 0;
  Object.assign(world.imports, importSettings({ hosts: [new URL(source.url).host, old.host], timeout: 60_000 }));
});

/** The import when it has ended. */
async function ended(on: World, who: TestUser, { id }: { id: number }): Promise<Json> {
  let body: Json;
  await on.until(async () => {
    body = (await on.api(who).get(`/projects/${id}/import`)).body;
    return ['finished', 'failed', 'canceled'].includes(body.import_status);
  }, 200_000);
  return body;
}

const MOVE = `mutation ($input: ImportProjectFromServerInput!) {
  importProjectFromServer(input: $input) { project { databaseId fullPath } } }`;

function asked(input: object, who: TestUser = admin): Promise<Json> {
  const whole = {
    provider: 'GITLAB',
    url: source.url,
    path: hello.path_with_namespace,
    token,
    name: world.unique('hello'),
    ...input,
  };
  return world.graphql(MOVE, { input: whole }, who);
}

/** Moves the project in, by another administrator each time, as a user has six imports a minute. Returns the ID that it has here. */
async function moved(input: object = {}, importer?: TestUser): Promise<number> {
  const who = importer ?? (await world.user({ admin: true }));
  const { body } = await asked(input, who);
  expect(body.errors).toBeUndefined();
  const { databaseId: id } = body.data.importProjectFromServer.project;
  expect(await ended(world, who, { id })).toMatchObject({ import_status: 'finished', import_error: null });
  return id;
}

async function leftOut(id: number): Promise<Json> {
  const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { remote { leftOut { kind name message } } } } }`;
  const { body } = await world.graphql(query, { ref: String(id) }, admin);
  return body.data.project.import.remote.leftOut;
}

/** The hashes of the objects of Git LFS that a project has. */
async function objectsOf(projectId: number): Promise<string[]> {
  const rows = await world.db.$queryRaw<{ oid: string }[]>`
    SELECT o.oid FROM lfs_objects o JOIN lfs_object_projects p ON p.lfs_object_id = o.id WHERE p.project_id = ${projectId}`;
  return rows.map(({ oid }) => oid);
}

describe('importProjectFromServer from GitLab', () => {
  it('moves a project in from another Gantry, with all that it has', LONG, async () => {
    const id = await moved();
    await expectHelloWorld({ api: world.api(admin), id, author: octocat.username });
    expect(await leftOut(id)).toEqual([]);
    expect(await objectsOf(id)).toEqual([hash('sha256', MODEL)]);
  });

  it('moves what GitHub does not have, and names what stays', LONG, async () => {
    const { project, there, head } = await filled();
    const id = await moved({ path: project.fullPath });
    const here = world.api(admin);
    const get = async (rest: string): Promise<Json> => {
      const { status, body } = await here.get(`/projects/${id}${rest}`);
      expect([rest, status]).toEqual([rest, 200]);
      return body;
    };
    expect(await get('')).toMatchObject({
      topics: ['tools'],
      merge_method: 'ff',
      squash_option: 'always',
      wiki_access_level: 'private',
      only_allow_merge_if_pipeline_succeeds: true,
    });
    expect(await get('/labels')).toMatchObject([
      { name: 'area', color: '#112233', is_project_label: true },
      { name: 'urgent', priority: 2 },
    ]);
    const [first, second] = await get('/issues?sort=asc');
    expect(first).toMatchObject({
      confidential: true,
      issue_type: 'incident',
      due_date: '2030-02-03',
      labels: ['area', 'urgent'],
      milestone: { title: 'Soon', start_date: '2030-01-01' },
      time_stats: { time_estimate: 7_200, total_time_spent: 3_600 },
      assignees: [{ username: octocat.username }],
    });
    expect(second).toMatchObject({ state: 'closed', confidential: false });
    const notes = (await get('/issues/1/notes?sort=asc')).filter(({ system }: Json) => !system);
    expect(notes).toMatchObject([
      { body: 'Between us', internal: true },
      { body: 'For all', internal: false },
    ]);
    const names = async (rest: string) => (await get(rest)).map(({ name }: Json) => name);
    expect(await names('/issues/1/award_emoji')).toEqual(['rocket']);
    expect(await names(`/issues/1/notes/${notes[1].id}/award_emoji`)).toEqual(['heart']);
    expect(await get('/issues/1/links')).toMatchObject([{ iid: 2, link_type: 'blocks' }]);
    expect(await get('/issues/1/resource_milestone_events')).toMatchObject([
      { action: 'add', milestone: { title: 'Soon' }, user: { username: octocat.username } },
    ]);
    expect(await get('/issues/2/resource_state_events')).toMatchObject([{ state: 'closed' }]);
    const threads = (await get('/merge_requests/1/discussions')).filter((one: Json) => !one.individual_note);
    expect(
      threads.map(({ notes: [begun] }: Json) => [begun.body, begun.resolved, begun.position?.new_line ?? null]),
    ).toEqual([
      ['On the line', true, 1],
      ['In general', false, null],
    ]);
    expect(threads[0].notes[0].resolved_by.username).toBe(octocat.username);
    expect(threads[0].notes).toHaveLength(2);
    expect((await get('/merge_requests/1/approvals')).approved_by).toMatchObject([
      { user: { username: octocat.username } },
    ]);
    expect(await get('/merge_requests/1/reviewers')).toMatchObject([
      { user: { username: octocat.username }, state: 'approved' },
    ]);
    expect(await get('/protected_tags')).toMatchObject([{ name: 'v*', create_access_levels: [{ access_level: 40 }] }]);
    const [release] = await get('/releases');
    expect(release).toMatchObject({ tag_name: 'v1', description: 'Notes', milestones: [{ title: 'Soon' }] });
    expect(release.assets.links).toMatchObject([{ name: 'site', url: 'https://example.com/x', link_type: 'package' }]);
    expect(release.assets.links[0].direct_asset_url).toMatch(/\/downloads\/bin\/x$/);
    expect(await get('/badges')).toMatchObject([{ name: 'build', link_url: 'https://example.com/b' }]);
    const boards = await get('/boards');
    expect(boards.map(({ name, lists }: Json) => [name, lists.map((one: Json) => one.label.name)])).toContainEqual([
      'Work',
      ['urgent'],
    ]);
    const [snippet] = await get('/snippets');
    expect(snippet).toMatchObject({ title: 'Two files', file_name: 'a.txt' });
    expect(snippet.files.map(({ path }: Json) => path)).toEqual(['a.txt', 'b.txt']);
    expect((await here.get(`/projects/${id}/snippets/${snippet.id}/files/main/b.txt/raw`)).body).toBe('second');
    expect((await get(`/snippets/${snippet.id}/notes`)).map(({ body }: Json) => body)).toEqual(['Handy']);
    const [rule, ...others] = (await get('/approval_rules')).filter(({ name }: Json) => name === 'Security');
    expect(rule).toMatchObject({ approvals_required: 1, users: [{ username: octocat.username }] });
    expect(others).toEqual([]);
    expect(await get(`/repository/commits/${head}/discussions`)).toMatchObject([
      { individual_note: true, notes: [{ body: 'Good start' }] },
      { individual_note: false, notes: [{ body: 'Why?', position: { new_line: 1 } }, { body: 'See #1' }] },
    ]);
    const { avatar_url: picture } = await get('');
    expect(picture).toMatch(/\.png$/);
    const members = await get('/members');
    expect(members.map(({ username, access_level: level }: Json) => [username, level])).toContainEqual([
      octocat.username,
      30,
    ]);
    const kinds = (await leftOut(id)).map(({ kind, name }: Json) => [kind, name]);
    expect(kinds).toEqual([
      ['webhooks', 'ci.example'],
      ['variables', 'PASSWORD'],
      ['deploy_keys', 'robot'],
    ]);
    expect(JSON.stringify(await leftOut(id))).not.toContain('hush');
    // The source lost nothing.
    expect((await there.get(`/projects/${project.id}/issues`)).body).toHaveLength(2);
  });
});

/** A project at the source that has what GitHub does not know. */
async function filled() {
  const there = source.api(owner);
  const group = await source.group({ owner });
  const made = async (method: 'post' | 'put', rest: string, body: object): Promise<Json> => {
    const answer = await there[method](rest, body);
    expect([rest, answer.status < 300, answer.body]).toEqual([rest, true, answer.body]);
    return answer.body;
  };
  const developer = await source.db.user.findFirstOrThrow({ where: { username: 'octocat' } });
  const token = await source.token({ username: 'octocat' } as TestUser);
  const by = async (method: 'POST' | 'PUT', rest: string, body: object): Promise<Json> => {
    const response = await fetch(`${source.url}/api/v4${rest}`, {
      method,
      headers: { 'private-token': token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    expect([rest, response.ok, answer]).toEqual([rest, true, answer]);
    return answer;
  };
  await made('post', `/groups/${group.id}/labels`, { name: 'area', color: '#112233' });
  const row = await source.project({ owner, namespaceId: group.id, initializeWithReadme: true });
  const at = `/projects/${row.id}`;
  await made('put', at, {
    topics: ['tools'],
    merge_method: 'ff',
    squash_option: 'always',
    wiki_access_level: 'private',
    only_allow_merge_if_pipeline_succeeds: true,
  });
  await made('post', `${at}/members`, { user_id: developer.id, access_level: 30 });
  await made('post', `${at}/labels`, { name: 'urgent', color: '#ff0000', priority: 2 });
  const milestone = await made('post', `${at}/milestones`, { title: 'Soon', start_date: '2030-01-01' });
  const issue = { issue_type: 'incident', confidential: true, due_date: '2030-02-03', assignee_ids: [developer.id] };
  await by('POST', `${at}/issues`, { title: 'One', ...issue, labels: 'urgent' });
  await made('put', `${at}/issues/1`, { add_labels: 'area' });
  await by('PUT', `${at}/issues/1`, { milestone_id: milestone.id });
  await by('POST', `${at}/issues/1/time_estimate?duration=2h`, {});
  await by('POST', `${at}/issues/1/add_spent_time?duration=1h`, {});
  await made('post', `${at}/issues`, { title: 'Two' });
  await made('put', `${at}/issues/2`, { state_event: 'close' });
  await made('post', `${at}/issues/1/links?target_project_id=${row.id}&target_issue_iid=2&link_type=blocks`, {});
  await made('post', `${at}/issues/1/notes`, { body: 'Between us', internal: true });
  const note = await made('post', `${at}/issues/1/notes`, { body: 'For all' });
  await made('post', `${at}/issues/1/award_emoji?name=rocket`, {});
  await made('post', `${at}/issues/1/notes/${note.id}/award_emoji?name=heart`, {});
  const commit = { branch: 'topic', start_branch: row.defaultBranch ?? 'main', commit_message: 'Add' };
  await made('post', `${at}/repository/commits`, {
    ...commit,
    actions: [{ action: 'create', file_path: 'new.txt', content: 'first\nsecond\n' }],
  });
  await made('post', `${at}/merge_requests`, {
    ...{ source_branch: 'topic', target_branch: row.defaultBranch ?? 'main', title: 'Change' },
    reviewer_ids: [developer.id],
  });
  const { diff_refs: refs } = (await there.get(`${at}/merge_requests/1`)).body;
  const position = { ...refs, position_type: 'text', new_path: 'new.txt', old_path: 'new.txt', new_line: 1 };
  const thread = await made('post', `${at}/merge_requests/1/discussions`, { body: 'On the line', position });
  await made('post', `${at}/merge_requests/1/discussions/${thread.id}/notes`, { body: 'Answered' });
  await by('PUT', `${at}/merge_requests/1/discussions/${thread.id}`, { resolved: true });
  await made('post', `${at}/merge_requests/1/discussions`, { body: 'In general' });
  await by('POST', `${at}/merge_requests/1/approve`, {});
  await made('post', `${at}/protected_tags`, { name: 'v*', create_access_level: 40 });
  await made('post', `${at}/repository/tags`, { tag_name: 'v1', ref: row.defaultBranch ?? 'main' });
  await made('post', `${at}/releases`, {
    ...{ tag_name: 'v1', description: 'Notes', milestones: ['Soon'] },
    assets: {
      links: [{ name: 'site', url: 'https://example.com/x', link_type: 'package', direct_asset_path: '/bin/x' }],
    },
  });
  await made('post', `${at}/badges`, {
    name: 'build',
    link_url: 'https://example.com/b',
    image_url: 'https://example.com/b.svg',
  });
  const board = await made('post', `${at}/boards`, { name: 'Work' });
  const labels = (await there.get(`${at}/labels`)).body;
  const urgent = labels.find(({ name }: Json) => name === 'urgent');
  await made('post', `${at}/boards/${board.id}/lists`, { label_id: urgent.id });
  await made('post', `${at}/snippets`, {
    title: 'Two files',
    visibility: 'private',
    files: [
      { file_path: 'a.txt', content: 'first' },
      { file_path: 'b.txt', content: 'second' },
    ],
  });
  const [snippet] = (await there.get(`${at}/snippets`)).body;
  await made('post', `${at}/snippets/${snippet.id}/notes`, { body: 'Handy' });
  await made('post', `${at}/approval_rules`, { name: 'Security', approvals_required: 1, user_ids: [developer.id] });
  const { id: head } = (await there.get(`${at}/repository/commits/topic`)).body;
  await made('post', `${at}/repository/commits/${head}/comments`, { note: 'Good start' });
  const onCommit = await made('post', `${at}/repository/commits/${head}/discussions`, {
    ...{ body: 'Why?', path: 'new.txt', line: 1, line_type: 'new' },
    position: { ...refs, position_type: 'text', new_path: 'new.txt', old_path: 'new.txt', new_line: 1 },
  });
  await made('post', `${at}/repository/commits/${head}/discussions/${onCommit.id}/notes`, { body: 'See #1' });
  const form = new FormData();
  form.append('avatar', new File([PNG], 'logo.png'));
  expect((await sendForm(source, `/api/v4${at}`, form, owner, 'PUT')).status).toBe(200);
  await made('post', `${at}/hooks`, { url: 'https://ci.example/hush' });
  await made('post', `${at}/variables`, { key: 'PASSWORD', value: 'hush-hush' });
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBdU6wZ1mW9n3l0z3l8g6m4h1r5w8oC3k1T2o9vJZ3aQ';
  await made('post', `${at}/deploy_keys`, { title: 'robot', key });
  return { project: row, there, head };
}

const fromOld = () => ({ url: `http://${old.host}`, path: 'group/sub/hello', token: OLD_TOKEN });

describe('A server of GitLab 9', () => {
  it('gives what it has, and the rest is named', LONG, async () => {
    const ada = await world.user();
    await world.db.user.update({ where: { id: ada.id }, data: { publicEmail: 'ada@example.com' } });
    const id = await moved(fromOld());
    const get = async (rest: string): Promise<Json> => (await world.api(admin).get(`/projects/${id}${rest}`)).body;
    expect(await get('')).toMatchObject({
      description: 'From long ago',
      topics: ['old'],
      only_allow_merge_if_all_discussions_are_resolved: true,
    });
    const [first, second] = await get('/issues?sort=asc');
    expect(first).toMatchObject({
      confidential: true,
      author: { username: ada.username },
      labels: ['bug'],
      milestone: { title: 'v1', due_date: '2017-05-01' },
      created_at: '2017-04-01T10:01:00.000Z',
    });
    expect(first.assignees).toHaveLength(1);
    expect(first.description).toMatch(/^See !1, #2 and !1 `@bob`\n\n!\[shot\]\(\/uploads\/[\da-f]{32}\/shot\.png\)/);
    // Code stays as it is, and so does a link to what is gone.
    expect(first.description).toContain(`\`/uploads/${SECRET}/shot.png\``);
    expect(first.description).toContain(`[gone](http://${old.host}/-/project/7/uploads/${SECRET}/gone.txt)`);
    expect(second).toMatchObject({ state: 'closed', due_date: '2017-04-20' });
    const notes = await get('/issues/1/notes?sort=asc');
    expect(notes.map(({ body, system }: Json) => [body, system])).toEqual([
      ['Me too, see #2', false],
      ['changed milestone to %1', true],
    ]);
    expect((await get('/issues/1/award_emoji')).map(({ name }: Json) => name)).toEqual(['thumbsup']);
    expect((await get(`/issues/1/notes/${notes[0].id}/award_emoji`)).map(({ name }: Json) => name)).toEqual(['heart']);
    const [change] = (await get('/merge_requests/1/changes')).changes;
    expect(change.diff).toContain('\n-two\n-three\n+TWO\n+THREE\n');
    const [release] = await get('/releases');
    expect(release).toMatchObject({ tag_name: 'v1.0', released_at: '2017-04-01T10:00:00.000Z' });
    expect(await get('/protected_branches')).toMatchObject([
      {
        name: 'main',
        push_access_levels: [{ access_level: 40 }],
        merge_access_levels: [{ access_level: 30 }],
      },
    ]);
    // Nobody gets more than a maintainer has.
    expect(await get('/members')).toContainEqual(expect.objectContaining({ username: ada.username, access_level: 40 }));
    expect(await get('/uploads')).toMatchObject([{ filename: 'shot.png', size: 3 }]);
    const told = (await leftOut(id)).map(({ kind, name }: Json) => [kind, name]);
    expect(told).toEqual([
      ['discussions', null],
      ['discussions', null],
      ['reviewers', null],
      ['approvals', null],
      ...[1, 2].flatMap(() => [
        ['label_events', null],
        ['state_events', null],
        ['milestone_events', null],
      ]),
      ['issue_links', null],
      ['protected_tags', null],
      ['approval_rules', null],
      ['boards', null],
      ['badges', null],
      ['webhooks', 'ci.example'],
      ['variables', 'PASSWORD'],
      ['uploads', `http://${old.host}/-/project/7/uploads/${SECRET}/gone.txt`],
      ['lfs', null],
    ]);
  });

  it('is read to its end, also where it counts no further', LONG, async () => {
    const issues = old.lists['/issues'] ?? [];
    const [, last] = issues;
    const more = [3, 4, 5].map((iid) => ({ ...last, id: 100 + iid, iid, created_at: `2017-05-0${iid}T10:00:00Z` }));
    old.lists['/issues'] = [...issues, ...more];
    old.pageSize = 2;
    old.mostCounted = 2;
    try {
      const id = await moved({ ...fromOld(), parts: ['ISSUES'] });
      const { body } = await world.api(admin).get(`/projects/${id}/issues?sort=asc`);
      expect(body.map(({ iid }: Json) => iid)).toEqual([1, 2, 3, 4, 5]);
    } finally {
      old.lists['/issues'] = issues;
    }
    expect(old.requests.some((url) => url.includes('created_after='))).toBe(true);
  });
});

/** An import from the old server that nobody works on but the test, which says when the job runs. */
async function byHand(importer?: TestUser, more: object = {}) {
  const who = importer ?? (await world.user({ admin: true }));
  const enqueue: JobQueue['enqueue'] = async () => undefined;
  const context = { ...world.as(who), address: async () => ({ baseUrl: world.url, ssh: null }), jobs: { enqueue } };
  const wanted = { ...fromOld(), provider: 'gitlab', name: world.unique('hand'), ...more } as const;
  const project = await importFromServer(context, wanted);
  const run = (stopping?: AbortSignal) => continueImport(context, project.id, { stopping });
  const outcome = async () => (await world.api(admin).get(`/projects/${project.id}/import`)).body;
  const staging = world.repositories.staging({ id: project.id, repositoryStorage: 'default' });
  return { project, run, outcome, staging };
}

describe('An import from GitLab', () => {
  it('goes on where it was interrupted, with nothing twice and nothing lost', LONG, async () => {
    old.pageSize = 1;
    const lfs = new LfsSource([MODEL]);
    const { project, run, outcome } = await byHand();
    for (const nth of [2, 5, 7, 11, 3, Number.POSITIVE_INFINITY]) {
      const stop = new AbortController();
      let count = 0;
      old.interfere = (request, response) => {
        count += 1;
        const isObject = nth === Number.POSITIVE_INFINITY && request.url?.startsWith('/storage/');
        if (count === nth || isObject) stop.abort(new Error('The server stops'));
        return lfs.answer(request, response);
      };
      await expect(run(stop.signal)).rejects.toThrow();
    }
    old.interfere = (request, response) => lfs.answer(request, response);
    await run();
    expect(await outcome()).toMatchObject({ import_status: 'finished' });
    const get = async (rest: string): Promise<Json> =>
      (await world.api(admin).get(`/projects/${project.id}${rest}`)).body;
    expect((await get('/issues')).map(({ iid }: Json) => iid).sort()).toEqual([1, 2]);
    expect(await get('/issues/1/notes')).toHaveLength(2);
    expect(await get('/issues/1/award_emoji')).toHaveLength(1);
    expect(await objectsOf(project.id)).toEqual([hash('sha256', MODEL)]);
  });

  it('of somebody who lost the right to create projects gets none', LONG, async () => {
    const mover = await world.user();
    const group = await world.group({ owner: admin });
    await world.api(admin).post(`/groups/${group.id}/members`, { user_id: mover.id, access_level: 40 });
    const { run, outcome, staging } = await byHand(mover, { namespace: group.id });
    old.interfere = async ({ url }) => {
      if (url?.includes('/merge_requests?')) await world.api(admin).delete(`/groups/${group.id}/members/${mover.id}`);
      return false;
    };
    await run();
    expect(await outcome()).toMatchObject({
      import_status: 'failed',
      import_error: 'The user who imported the project may not create projects there any more.',
    });
    expect(existsSync(staging)).toBe(false);
  });
});

describe('A hostile server of GitLab', () => {
  async function failsWith(at: string, answer: (response: ServerResponse, asked: IncomingMessage) => void) {
    const { run, outcome, staging, project } = await byHand();
    old.interfere = (asked, response) => {
      if (!asked.url?.replace('/api/v4/projects/7', '').startsWith(at)) return false;
      answer(response, asked);
      return true;
    };
    await run();
    const { import_status: status, import_error: error } = await outcome();
    expect(status).toBe('failed');
    expect(existsSync(staging)).toBe(false);
    expect((await world.api(admin).get(`/projects/${project.id}/issues`)).body).toEqual([]);
    return error;
  }
  const answered =
    (body: string, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);

  it('gets no further with what is too deep, no list or no JSON, and leads nowhere else', LONG, async () => {
    expect(await failsWith('/labels', answered('['.repeat(200_000)))).toMatch(/something else than JSON/);
    expect(await failsWith('/labels', answered('<!DOCTYPE html><html>'))).toMatch(/something else than JSON/);
    expect(await failsWith('/issues?', answered('{"a":1}'))).toMatch(/something else than a list of issues/);
    expect(await failsWith('/issues/1/notes', answered('[1]'))).toMatch(/something else than a list of notes/);
    const to = (Location: string) => (response: ServerResponse) => void response.writeHead(302, { Location }).end();
    const blocked = 'The source is blocked: its address is not a public one.';
    expect(await failsWith('/labels', to('http://169.254.169.254/latest'))).toBe(blocked);
    expect(await failsWith('/milestones', to('http://127.0.0.1:1/'))).toBe(blocked);
    const next = (query: string) =>
      answered('[{"id":1,"name":"a"}]', { Link: `<http://127.0.0.1:1/x?${query}>; rel="next"` });
    expect(await failsWith('/labels', next('page=9'))).toMatch(/next page that does not follow/);
    expect(await failsWith('/labels', next('cursor=again'))).toMatch(/next page that does not follow|the same page/);
  });

  it('loses single records that are of wrong types, and no others', LONG, async () => {
    const { run, outcome, project } = await byHand();
    const bad = [
      { iid: 9, title: 'Bad' },
      { iid: 10, title: ['a'] },
      { iid: 2 ** 40, title: 'Large' },
    ];
    const event = { id: 1, user: { id: 1, username: 'x' }, action: 'add', created_at: '2017-04-01T10:00:00Z' };
    old.interfere = ({ url = '' }, response) => {
      const below = url.replace('/api/v4/projects/7', '');
      const lists: Record<string, unknown> = {
        '/issues?': [...bad, ...(old.lists['/issues'] ?? [])],
        '/boards': [{ id: 1, name: 'x', lists: [{ id: 1, label: { id: 99, name: 'new', color: 'red' } }] }],
        '/badges': [{ id: 1, link_url: 'javascript:alert(1)', image_url: 'https://example.com' }],
        '/issues/1/resource_label_events': [
          { ...event, label: null },
          { ...event, label: { name: 'bug' } },
        ],
        '/protected_tags': [{ name: 'a..b', create_access_levels: [] }],
      };
      const [, list] = Object.entries(lists).find(([at]) => below.startsWith(at)) ?? [];
      if (list === undefined) return false;
      answered(JSON.stringify(list))(response);
      return true;
    };
    await run();
    expect(await outcome()).toMatchObject({ import_status: 'finished' });
    const kinds = (await leftOut(project.id)).map(({ kind, name }: Json) => `${kind} ${name}`);
    expect(kinds.filter((one: string) => one.startsWith('issues '))).toHaveLength(3);
    expect(kinds).toContain('badges null');
    expect((await world.api(admin).get(`/projects/${project.id}/issues`)).body).toHaveLength(2);
    expect((await world.api(admin).get(`/projects/${project.id}/badges`)).body).toEqual([]);
  });
});

/** Brings a project up to date. Returns what was not updated: kinds and names. */
async function updated(id: number): Promise<[kind: string, name: string | null][]> {
  const mutation = `mutation ($input: UpdateImportedProjectInput!) { updateImportedProject(input: $input) { project { databaseId } } }`;
  const query = `query ($ref: ProjectRef!) { project(ref: $ref) { import { remote { update { status error leftOut { kind name message } } } } } }`;
  const { body } = await world.graphql(mutation, { input: { project: String(id), token } }, admin);
  expect(body.errors).toBeUndefined();
  let told: Json;
  await world.until(async () => {
    told = (await world.graphql(query, { ref: String(id) }, admin)).body.data.project.import.remote.update;
    return ['FINISHED', 'FAILED'].includes(told.status);
  }, 200_000);
  expect(told).toMatchObject({ status: 'FINISHED', error: null });
  return told.leftOut.map(({ kind, name }: Json) => [kind, name]);
}

describe('A project from another Gantry that is brought up to date', () => {
  it('gets what was changed there, and keeps what was done here', LONG, async () => {
    const id = await moved();
    const update = () => updated(id);
    await update();
    await expectHelloWorld({ api: world.api(admin), id, author: octocat.username });
    const there = source.api(owner);
    const here = world.api(admin);
    await here.put(`/projects/${id}/issues/1`, { title: 'Found here' });
    await there.put(`/projects/${hello.id}/issues/1`, { state_event: 'close' });
    await there.post(`/projects/${hello.id}/issues/1/notes`, { body: 'Said there' });
    await update();
    const { body: issue } = await here.get(`/projects/${id}/issues/1`);
    expect(issue).toMatchObject({ title: 'Found here', state: 'closed' });
    const { body: notes } = await here.get(`/projects/${id}/issues/1/notes`);
    expect(notes.filter(({ body }: Json) => body.includes('Said there'))).toHaveLength(1);
    const counted = async () => [
      await world.db.note.count(),
      await world.db.issue.count(),
      await world.db.stateEvent.count(),
      await world.db.awardEmoji.count(),
      await world.db.suggestion.count(),
    ];
    const before = await counted();
    await update();
    expect(await counted()).toEqual(before);
  });

  it(
    'gets new snippets, boards, badges, links and protected tags, and is told of changes of those that came',
    LONG,
    async () => {
      const { project, there } = await filled();
      const id = await moved({ path: project.fullPath });
      const at = `/projects/${project.id}`;
      const here = world.api(admin);
      const get = async (rest: string): Promise<Json> => (await here.get(`/projects/${id}${rest}`)).body;
      const done = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBeLessThan(300);
      const [snippet] = (await there.get(`${at}/snippets`)).body;
      await done(there.put(`${at}/snippets/${snippet.id}`, { title: 'Renamed there' }));
      await done(
        there.post(`${at}/snippets`, { title: 'Second', file_name: 'c.txt', content: 'third', visibility: 'private' }),
      );
      await done(
        there.post(`${at}/badges`, { link_url: 'https://example.com/n', image_url: 'https://example.com/n.svg' }),
      );
      await done(there.post(`${at}/boards`, { name: 'Later' }));
      await done(there.post(`${at}/issues`, { title: 'Three' }));
      await done(
        there.post(`${at}/issues/3/links?target_project_id=${project.id}&target_issue_iid=2&link_type=relates_to`, {}),
      );
      await done(there.post(`${at}/protected_tags`, { name: 'rel-*', create_access_level: 40 }));
      await done(there.post(`${at}/protected_tags`, { name: 'both-*', create_access_level: 40 }));
      await done(here.post(`/projects/${id}/protected_tags`, { name: 'both-*', create_access_level: 0 }));
      const update = () => updated(id);
      const told = await update();
      expect(told).toContainEqual(['snippets', 'Renamed there']);
      expect(told).toContainEqual(['protected_tags', 'both-*']);
      const names = async (rest: string, key = 'name') => (await get(rest)).map((one: Json) => one[key]).sort();
      const whole = async () => [
        await names('/snippets', 'title'),
        await names('/badges', 'link_url'),
        await names('/boards'),
        await names('/issues/3/links', 'iid'),
        (await get('/protected_tags')).map((one: Json) => [
          one.name,
          one.create_access_levels.map((l: Json) => l.access_level),
        ]),
      ];
      expect(await whole()).toEqual([
        ['Second', 'Two files'],
        ['https://example.com/b', 'https://example.com/n'],
        expect.arrayContaining(['Later', 'Work']),
        [2],
        expect.arrayContaining([
          ['rel-*', [40]],
          ['both-*', [0]],
        ]),
      ]);
      const before = await whole();
      await update();
      expect(await whole()).toEqual(before);
    },
  );
});
