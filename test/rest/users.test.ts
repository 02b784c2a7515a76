import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { API_VERSION } from '#src/platform/api_version.ts';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const external = await world.user({ external: true });
const blocked = await world.user({ blocked: true });
const synced = await world.user();
await world.db.user.update({ where: { id: synced.id }, data: { state: 'ldap_blocked' } });
const [api, asAdmin] = [world.api(user), world.api(admin)];
const refused = { status: 401, body: { message: '401 Unauthorized' } };

const BRIEF = ['id', 'name', 'username', 'state', 'avatar_url', 'web_url'];
const SINGLE = [
  ...BRIEF,
  ...'created_at is_admin bio location skype linkedin twitter website_url organization public_email'.split(' '),
  ...'job_title pronouns discord github work_information bot followers following is_followed local_time'.split(' '),
];
const FULL = [
  ...SINGLE,
  ...'last_sign_in_at confirmed_at last_activity_on email color_scheme_id projects_limit current_sign_in_at'.split(' '),
  ...'identities can_create_group can_create_project two_factor_enabled external'.split(' '),
  ...'theme_id commit_email private_profile namespace_id preferred_language scim_identities'.split(' '),
];
const ADMINISTERED = [...FULL, ...'note created_by current_sign_in_ip last_sign_in_ip'.split(' ')];
const keys = (record: object) => Object.keys(record).sort();
const names = (body: { username: string }[]) => body.map(({ username }) => username);

describe('GET /users', () => {
  it('lists brief users, newest first, in pages', async () => {
    const { status, headers, body } = await api.get('/users?per_page=2');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-total': '5', 'x-total-pages': '3', 'x-next-page': '2' });
    expect(names(body)).toEqual([synced.username, blocked.username]);
    for (const each of body) expect(keys(each)).toEqual([...BRIEF].sort());
    expect(body[1]).toMatchObject({ state: 'blocked', web_url: `${world.url}/${blocked.username}` });
  });

  it('lists everything of them for administrators', async () => {
    const { body } = await asAdmin.get('/users');
    for (const each of body) expect(keys(each)).toEqual([...ADMINISTERED].sort());
  });

  it.each([
    ['active=true', () => [external, user, admin]],
    ['active=false', () => [synced, blocked, external, user, admin]],
    ['blocked=true', () => [synced, blocked]],
    ['blocked=false', () => [synced, blocked, external, user, admin]],
    ['active=true&blocked=true', () => []],
    ['external=true', () => [external]],
    ['external=false', () => [synced, blocked, external, user, admin]],
    ['search=', () => [synced, blocked, external, user, admin]],
  ])('filters by %s', async (query, expected) => {
    const { status, headers, body } = await asAdmin.get(`/users?${query}`);
    const wanted = expected().map(({ username }) => username);
    expect([status, headers['x-total'], names(body)]).toEqual([200, String(wanted.length), wanted]);
  });

  it('finds text in name and username, whatever its case, wildcards as they are', async () => {
    const odd = await world.user({ username: 'odd_one.out' });
    for (const text of ['ODD_ONE', 'name of odd', 'd_o']) {
      expect(names((await api.get(`/users?search=${encodeURIComponent(text)}`)).body)).toEqual([odd.username]);
    }
    for (const text of ['odd%', 'o_d', 'nobody', '\\'])
      expect((await api.get(`/users?search=${encodeURIComponent(text)}`)).body).toEqual([]);
  });

  it(
    'finds an address by parts of it for administrators alone; others only by all of one that is public, or their own',
    LONG,
    async () => {
      const hidden = await world.user();
      await world.db.user.update({ where: { id: hidden.id }, data: { email: 'zq.hidden@place.example' } });
      const found = async (who: TestUser, text: string) => {
        const rest = await world.api(who).get(`/users?search=${encodeURIComponent(text)}`);
        const query = 'query ($text: String!) { users(search: $text) { totalCount nodes { username } } }';
        const { users } = (await world.graphql(query, { text }, who)).body.data;
        expect([names(users.nodes), String(users.totalCount)]).toEqual([names(rest.body), rest.headers['x-total']]);
        return names(rest.body);
      };
      for (const part of [
        'z',
        'zq.h',
        'zq.hidden@',
        '@place',
        'place.EXAMPLE',
        'q.hidden@place.example',
        'zq.hidden@place.exampl_',
      ]) {
        expect([part, (await found(user, part)).includes(hidden.username)]).toEqual([part, false]);
      }
      for (const text of ['zq.hidden@place.example', ' ZQ.Hidden@Place.Example ']) {
        expect([text, await found(user, text)]).toEqual([text, []]);
        expect([text, await found(hidden, text)]).toEqual([text, [hidden.username]]);
        await world.db.user.update({ where: { id: hidden.id }, data: { publicEmail: 'zq.hidden@place.example' } });
        expect([text, await found(user, text)]).toEqual([text, [hidden.username]]);
        await world.db.user.update({ where: { id: hidden.id }, data: { publicEmail: null } });
      }
      expect(await found(admin, 'Hidden@Pl')).toEqual([hidden.username]);
    },
  );

  it('finds one by exact username, whatever its case and whatever the other filters', async () => {
    const query = `username=${blocked.username.toUpperCase()}&active=true&search=nothing`;
    expect(names((await api.get(`/users?${query}`)).body)).toEqual([blocked.username]);
    expect((await api.get('/users?username=use%25')).body).toEqual([]);
    expect((await api.get(`/users?username=${blocked.username.slice(0, -1)}`)).body).toEqual([]);
  });

  it('does not tell others than administrators who is external', async () => {
    expect((await api.get('/users?external=true')).headers['x-total']).toBe(
      (await api.get('/users')).headers['x-total'],
    );
  });

  it('refuses what is no boolean, and anonymous callers', async () => {
    expect(await api.get('/users?active=maybe&blocked=x')).toMatchObject({
      status: 400,
      body: { error: 'active is invalid, blocked is invalid' },
    });
    expect(await world.api().get('/users')).toMatchObject(refused);
  });

  it('is reached by read_user', async () => {
    const reader = world.api(await world.token(user, ['read_user']));
    expect(await reader.get('/users')).toMatchObject({ status: 200 });
    expect(await reader.get(`/users/${admin.id}`)).toMatchObject({ status: 200 });
  });

  it('takes the same few statements however long it is, for everybody', LONG, async () => {
    for (let n = 0; n < 12; n += 1) await world.user();
    for (const who of [api, asAdmin]) {
      const count = async (size: number) => (await world.statements(() => who.get(`/users?per_page=${size}`))).length;
      const [short, long] = [await count(1), await count(12)];
      expect([long, short <= 3]).toEqual([short, true]);
    }
  });
});

describe('GET /users/:id', () => {
  it('shows the single form, to administrators the long one', async () => {
    const { status, body } = await api.get(`/users/${external.id}`);
    expect([status, keys(body)]).toEqual([200, [...SINGLE].sort()]);
    expect(body).toMatchObject({
      bot: false,
      username: external.username,
      is_admin: false,
      bio: null,
      skype: '',
      organization: null,
    });
    expect(keys((await api.get(`/users/${user.id}`)).body)).toEqual([...SINGLE].sort());
    const long = (await asAdmin.get(`/users/${external.id}`)).body;
    expect(keys(long)).toEqual([...ADMINISTERED, 'sign_in_count'].sort());
    expect(long).toMatchObject({
      email: `${external.username}@example.org`,
      external: true,
      can_create_group: false,
      can_create_project: false,
      projects_limit: 0,
      identities: [],
      two_factor_enabled: false,
      color_scheme_id: 1,
      confirmed_at: expect.stringMatching(/Z$/),
    });
  });

  it('is 404 for who is not there, and no route for what is no number', async () => {
    expect(await api.get('/users/999999')).toMatchObject({ status: 404, body: { message: '404 User Not Found' } });
    expect(await api.get('/users/99999999999')).toMatchObject({ status: 404, body: { message: '404 User Not Found' } });
    for (const id of ['abc', '-1', '1.5', user.username]) {
      expect(await api.get(`/users/${id}`)).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
    }
    expect(await world.api().get(`/users/${user.id}`)).toMatchObject(refused);
  });
});

describe('GET /user', () => {
  it('shows the long form to everybody of oneself', async () => {
    const { status, body } = await api.get('/user');
    expect([status, keys(body)]).toEqual([200, [...FULL].sort()]);
    expect(body).toMatchObject({
      id: user.id,
      can_create_project: true,
      avatar_url: expect.stringContaining('gravatar'),
    });
  });

  it('has a picture while the setting for that is on', async () => {
    const set = async (avatarServiceEnabled: boolean) => {
      await world.db.applicationSettings.update({ where: { id: 1 }, data: { avatarServiceEnabled } });
      forgetSettings(world.db);
      return (await api.get('/user')).body.avatar_url;
    };
    const hash = createHash('md5').update(`${user.username}@example.org`).digest('hex');
    expect(await set(false)).toBeNull();
    expect(await set(true)).toContain(`/avatar/${hash}?`);
  });

  it('shows the private token under sudo alone', async () => {
    const { body } = await asAdmin.get(`/user?sudo=${user.id}`);
    expect(keys(body)).toEqual([...FULL, 'private_token'].sort());
    expect(body.private_token).toBe(user.token);
  });

  it('says that no more projects can be created once the limit is reached', async () => {
    const full = await world.user();
    await world.project({ owner: full });
    await world.db.user.update({ where: { id: full.id }, data: { projectsLimit: 1 } });
    expect((await world.api(full).get('/user')).body.can_create_project).toBe(false);
  });

  it('is not possible as somebody who is blocked', async () => {
    expect(await asAdmin.get(`/user?sudo=${blocked.username}`)).toMatchObject({
      status: 404,
      body: { message: `404 No user id or username for: ${blocked.username} Not Found` },
    });
  });
});

describe('GET /version', () => {
  it('tells the version of the API, which clients compare, and the release of Gantry beside it', async () => {
    const user = await world.user();
    const { status, body } = await world.api(user).get('/version');
    const kas = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null };
    const gantry = { version: packageVersion(), revision: packageRevision() };
    expect([status, body]).toEqual([
      200,
      { version: API_VERSION, revision: gantry.revision, enterprise: false, gantry, kas },
    ]);
    expect(body.version).toMatch(/^\d+\.\d+\.\d+$/);
    const [major = 0, minor = 0, patch = 0] = body.version.split('.').map(Number);
    // Below 9.2.2 they address notes by IDs over all projects.
    expect(major * 10_000 + minor * 100 + patch).toBeGreaterThanOrEqual(90_202);
    const query = '{ version { version enterprise gantry { version } } }';
    const shown = await world.graphql(query, {}, user);
    expect(shown.body.data.version).toEqual({
      version: API_VERSION,
      enterprise: false,
      gantry: { version: packageVersion() },
    });
    expect((await world.api().get('/version')).status).toBe(401);
  });
});

describe('GET /user/activities', () => {
  it('tells administrators when who was there, the longest absent first', async () => {
    const [old, older, ancient] = [await world.user(), await world.user(), await world.user()];
    const set = (id: number, day: string) =>
      world.db.user.update({ where: { id }, data: { lastActivityOn: new Date(day) } });
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await set(old.id, day(1));
    await set(older.id, day(100));
    await set(ancient.id, '2017-01-01');
    const { status, headers, body } = await asAdmin.get('/user/activities?per_page=2');
    expect(status).toBe(200);
    expect(Number(headers['x-total'])).toBeGreaterThan(2);
    expect(body).toEqual([
      { username: older.username, last_activity_on: day(100), last_activity_at: day(100) },
      { username: old.username, last_activity_on: day(1), last_activity_at: day(1) },
    ]);
    const [first] = (await asAdmin.get('/user/activities?from=2017-01-01')).body;
    expect(first.username).toBe(ancient.username);
    expect((await asAdmin.get(`/user/activities?from=${day(1)}`)).body[0].username).toBe(old.username);
    expect(await asAdmin.get('/user/activities?from=x')).toMatchObject({
      status: 400,
      body: { error: 'from is invalid' },
    });
  });

  it('is for administrators', async () => {
    expect(await api.get('/user/activities')).toMatchObject({ status: 403, body: { message: '403 Forbidden' } });
    expect(await world.api().get('/user/activities')).toMatchObject(refused);
  });
});

describe('Users in GraphQL', () => {
  const PRIVATE = 'email lastSignInAt confirmedAt lastActivityOn projectsLimit identities { provider } external';

  it('show what is private to administrators and to themselves, and null to others', async () => {
    const query = `{ user(id: ${user.id}) { bio admin createdAt ${PRIVATE} privateToken } }`;
    const hidden = Object.fromEntries(
      'email lastSignInAt confirmedAt lastActivityOn projectsLimit identities external'
        .split(' ')
        .map((n) => [n, null]),
    );
    const seen = async (who: typeof user) => (await world.graphql(query, {}, who)).body.data.user;
    expect(await seen(external)).toMatchObject({ ...hidden, admin: false, privateToken: null });
    for (const who of [user, admin]) {
      expect(await seen(who)).toMatchObject({
        email: `${user.username}@example.org`,
        external: false,
        privateToken: null,
      });
    }
    expect((await world.graphql(query)).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('are one type wherever they stand, with one statement for the details of all', LONG, async () => {
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'public' });
    const writers = await Promise.all(Array.from({ length: 5 }, () => world.user()));
    for (const writer of writers) await world.issue(project, writer);
    const query = `query ($ref: ProjectRef!, $n: Int!) { project(ref: $ref) {
      issues(limit: $n) { nodes { author { username createdAt email } assignee { email } } } } }`;
    const count = async (n: number) => {
      let body: { data: { project: { issues: { nodes: { author: object }[] } } } } | undefined;
      const statements = await world.statements(async () => {
        body = (await world.graphql(query, { ref: project.id, n }, writers[0])).body;
      });
      return { count: statements.length, authors: body?.data.project.issues.nodes.map(({ author }) => author) };
    };
    // The first requests with a document show what the others read of its project.
    for (let time = 0; time < 2; time += 1) await count(1);
    const [one, five] = [await count(1), await count(5)];
    expect(five.count).toBe(one.count);
    expect(five.authors).toHaveLength(5);
    const own = writers[0]?.username;
    for (const author of five.authors as { username: string; email: string | null }[]) {
      expect(author.email).toBe(author.username === own ? `${own}@example.org` : null);
    }
  });

  it('refuse details of the users of public projects to anonymous callers', async () => {
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'public' });
    const ask = (field: string) => world.graphql(`{ project(ref: ${project.id}) { owner { username ${field} } } }`);
    expect((await ask('state')).body.data.project.owner).toMatchObject({ username: owner.username });
    expect((await ask('email')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('are listed with the filters of REST', async () => {
    const query = '{ users(blocked: true, first: 1) { totalCount nodes { username state } pageInfo { hasNextPage } } }';
    expect((await world.graphql(query, {}, user)).body.data.users).toEqual({
      totalCount: 2,
      nodes: [{ username: synced.username, state: 'LDAP_BLOCKED' }],
      pageInfo: { hasNextPage: true },
    });
    const external = '{ users(external: true) { nodes { external } } }';
    expect((await world.graphql(external, {}, admin)).body.data.users.nodes).toEqual([{ external: true }]);
  });

  it('lead to the issues that they wrote, as far as the caller sees them', async () => {
    const author = await world.user();
    const hidden = await world.project({ owner: author });
    const open = await world.project({ owner: author, visibility: 'public' });
    await world.issue(hidden, author);
    await world.issue(open, author, { title: 'seen' });
    await world.issue(open, author, { confidential: true });
    const query = `{ user(id: ${author.id}) { issues { totalCount nodes { title } } } }`;
    expect((await world.graphql(query, {}, user)).body.data.user.issues).toEqual({
      totalCount: 1,
      nodes: [{ title: 'seen' }],
    });
    expect((await world.graphql(query, {}, author)).body.data.user.issues.totalCount).toBe(3);
  });

  it('are found by global ID', async () => {
    const { id } = (await world.graphql(`{ user(id: ${user.id}) { id } }`, {}, user)).body.data.user;
    const query = 'query ($id: ID!) { node(id: $id) { ... on User { username email } } }';
    expect((await world.graphql(query, { id }, external)).body.data.node).toEqual({
      username: user.username,
      email: null,
    });
  });
});
