// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from '../support/ci.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { startReceiver } from '../support/receiver.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { sendForm } from '../support/upload.ts';

const { world, owner, developer, reporter, guest, filled } = await startCommittingWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const api = world.api(owner);

interface Made {
  project: ProjectRow;
  at: string;
  list: string;
  directory: string;
  tip: string;
}

const withToken = ({ token }: { token: string }) => ({ headers: { 'PRIVATE-TOKEN': token } });

/** A project with a commit and the tags `v1` and `v2`, and the path of its releases. */
async function made(settings: Json = {}): Promise<Made> {
  const { project, at, directory } = await filled([{ action: 'create', file_path: 'a.txt', content: '1' }], settings);
  for (const name of ['v1', 'v2']) await api.post(`${at}/tags`, { tag_name: name, ref: 'master' });
  const tip = git(directory, ['rev-parse', 'master']).trim();
  return { project, at, directory, tip, list: `/projects/${project.id}/releases` };
}

let shared: Made;

beforeAll(async () => {
  shared = await made();
});

describe('POST /projects/:id/releases', () => {
  it('releases a tag, with all that the record of today has', async () => {
    const { project, list, tip } = shared;
    const page = `${world.url}/${project.fullPath}/-/releases/v1`;
    const milestone = await world.milestone(project, owner, { title: 'First' });
    const issue = async (title: string) =>
      (await api.post(`/projects/${project.id}/issues`, { title, milestone_id: milestone.id })).body.iid;
    await issue('open');
    await api.put(`/projects/${project.id}/issues/${await issue('done')}`, { state_event: 'close' });
    const asset = { name: 'binary', url: 'https://example.org/app.tar.gz', filepath: '/bin/app', link_type: 'package' };
    const { status, body } = await world.api(developer).post(list, {
      tag_name: 'v1',
      name: 'One',
      description: '**New** things',
      milestones: ['First'],
      assets: { links: [{ name: 'manual', url: 'http://example.org/m' }, asset] },
      released_at: '2030-01-02T03:04:05.000Z',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      tag_name: 'v1',
      name: 'One',
      description: '**New** things',
      released_at: '2030-01-02T03:04:05.000Z',
      upcoming_release: true,
      historical_release: false,
      author: { username: developer.username },
      commit: { id: tip },
      commit_path: `/${project.fullPath}/-/commit/${tip}`,
      tag_path: `/${project.fullPath}/-/tags/v1`,
      milestones: [{ title: 'First', issue_stats: { total: 2, closed: 1 } }],
      evidences: [],
      _links: {
        self: page,
        edit_url: `${page}/edit`,
        opened_issues_url: `${world.url}/${project.fullPath}/-/issues?release_tag=v1&scope=all&state=opened`,
        merged_merge_requests_url: expect.stringContaining('/-/merge_requests?release_tag=v1&scope=all&state=merged'),
      },
    });
    expect(body.assets.count).toBe(6);
    expect(body.assets.sources.map(({ format }: Json) => format)).toEqual(['zip', 'tar.gz', 'tar.bz2', 'tar']);
    const [first, second] = body.assets.links;
    expect(first).toEqual({
      id: expect.any(Number),
      name: 'binary',
      url: 'https://example.org/app.tar.gz',
      direct_asset_url: `${page}/downloads/bin/app`,
      link_type: 'package',
      external: true,
    });
    expect(second).toMatchObject({ name: 'manual', link_type: 'other', direct_asset_url: 'http://example.org/m' });
    expect(body).not.toHaveProperty('description_html');
    const html = await api.get(`${list}/v1?include_html_description=true`);
    expect(html.body.description_html).toContain('<strong>New</strong>');
    const zip = body.assets.sources[0].url.slice(world.url.length);
    expect((await world.send('GET', zip, withToken(owner))).status).toBe(200);
    expect((await world.send('GET', zip, withToken(guest))).status).toBe(403);
  });

  it('creates the tag first, as an annotated one with a message, if it does not exist', async () => {
    const { at, list, directory, tip } = await made();
    const given = { tag_name: 'rel/3.0', ref: 'master', tag_message: 'Third', description: 'Notes' };
    expect(await api.post(list, given)).toMatchObject({ status: 201, body: { name: 'rel/3.0', commit: { id: tip } } });
    expect(git(directory, ['cat-file', '-t', 'refs/tags/rel/3.0']).trim()).toBe('tag');
    const events = await world.db.event.findMany({ where: { action: 'pushed new' }, orderBy: { id: 'desc' }, take: 1 });
    expect(events[0]?.data).toMatchObject({ ref: 'refs/tags/rel/3.0', object_kind: 'tag_push' });
    const tag = await api.get(`${at}/tags/rel%2F3.0`);
    expect(tag.body.release).toEqual({ tag_name: 'rel/3.0', description: 'Notes' });
    // What exists stays where it is, whatever `ref` says.
    await api.put(`${at}/files/b.txt`, { branch: 'master', commit_message: 'b', content: 'b' });
    await api.post(`${at}/files/b.txt`, { branch: 'master', commit_message: 'b', content: 'b' });
    expect(await api.post(list, { tag_name: 'v1', ref: 'master' })).toMatchObject({ body: { commit: { id: tip } } });
  });

  it('tells what is wrong in the order of the interface: right, conflict, milestones, tag', async () => {
    const { project, list } = await made();
    const other = await world.project({ owner });
    await world.milestone(other, owner, { title: 'Elsewhere' });
    const mine = await world.milestone(project, owner, { title: 'Mine' });
    await api.post(list, { tag_name: 'v1' });
    const wrong = { tag_name: 'v1', milestones: ['Elsewhere', 'Mine', 'None'] };
    expect(await world.api(reporter).post(list, wrong)).toMatchObject({ status: 403 });
    expect(await api.post(list, wrong)).toEqual(
      expect.objectContaining({ status: 409, body: { message: 'Release already exists' } }),
    );
    const answers = [
      [{ ...wrong, tag_name: 'none' }, 400, 'Milestone(s) not found: Elsewhere, None'],
      [{ tag_name: 'none', milestone_ids: [mine.id, 999_999] }, 400, 'Milestone id(s) not found: 999999'],
      [{ tag_name: 'none', milestones: ['Mine'] }, 422, 'Ref is not specified'],
      [{ tag_name: 'a..b', ref: 'master' }, 422, 'Tag name invalid'],
      [{ tag_name: 'none', ref: 'nowhere' }, 422, 'Target nowhere is invalid'],
    ] as const;
    for (const [given, status, message] of answers) {
      expect(await api.post(list, given)).toMatchObject({ status, body: { message } });
    }
    expect(await api.post(list, { tag_name: 'none', milestones: ['Mine'], milestone_ids: [mine.id] })).toMatchObject({
      status: 400,
    });
    expect(await api.post(list, { ref: 'master' })).toMatchObject({
      status: 400,
      body: { error: 'tag_name is missing' },
    });
    expect((await api.get(list)).body).toHaveLength(1);
  });

  it('refuses links that are like another one, or lead to what is no file', async () => {
    const { list } = await made();
    const link = { name: 'a', url: 'https://example.org/a', filepath: '/a' };
    const post = (...links: Json[]) => api.post(list, { tag_name: 'v1', assets: { links } });
    const answers: [Json[], Json][] = [
      [[link, { ...link, url: 'https://example.org/b', filepath: '/b' }], { name: ['has already been taken'] }],
      [[link, { ...link, name: 'b', filepath: '/b' }], { url: ['has already been taken'] }],
      [[link, { ...link, name: 'b', url: 'https://example.org/b' }], { filepath: ['has already been taken'] }],
      [[{ ...link, url: 'javascript:alert(1)' }], { url: ['is blocked: Only allowed schemes are http, https, ftp'] }],
      [[{ ...link, url: '/local' }], { url: ['is blocked: Only allowed schemes are http, https, ftp'] }],
      [[{ ...link, filepath: 'a' }], { filepath: ['is in an invalid format'] }],
      [[{ ...link, filepath: '/../a' }], { filepath: ['is in an invalid format'] }],
      [[{ ...link, filepath: '/a/' }], { filepath: ['is in an invalid format'] }],
    ];
    for (const [links, message] of answers)
      expect(await post(...links)).toMatchObject({ status: 400, body: { message } });
    expect((await api.get(list)).body).toEqual([]);
    expect(await post(link, { name: 'b', url: 'ftp://example.org/b' })).toMatchObject({ status: 201 });
  });

  it('made twice at once is one release, and one conflict', async () => {
    const { list, directory } = await made();
    for (const given of [{ tag_name: 'v1' }, { tag_name: 'v9', ref: 'master' }]) {
      const answers = await Promise.all([api.post(list, given), world.api(developer).post(list, given)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
    expect((await api.get(list)).body).toHaveLength(2);
    expect(gitLines(directory, ['tag'])).toContain('v9');
  });
});

describe('GET /projects/:id/releases', () => {
  it('lists the releases of the project, the last one released first, and by other orders and times', async () => {
    const { at, list } = await made();
    const others = await made();
    await api.post(others.list, { tag_name: 'v1' });
    await api.post(list, { tag_name: 'v1', released_at: '2020-01-01T00:00:00Z' });
    await api.post(list, { tag_name: 'v2', released_at: '2019-01-01T00:00:00Z' });
    await api.post(`${at}/tags`, { tag_name: 'v3', ref: 'master', release_description: 'third' });
    const tags = async (query = '') => (await api.get(`${list}${query}`)).body.map((one: Json) => one.tag_name);
    expect(await tags()).toEqual(['v3', 'v1', 'v2']);
    expect(await tags('?sort=asc')).toEqual(['v2', 'v1', 'v3']);
    expect(await tags('?order_by=created_at')).toEqual(['v3', 'v2', 'v1']);
    expect(await tags('?order_by=created_at&sort=asc&per_page=1&page=2')).toEqual(['v2']);
    const { body } = await api.get(`${list}/v2`);
    await world.db.release.updateMany({ where: { tag: 'v1' }, data: { updatedAt: new Date('2021-01-01') } });
    expect(await tags('?updated_before=2021-06-01T00:00:00Z')).toEqual(['v1']);
    expect(await tags('?updated_after=2021-06-01T00:00:00Z')).toEqual(['v3', 'v2']);
    expect(body).toMatchObject({ upcoming_release: false, historical_release: true });
    expect(await api.get(`${list}?order_by=name`)).toMatchObject({ status: 400 });
    const page = await api.get(`${list}?per_page=2`);
    expect(page.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '2' });
    expect(await api.get(`${list}/v4`)).toMatchObject({ status: 404, body: { message: '404 Not Found' } });
  });

  it('shows guests of a private project notes and links, and nothing of the repository', async () => {
    const { project, list, tip } = await made();
    const links = [{ name: 'a', url: 'https://example.org/a', filepath: '/a' }];
    await api.post(list, { tag_name: 'v1', name: 'Secret', description: 'notes', assets: { links } });
    const asGuest = world.api(guest);
    const { status, body } = await asGuest.get(list);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ name: expect.stringMatching(/^Release-\d+$/), description: 'notes' }]);
    expect(body[0].assets).toMatchObject({ count: 1, links: [{ name: 'a' }] });
    for (const key of ['commit', 'commit_path', 'tag_path']) expect(body[0]).not.toHaveProperty(key);
    expect(body[0].assets).not.toHaveProperty('sources');
    expect(body[0]._links).not.toHaveProperty('edit_url');
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${tip}|Secret|archive`));
    expect(await asGuest.get(`${list}/v1/assets/links`)).toMatchObject({ status: 200, body: [{ name: 'a' }] });
    for (const path of ['v1', 'v1/downloads/a', 'permalink/latest']) {
      expect(await asGuest.get(`${list}/${path}`)).toMatchObject({ status: 403 });
    }
    const query = `{ project(ref: "${project.fullPath}") { releases { nodes { name commitPath tagPath commit { sha } assets { sources { url } } } } } }`;
    const answer = await world.send('POST', '/graphql', { ...withToken(guest), body: { query } });
    expect(answer.body.data.project.releases.nodes).toEqual([
      {
        name: expect.stringMatching(/^Release-\d+$/),
        commitPath: null,
        tagPath: null,
        commit: null,
        assets: { sources: [] },
      },
    ]);
    expect(await world.api(await world.user()).get(list)).toMatchObject({ status: 404 });
    expect(await world.api(reporter).get(`${list}/v1`)).toMatchObject({ status: 200, body: { name: 'Secret' } });
  });

  it('is open to everybody in a public project, its milestones included', async () => {
    const { project, list, tip } = await made({ visibility: 'public' });
    const milestone = await world.milestone(project, owner, { title: 'Soon' });
    await api.post(list, { tag_name: 'v1', milestone_ids: [milestone.id] });
    const { status, body } = await world.api().get(list);
    expect({ status, body }).toMatchObject({ status: 200, body: [{ tag_name: 'v1', commit: { id: tip } }] });
    expect(body[0].milestones).toMatchObject([{ title: 'Soon' }]);
    expect((await world.api(guest).get(list)).body[0].milestones).toMatchObject([{ title: 'Soon' }]);
  });
});

describe('PUT and DELETE /projects/:id/releases/:tag_name', () => {
  it('change and delete a release, whose tag stays', async () => {
    const { project, list, directory } = await made();
    for (const title of ['a', 'b']) await world.milestone(project, owner, { title });
    await api.post(list, { tag_name: 'v1', name: 'One', description: 'old', milestones: ['a', 'b'] });
    await api.post(list, { tag_name: 'v2', description: 'other', milestones: ['a'] });
    const one = `${list}/v1`;
    const changed = await world.api(developer).put(one, { description: 'new' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'One', description: 'new' } });
    expect(changed.body.milestones).toHaveLength(2);
    const titles = async (given: Json) => (await api.put(one, given)).body.milestones?.map((m: Json) => m.title);
    expect(await titles({ milestones: ['b'] })).toEqual(['b']);
    expect(await titles({ name: 'Uno' })).toEqual(['b']);
    expect(await titles({ milestones: [] })).toBeUndefined();
    expect(await api.put(one, { milestones: ['none'] })).toMatchObject({
      status: 400,
      body: { message: 'Milestone(s) not found: none' },
    });
    expect(await api.put(one, {})).toMatchObject({ status: 400 });
    expect(await api.put(`${list}/none`, { name: 'x' })).toMatchObject({ status: 403 });
    expect(await world.api(reporter).put(one, { name: 'x' })).toMatchObject({ status: 403 });
    const gone = await api.delete(one);
    expect(gone).toMatchObject({ status: 200, body: { tag_name: 'v1', name: 'Uno', description: 'new' } });
    expect(await api.delete(one)).toMatchObject({ status: 403 });
    expect(gitLines(directory, ['tag'])).toEqual(['v1', 'v2']);
    expect((await api.get(list)).body).toMatchObject([{ tag_name: 'v2', milestones: [{ title: 'a' }] }]);
  });

  it('of 2017 are views of the same release, and it goes with its tag', async () => {
    const { at, list } = await made();
    await api.post(`${at}/tags/v1/release`, { description: 'by the old way' });
    expect((await api.get(`${list}/v1`)).body).toMatchObject({ name: 'v1', description: 'by the old way' });
    await api.put(`${list}/v1`, { name: 'One', description: 'by the new way' });
    expect((await api.get(`${at}/tags/v1`)).body.release).toEqual({ tag_name: 'v1', description: 'by the new way' });
    await api.put(`${at}/tags/v1/release`, { description: 'again' });
    expect((await api.get(`${list}/v1`)).body).toMatchObject({ name: 'One', description: 'again' });
    await api.post(list, { tag_name: 'v2', assets: { links: [{ name: 'a', url: 'https://example.org/a' }] } });
    const before = await world.db.releaseLink.count();
    await api.delete(`${at}/tags/v2`);
    expect((await api.get(list)).body).toMatchObject([{ tag_name: 'v1' }]);
    expect(await world.db.releaseLink.count()).toBe(before - 1);
  });
});

describe('Links of releases', () => {
  it('are listed newest first, added, changed and removed', async () => {
    const { list } = await made();
    await api.post(list, { tag_name: 'v1' });
    await api.post(list, { tag_name: 'v2', assets: { links: [{ name: 'other', url: 'https://example.org/o' }] } });
    const links = `${list}/v1/assets/links`;
    const add = (given: Json) => world.api(developer).post(links, given);
    const first = await add({ name: 'a', url: 'https://example.org/a', direct_asset_path: '/x/a' });
    expect(first).toMatchObject({ status: 201, body: { name: 'a', link_type: 'other' } });
    const second = await add({ name: 'b', url: `${world.url}/uploads/b`, link_type: 'image' });
    expect(second.body).toMatchObject({ link_type: 'image', external: false });
    expect(await add({ name: 'a', url: 'https://example.org/c' })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    });
    expect(await add({ name: 'c' })).toMatchObject({ status: 400, body: { error: 'url is missing' } });
    expect((await api.get(links)).body.map(({ name }: Json) => name)).toEqual(['b', 'a']);
    expect((await api.get(`${links}?per_page=1&page=2`)).body.map(({ name }: Json) => name)).toEqual(['a']);
    const one = `${links}/${first.body.id}`;
    expect(await api.put(one, { url: 'https://example.org/new' })).toMatchObject({
      status: 200,
      body: { name: 'a', url: 'https://example.org/new', direct_asset_url: expect.stringContaining('/downloads/x/a') },
    });
    expect(await api.put(one, { name: 'b' })).toMatchObject({ status: 400 });
    expect(await api.get(one)).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(await api.get(`${list}/v2/assets/links/${first.body.id}`)).toMatchObject({ status: 404 });
    expect(await world.api(reporter).delete(one)).toMatchObject({ status: 403 });
    expect(await api.delete(one)).toMatchObject({ status: 200, body: { name: 'a' } });
    expect(await api.delete(one)).toMatchObject({ status: 404 });
    expect((await api.get(links)).body).toHaveLength(1);
    expect(await api.post(`${list}/none/assets/links`, { name: 'a', url: 'https://a.b' })).toMatchObject({
      status: 404,
    });
  });

  it('lead from permanent addresses to where they were told to, and nowhere else', async () => {
    const { project, at, list } = await made();
    const links = [{ name: 'a', url: 'https://example.org/a?b=c', direct_asset_path: '/bin/a' }];
    await api.post(`${at}/tags`, { tag_name: 'rel/3', ref: 'master' });
    await api.post(list, { tag_name: 'rel/3', released_at: '2021-01-01T00:00:00Z', assets: { links } });
    await api.post(list, { tag_name: 'v1', released_at: '2020-01-01T00:00:00Z' });
    await api.post(list, { tag_name: 'v2', released_at: '2100-01-01T00:00:00Z' });
    const to = async (path: string) => {
      const { status, headers } = await world.send('GET', path, withToken(owner));
      return status === 302 ? headers.location : status;
    };
    const base = `/api/v4${list}`;
    expect(await to(`${base}/rel%2F3/downloads/bin/a`)).toBe('https://example.org/a?b=c');
    expect(await to(`${base}/rel%2F3/downloads/bin/b`)).toBe(404);
    expect(await to(`${base}/v1/downloads/bin/a`)).toBe(404);
    expect(await to(`${base}/permalink/latest`)).toBe(`${base}/rel%2F3`);
    expect(await to(`${base}/permalink/latest/downloads/bin/a?order_by=released_at&x=//evil.org`)).toBe(
      `${base}/rel%2F3/downloads/bin/a?x=//evil.org`,
    );
    expect(await to(`/api/v4//projects/${project.id}/releases/permalink/latest`)).toMatch(/^\/api\/v4\//);
    expect(await to(`/${project.fullPath}/-/releases/rel/3/downloads/bin/a`)).toBe('https://example.org/a?b=c');
    const pages = `/${project.fullPath}/-/releases`;
    expect(await to(`${pages}/permalink/latest`)).toBe(`${pages}/rel/3`);
    expect(await to(`${pages}/permalink/latest/downloads/bin/a`)).toBe(`${pages}/rel/3/downloads/bin/a`);
    expect(await to(`${pages}/permalink/latest//evil.org`)).toBe(`${pages}/rel/3//evil.org`);
    const stranger = withToken(await world.user());
    expect((await world.send('GET', `${pages}/permalink/latest`, stranger)).status).toBe(404);
    expect((await world.send('GET', `${pages}/permalink/latest`, withToken(guest))).status).toBe(403);
    const page = `/${project.fullPath}/-/releases/rel/3/downloads/bin/a`;
    expect((await world.send('GET', page, stranger)).status).toBe(404);
    expect((await world.send('GET', page, withToken(guest))).status).toBe(403);
    const empty = await made();
    expect(await to(`/api/v4${empty.list}/permalink/latest`)).toBe(404);
    expect(await to(`/${empty.project.fullPath}/-/releases/permalink/latest`)).toBe(404);
  });
});

describe('The token of a job', () => {
  it('releases in its own project while the job runs, and counts for nothing elsewhere', async () => {
    const { project, at, list } = await made();
    const foreign = await made();
    await api.post(foreign.list, { tag_name: 'v1' });
    const job = await takenJob(world, developer, project);
    const send = (method: string, path: string, token: Json, body?: Json) =>
      world.send(method, `/api/v4${path}`, { headers: token, ...(body && { body }) });
    const header = { 'JOB-TOKEN': job.token };
    expect(await send('POST', list, header, { tag_name: 'v7', ref: 'master', description: 'by CI' })).toMatchObject({
      status: 201,
      body: { author: { username: developer.username } },
    });
    expect(await send('GET', `${list}/v7`, { Authorization: `Bearer ${job.token}` })).toMatchObject({ status: 200 });
    expect(await send('GET', `${list}/v7?job_token=${job.token}`, {})).toMatchObject({ status: 200 });
    const byPath = `/projects/${encodeURIComponent(project.fullPath)}/releases`;
    expect(await send('PUT', `${byPath}/v7`, header, { name: 'Seven' })).toMatchObject({ status: 200 });
    const link = { name: 'a', url: 'https://example.org/a' };
    expect(await send('POST', `${list}/v7/assets/links`, header, link)).toMatchObject({ status: 201 });
    // Not where it is not made for, and not in other projects, though its user is a member there.
    expect((await send('GET', `${at}/branches`, header)).status).toBeGreaterThanOrEqual(401);
    expect((await send('GET', `/projects/${project.id}`, header)).status).toBe(404);
    expect((await send('GET', foreign.list, header)).status).toBe(404);
    expect((await send('POST', foreign.list, header, { tag_name: 'v2' })).status).toBe(401);
    await endJob(world, job.id);
    expect((await send('GET', list, header)).status).toBe(401);
    expect((await send('DELETE', `${list}/v7`, header)).status).toBe(401);
    expect((await api.get(list)).body).toHaveLength(1);
    expect((await api.get(foreign.list)).body).toHaveLength(1);
  });
});

describe('Release hooks', () => {
  it('tell those who asked of new, changed and deleted releases', async () => {
    const { project, at, list, tip } = await made();
    const hook = async (given: Json) => {
      const path = `/${world.unique('receiver')}`;
      const body = { url: receiver.url(path), push_events: false, ...given };
      expect((await api.post(`/projects/${project.id}/hooks`, body)).body.releases_events).toBe(
        given.releases_events ?? false,
      );
      return path;
    };
    const path = await hook({ releases_events: true });
    const deaf = await hook({ tag_push_events: true });
    const links = [{ name: 'a', url: 'https://example.org/a' }];
    await api.post(list, { tag_name: 'v1', name: 'One', description: 'x', assets: { links } });
    await api.put(`${list}/v1`, { name: 'Uno' });
    await api.delete(`${list}/v1`);
    await api.post(`${at}/tags/v2/release`, { description: 'by the old way' });
    const told = await receiver.some(path, 4);
    expect(told.map(({ body }) => [body.action, body.name])).toEqual([
      ['create', 'One'],
      ['update', 'Uno'],
      ['delete', 'Uno'],
      ['create', 'v2'],
    ]);
    expect(told[0]?.headers['x-gitlab-event']).toBe('Release Hook');
    expect(told[0]?.body).toMatchObject({
      object_kind: 'release',
      description: 'x',
      tag: 'v1',
      url: `${world.url}/${project.fullPath}/-/releases/v1`,
      project: { id: project.id },
      assets: {
        count: 5,
        links: [{ id: expect.any(Number), link_type: 'other', name: 'a', url: 'https://example.org/a' }],
      },
      commit: { id: tip, title: 'Change', author: { name: expect.any(String) } },
    });
    expect(receiver.at(deaf)).toEqual([]);
  });
});

describe('Clients of today', () => {
  it('publish as semantic-release does: an upload, then a release with a link to it', async () => {
    const { project, list } = await made();
    const form = new FormData();
    form.append('file', new Blob(['built']), 'app.zip');
    const upload = await sendForm(world, `/api/v4/projects/${project.id}/uploads`, form, developer);
    expect(upload.status).toBe(201);
    const url = `${world.url}${upload.body.full_path ?? `/${project.fullPath}${upload.body.url}`}`;
    const body = {
      tag_name: 'v1',
      description: '# 1.0.0\n* first',
      milestones: [],
      assets: { links: [{ name: 'app.zip', url, link_type: 'package', filepath: '/app.zip' }] },
    };
    const path = `/projects/${encodeURIComponent(project.fullPath)}/releases`;
    expect(await world.api(developer).post(path, body)).toMatchObject({ status: 201, body: { tag_name: 'v1' } });
    const { body: shown } = await world.api(developer).get(`${list}/v1`);
    expect(shown.assets.links[0]).toMatchObject({ external: false, url });
    const file = new URL(url).pathname;
    expect((await world.send('GET', file, withToken(reporter))).status).toBe(200);
  });

  it('publish as goreleaser does: look, create, add links one by one, look again', async () => {
    const { project } = await made();
    const list = `/projects/${encodeURIComponent(project.fullPath)}/releases`;
    const own = world.api(developer);
    expect((await own.get(`${list}/v1`)).status).toBe(404);
    const created = { name: 'v1', tag_name: 'v1', ref: 'deadbeef', description: 'notes' };
    expect((await own.post(list, created)).status).toBe(201);
    for (const name of ['app_linux.tgz', 'app_mac.tgz']) {
      const given = { name, url: `https://example.org/${name}`, direct_asset_path: `/${name}` };
      expect((await own.post(`${list}/v1/assets/links`, given)).status).toBe(201);
    }
    expect((await own.put(`${list}/v1`, { name: 'v1', description: 'more notes' })).status).toBe(200);
    expect((await own.get(`${list}/v1/assets/links`)).body).toHaveLength(2);
  });

  it('publish as release-it does: forms with lists', async () => {
    const { list } = await made();
    const body = new URLSearchParams({ tag_name: 'v1', name: 'Release 1', description: '', 'milestones[]': '' });
    body.append('assets[links][][name]', 'a');
    body.append('assets[links][][url]', 'https://example.org/a');
    const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await world.send('POST', `/api/v4${list}`, { headers, body: String(body) });
    expect(answer).toMatchObject({ status: 201, body: { assets: { links: [{ name: 'a' }] } } });
  });
});

describe('The release of a protected tag', () => {
  it('is for those who may create the tag', async () => {
    const master = await world.user();
    const developer = await world.user();
    const { project: own } = await projectWithCommit(world, owner);
    await world.member(own, master, 'master');
    await world.member(own, developer, 'developer');
    const at = `/projects/${own.id}/releases`;
    await world.api(owner).post(`/projects/${own.id}/protected_tags`, { name: 'v*' });
    const refused = {
      status: 403,
      body: { message: 'You are not allowed to create this tag as it is protected.' },
    };
    expect(await world.api(developer).post(at, { tag_name: 'v1', ref: 'master' })).toMatchObject(refused);
    expect((await world.api(developer).post(at, { tag_name: 'other', ref: 'master' })).status).toBe(201);
    expect((await world.api(master).post(at, { tag_name: 'v1', ref: 'master' })).status).toBe(201);
    expect(await world.api(developer).post(at, { tag_name: 'v1' })).toMatchObject(refused);
    expect(await world.api(developer).put(`${at}/v1`, { name: 'x' })).toMatchObject(refused);
    expect(await world.api(developer).delete(`${at}/v1`)).toMatchObject(refused);
    const link = { name: 'a', url: 'https://example.org/a' };
    expect(await world.api(developer).post(`${at}/v1/assets/links`, link)).toMatchObject(refused);
    expect((await world.api(developer).get(`${at}/v1`)).body.name).toBe('v1');
  });
});
