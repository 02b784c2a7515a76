// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });

const KEYS = [
  'id',
  'title',
  'project_id',
  'action_name',
  'target_id',
  'target_iid',
  'target_type',
  'author_id',
  'data',
  'target_title',
  'created_at',
  'imported',
  'imported_from',
  'author',
  'author_username',
];

/** A project with a public and a confidential issue of the owner, and members. */
async function stage(visibility: 'private' | 'internal' | 'public' = 'public') {
  const project = await world.project({ owner, visibility });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const open = await world.issue(project, owner, { title: 'open' });
  const secret = await world.issue(project, owner, { title: 'secret', confidential: true });
  return { project, open, secret, at: `/projects/${project.id}/events` };
}

/** The keys that all events have. */
const keysOf = (event: Json) => Object.keys(event).filter((key) => key !== 'push_data' || event.data === null);

/** Action and title of each event of a feed that concerns the project, and the total of the feed. */
async function feed(who: TestUser | undefined, path: string, projectId?: number) {
  const { status, headers, body } = await world.api(who).get(`${path}?per_page=100`);
  expect(status).toBe(200);
  expect(headers['x-total']).toBe(String(body.length));
  const own = body.filter(({ project_id }: Json) => projectId === undefined || project_id === projectId);
  return own.map(({ action_name, target_title }: Json) => `${action_name} ${target_title ?? 'it'}`);
}

describe('GET /projects/:id/events', () => {
  it('tells what happened, newest first, with exactly the keys of the contract', LONG, async () => {
    const { project, open, at } = await stage();
    await world.api(owner).put(`/projects/${project.id}/issues/${open.iid}`, { state_event: 'close' });
    const { status, body } = await world.api(owner).get(at);
    expect(status).toBe(200);
    for (const event of body) expect(keysOf(event)).toEqual(KEYS);
    expect(body[0]).toEqual({
      id: expect.any(Number),
      title: null,
      project_id: project.id,
      action_name: 'closed',
      target_id: open.id,
      target_iid: open.iid,
      imported: false,
      imported_from: 'none',
      target_type: 'Issue',
      author_id: owner.id,
      data: null,
      target_title: 'open',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      author: {
        id: owner.id,
        name: `Name of ${owner.username}`,
        username: owner.username,
        state: 'active',
        avatar_url: expect.any(String),
        web_url: `${world.url}/${owner.username}`,
      },
      author_username: owner.username,
    });
    expect(body.at(-1)).toMatchObject({
      action_name: 'created',
      target_id: null,
      target_type: null,
      target_title: null,
    });
    expect(await feed(owner, at)).toEqual(['closed open', 'opened secret', 'opened open', 'created it']);
  });

  it('is paginated', async () => {
    const { at } = await stage();
    const { headers, body } = await world.api(owner).get(`${at}?per_page=1&page=2`);
    expect(body.map(({ target_title }: Json) => target_title)).toEqual(['open']);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '3', 'x-next-page': '3', 'x-prev-page': '1' });
  });

  it('hides confidential issues from those who may not see them, in the total too', async () => {
    const { at, project } = await stage();
    const all = ['opened secret', 'opened open', 'created it'];
    const others = ['opened open', 'created it'];
    for (const who of [owner, reporter, admin]) expect(await feed(who, at)).toEqual(all);
    for (const who of [guest, outsider]) expect(await feed(who, at)).toEqual(others);
    await world.issue(project, guest, { title: 'own', confidential: true });
    expect(await feed(guest, at)).toEqual(['opened own', ...others]);
    expect(await feed(outsider, at)).toEqual(others);
  });

  it('tells anonymous callers of nothing that they could not read at its own address', LONG, async () => {
    const { at, project, say } = await committed('public');
    await world.milestone(project, owner, { title: 'planned' });
    await world.issue(project, owner, { title: 'secret', confidential: true });
    await say(guest, 'said');
    const everything = await feed(outsider, at);
    expect(everything).toEqual(expect.arrayContaining(['opened open', 'opened planned', 'commented on First words']));
    for (const path of ['issues', 'milestones', 'commits/HEAD']) {
      const page = await world.send('GET', `/${project.fullPath}/-/${path}`, { headers: { accept: 'text/html' } });
      expect([path, page.status]).toEqual([path, 200]);
    }
    expect(await feed(undefined, at)).toEqual(everything);
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { events { nodes { targetTitle } } } }`;
    const { events } = (await world.graphql(query, { ref: project.id })).body.data.project;
    expect(events.nodes).toHaveLength(everything.length);
    const forMembers = { issues_access_level: 'private', repository_access_level: 'private' };
    expect((await world.api(owner).put(`/projects/${project.id}`, forMembers)).status).toBe(200);
    expect(await feed(undefined, at)).toEqual(['created it']);
    expect((await world.graphql(query, { ref: project.id })).body.data.project.events.nodes).toHaveLength(1);
  });

  it('follows an issue that becomes confidential or gets another title', async () => {
    const { at, project, open } = await stage();
    await world.api(owner).put(`/projects/${project.id}/issues/${open.iid}`, { title: 'hidden', confidential: true });
    expect(await feed(reporter, at)).toEqual(['opened secret', 'opened hidden', 'created it']);
    expect(await feed(outsider, at)).toEqual(['created it']);
  });

  it('tells of a deleted issue only that it was, and of a confidential one only to those who saw it', async () => {
    const { at, project, open, secret } = await stage();
    for (const { iid } of [open, secret]) await world.api(owner).delete(`/projects/${project.id}/issues/${iid}`);
    expect(await feed(reporter, at)).toEqual(['destroyed secret', 'destroyed open', 'created it']);
    expect(await feed(guest, at)).toEqual(['destroyed open', 'created it']);
  });

  it('tells nothing of issues while they are switched off', async () => {
    const { at, project } = await stage();
    await world.db.project.update({ where: { id: project.id }, data: { issuesEnabled: false } });
    for (const who of [owner, admin, undefined]) expect(await feed(who, at)).toEqual(['created it']);
    expect(await feed(owner, `/users/${owner.id}/events`, project.id)).toEqual(['created it']);
  });

  it('is 404 where the project is hidden', async () => {
    const hidden = { status: 404, body: { message: '404 Project Not Found' } };
    const [private_, internal] = [await stage('private'), await stage('internal')];
    expect(await world.api(outsider).get(private_.at)).toMatchObject(hidden);
    expect(await world.api().get(private_.at)).toMatchObject(hidden);
    expect(await world.api().get(internal.at)).toMatchObject(hidden);
    expect(await world.api(outsider).get('/projects/999999/events')).toMatchObject(hidden);
    expect(await world.api(outsider).get(`${internal.at}?page=x`)).toMatchObject({
      status: 400,
      body: { error: 'page is invalid' },
    });
  });
});

describe('GET /users/:id/events', () => {
  it('tells what the user did, newest first, where the caller may see it', async () => {
    const [open, private_] = [await stage('public'), await stage('private')];
    const path = `/users/${owner.id}/events`;
    const keys = (await world.api(outsider).get(path)).body.map(keysOf);
    for (const found of keys) expect(found).toEqual(KEYS);
    expect(await feed(reporter, path, open.project.id)).toEqual(['opened secret', 'opened open', 'created it']);
    expect(await feed(reporter, path, private_.project.id)).toEqual(['opened secret', 'opened open', 'created it']);
    expect(await feed(guest, path, private_.project.id)).toEqual(['opened open', 'created it']);
    expect(await feed(outsider, path, open.project.id)).toEqual(['opened open', 'created it']);
    expect(await feed(outsider, path, private_.project.id)).toEqual([]);
    const whole = (await world.api(owner).get(`${path}?per_page=100`)).body;
    expect(whole.map(({ author_id }: Json) => author_id)).toEqual(whole.map(() => owner.id));
    expect(await feed(reporter, `/users/${reporter.id}/events`)).toEqual([]);
  });

  it('ends with the membership, and with the project', async () => {
    const { project } = await stage('private');
    const path = `/users/${owner.id}/events`;
    expect(await feed(reporter, path, project.id)).toHaveLength(3);
    await world.db.member.updateMany({
      where: { projectId: project.id, userId: reporter.id },
      data: { expiresAt: new Date() },
    });
    expect(await feed(reporter, path, project.id)).toEqual([]);
    await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
    for (const who of [owner, admin]) expect(await feed(who, path, project.id)).toEqual([]);
  });

  it('needs a signed-in caller with full reach, and a user', async () => {
    expect(await world.api().get(`/users/${owner.id}/events`)).toMatchObject({ status: 401 });
    const readUser = await world.token(owner, ['read_user']);
    expect(await world.api(readUser).get(`/users/${owner.id}/events`)).toMatchObject({ status: 403 });
    const missing = { status: 404, body: { message: '404 User Not Found' } };
    expect(await world.api(owner).get('/users/999999/events')).toMatchObject(missing);
    expect(await world.api(owner).get('/users/nobody-is-called-so/events')).toMatchObject(missing);
    expect(await world.api(owner).get('/users/99999999999/events')).toMatchObject(missing);
  });

  it('takes the name of a user in any case, or an ID, which comes first', async () => {
    const { project } = await stage();
    const [named, other] = [await world.user(), await world.user()];
    await world.issue(project, named, { title: 'of the named' });
    await world.issue(project, other, { title: 'of the other' });
    await world.db.user.update({ where: { id: other.id }, data: { username: String(named.id) } });
    const wanted = ['opened of the named'];
    for (const key of [named.username, named.username.toUpperCase(), named.id]) {
      expect(await feed(named, `/users/${key}/events`, project.id)).toEqual(wanted);
    }
    const user = async (args: string) => (await world.graphql(`{ user${args} { databaseId } }`, {}, named)).body;
    expect((await user(`(idOrUsername: "${other.id}")`)).data.user).toEqual({ databaseId: other.id });
    expect((await user(`(idOrUsername: "${other.id}", id: ${other.id})`)).errors[0].extensions.code).toBe(
      'BAD_REQUEST',
    );
    expect((await user('')).errors[0].extensions.code).toBe('BAD_REQUEST');
  });
});

/** A stage with a commit, and what says something of it. */
async function committed(visibility: 'private' | 'internal' | 'public') {
  const { project, at } = await stage(visibility);
  const repository = `/projects/${project.id}/repository`;
  const given = { branch: 'main', commit_message: 'First words\n\nMore', actions: [] as Json[] };
  given.actions.push({ action: 'create', file_path: 'a', content: 'a' });
  const { body } = await world.api(owner).post(`${repository}/commits`, given);
  const say = async (who: TestUser, note: string) =>
    expect((await world.api(who).post(`${repository}/commits/${body.id}/comments`, { note })).status).toBe(201);
  return { project, at, say };
}

describe('A push', () => {
  it('is told in short, too', async () => {
    const { project, at } = await stage();
    const branches = `/projects/${project.id}/repository`;
    const commit = async (message: string) => {
      const actions = [{ action: 'create', file_path: message, content: 'a' }];
      const given = { branch: 'main', commit_message: `${message}\n\nMore`, actions };
      return (await world.api(owner).post(`${branches}/commits`, given)).body.id;
    };
    const [first, second] = [await commit('One'), await commit('Two '.repeat(30).trim())];
    await world.api(owner).post(`${branches}/branches`, { branch: 'topic', ref: 'main' });
    await world.api(owner).delete(`${branches}/branches/topic`);
    const { body } = await world.api(owner).get(`${at}?action=pushed`);
    const topic = { commit_count: 0, ref_type: 'branch', ref: 'topic', commit_title: null };
    const main = { ref_type: 'branch', ref: 'main' };
    expect(body.map(({ push_data }: Json) => push_data)).toMatchObject([
      { ...topic, action: 'removed', commit_from: second, commit_to: null },
      { ref: 'topic', action: 'created', commit_from: null, commit_to: second },
      { ...main, commit_count: 1, action: 'pushed', commit_from: first, commit_to: second },
      { ...main, commit_count: 1, action: 'created', commit_from: null, commit_to: first, commit_title: 'One' },
    ]);
    expect(body[2].push_data.commit_title).toMatch(/^(Two ){16}Two\.\.\.$/);
  });
});

describe('A comment on a commit', () => {
  it('is in the feed with what was said, and only such an event has a note', LONG, async () => {
    const { at, project, say } = await committed('private');
    await say(reporter, 'Why *this*?');
    const { body } = await world.api(owner).get(at);
    const { id } = await world.db.commitComment.findFirstOrThrow({ where: { projectId: project.id } });
    const author = {
      id: reporter.id,
      name: `Name of ${reporter.username}`,
      username: reporter.username,
      state: 'active',
      avatar_url: expect.any(String),
      web_url: `${world.url}/${reporter.username}`,
    };
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body[0]).toEqual({
      id: expect.any(Number),
      title: null,
      project_id: project.id,
      action_name: 'commented on',
      target_id: id,
      target_iid: id,
      imported: false,
      imported_from: 'none',
      target_type: 'Note',
      author_id: reporter.id,
      data: null,
      target_title: 'First words',
      created_at: time,
      note: {
        id,
        body: 'Why *this*?',
        attachment: null,
        author,
        created_at: time,
        updated_at: time,
        system: false,
        noteable_id: null,
        noteable_type: 'Commit',
        type: null,
        project_id: project.id,
        noteable_iid: null,
        commit_id: expect.stringMatching(/^[0-9a-f]{40}$/),
        resolvable: false,
        confidential: false,
        internal: false,
        imported: false,
        imported_from: 'none',
        commands_changes: {},
      },
      author,
      author_username: reporter.username,
    });
    for (const event of body.slice(1)) expect(keysOf(event)).toEqual(KEYS);
  });

  it('is told to those who may read the commits', LONG, async () => {
    for (const visibility of ['private', 'internal', 'public'] as const) {
      const { at, project, say } = await committed(visibility);
      await say(owner, 'said');
      const external = await world.user({ external: true });
      const open = visibility !== 'private';
      const readers: [TestUser | undefined, boolean | null][] = [
        [owner, true],
        [reporter, true],
        [admin, true],
        [guest, open],
        [outsider, open ? true : null],
        [external, visibility === 'public' ? true : null],
        [undefined, visibility === 'public' ? true : null],
      ];
      for (const [who, sees] of readers) {
        const answers = [await world.api(who).get(at)];
        if (who) answers.push(await world.api(who).get(`/users/${owner.id}/events`));
        const told = answers.map(({ body }) => JSON.stringify(body).includes('said'));
        const place = `${visibility} ${who?.username}`;
        expect([place, answers[0]?.status]).toEqual([place, sees === null ? 404 : 200]);
        if (who) {
          const own = answers[1]?.body.filter(({ project_id }: Json) => project_id === project.id);
          told[1] = own.some(({ note }: Json) => note?.body === 'said');
        }
        expect([place, ...told]).toEqual([place, ...told.map(() => sees === true)]);
        if (sees !== null) expect(answers[0]?.headers['x-total']).toBe(String(answers[0]?.body.length));
      }
    }
  });

  it('that is refused leaves no event', async () => {
    const { project, at } = await committed('public');
    const before = await feed(owner, at);
    const path = `/projects/${project.id}/repository/commits/main/comments`;
    expect((await world.api(owner).post(path, { note: ' ' })).status).toBe(400);
    expect((await world.api().post(path, { note: 'x' })).status).toBe(401);
    expect(await feed(owner, at)).toEqual(before);
  });

  it('has its note in GraphQL, and goes with who made it', LONG, async () => {
    const { project, say } = await committed('private');
    const gone = await world.user();
    await world.member(project, gone, 'developer');
    await say(gone, 'mine');
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { events { totalCount nodes {
      actionName note { body attachment system noteableId noteableType createdAt updatedAt author { username } } } } } }`;
    const nodes = async (who: TestUser) =>
      (await world.graphql(query, { ref: project.id }, who)).body.data.project.events;
    expect((await nodes(reporter)).nodes[0]).toMatchObject({
      actionName: 'COMMENTED_ON',
      note: { body: 'mine', attachment: null, system: false, noteableId: null, noteableType: 'Commit' },
    });
    expect(JSON.stringify(await nodes(guest))).not.toContain('COMMENTED');
    await world.api(admin).delete(`/users/${gone.id}`);
    expect(JSON.stringify(await nodes(reporter))).not.toContain('mine');
  });
});

/** The target of a link of a paginated answer, below the API. */
function link(headers: Json, rel: string): string | undefined {
  const found = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link)?.[1];
  return found?.replace(`${world.url}/api/v4`, '');
}

describe('A walk through a feed while new events arrive', () => {
  it('along the links tells every event of its beginning once, in order, and no other', async () => {
    const writer = await world.user();
    const project = await world.project({ owner: writer, visibility: 'public' });
    for (const title of ['a', 'b', 'c', 'd']) await world.issue(project, writer, { title });
    for (const path of [`/projects/${project.id}/events`, `/users/${writer.id}/events`]) {
      const whole = (await world.api(owner).get(`${path}?per_page=100`)).body;
      const seen: Json[] = [];
      let next: string | undefined = `${path}?per_page=2`;
      while (next !== undefined) {
        const { headers, body } = await world.api(owner).get(next);
        expect(headers['x-total']).toBe(String(whole.length));
        seen.push(...body);
        await world.issue(project, writer, { title: 'late' });
        next = link(headers, 'next');
      }
      expect(seen).toEqual(whole);
    }
  });

  it('by page numbers alone may tell an event again, but leaves none out', async () => {
    const { project, at } = await stage();
    const whole = await feed(owner, at);
    const seen: string[] = [];
    for (let page = 1; page <= 8; page += 1) {
      const { body } = await world.api(owner).get(`${at}?per_page=1&page=${page}`);
      seen.push(...body.map(({ action_name, target_title }: Json) => `${action_name} ${target_title ?? 'it'}`));
      if (page < 4) await world.issue(project, owner, { title: 'late' });
    }
    expect(seen.filter((event, at) => seen.indexOf(event) === at)).toEqual(expect.arrayContaining(whole));
  });

  it('sees what is hidden on the way no more, and an odd end is refused', async () => {
    const { project, at } = await stage();
    const { headers } = await world.api(reporter).get(`${at}?per_page=1`);
    const next = link(headers, 'next') ?? '';
    expect(next).toMatch(/up_to=\d+/);
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'private' });
    expect((await world.api(outsider).get(next)).status).toBe(404);
    expect(await world.api(owner).get(`${at}?up_to=x`)).toMatchObject({
      status: 400,
      body: { error: 'up_to is invalid' },
    });
    expect((await world.api(owner).get(`${at}?up_to=0`)).body).toEqual([]);
  });
});

describe('Event feeds', () => {
  it('tell when a project was last active, to the minute', async () => {
    const { project } = await stage();
    const last = async () => new Date((await world.api(owner).get(`/projects/${project.id}`)).body.last_activity_at);
    const hourAgo = new Date(Date.now() - 3_600_000);
    await world.db.project.update({ where: { id: project.id }, data: { lastActivityAt: hourAgo } });
    expect(await last()).toEqual(hourAgo);
    await world.issue(project, owner);
    expect(Date.now() - (await last()).getTime()).toBeLessThan(60_000);
    const active = await last();
    await world.issue(project, owner);
    expect(await last()).toEqual(active);
  });

  it('take the same few statements, however long they are', async () => {
    const count = async (path: string) => (await world.statements(() => world.api(reporter).get(path))).length;
    const short = await stage();
    const before = [await count(short.at), await count(`/users/${owner.id}/events`)];
    const long = await stage();
    for (let n = 0; n < 25; n += 1) await world.issue(long.project, n % 2 ? owner : guest);
    expect([await count(long.at), await count(`/users/${owner.id}/events`)]).toEqual(before);
    expect(Math.max(...before)).toBeLessThanOrEqual(3);
  });

  it('obey the same rules in GraphQL', async () => {
    const { project } = await stage('private');
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { events { totalCount nodes {
      actionName targetType targetTitle author { username } project { databaseId } data } } } }`;
    const nodes = async (who: TestUser) => {
      const { data } = (await world.graphql(query, { ref: project.id }, who)).body;
      expect(data.project.events.totalCount).toBe(data.project.events.nodes.length);
      return data.project.events.nodes;
    };
    expect(await nodes(reporter)).toHaveLength(3);
    expect(await nodes(guest)).toHaveLength(2);
    expect((await nodes(guest))[0]).toEqual({
      actionName: 'OPENED',
      targetType: 'ISSUE',
      targetTitle: 'open',
      author: { username: owner.username },
      project: { databaseId: project.id },
      data: null,
    });
    const sideways = `query ($ref: ProjectRef!) { project(ref: $ref) { owner { events(limit: 100) { totalCount nodes {
      projectId } } } } }`;
    const publicOne = (await stage('public')).project;
    const { data } = (await world.graphql(sideways, { ref: publicOne.id }, outsider)).body;
    const seen = data.project.owner.events.nodes.map(({ projectId }: Json) => projectId);
    expect([seen.includes(publicOne.id), seen.includes(project.id)]).toEqual([true, false]);
    expect(data.project.owner.events.totalCount).toBe(seen.length);
  });
});
