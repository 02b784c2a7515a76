// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { ACCOUNT_LIMIT } from '#src/access/sign_in/attempts.ts';
import { sendForm } from '../support/upload.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const external = await world.user({ external: true });
const bot = await world.user();
const blocked = await world.user({ blocked: true });
const people = [admin, user, external, bot, blocked];
const set = (id: number, data: object) => world.db.user.update({ where: { id }, data });
await set(bot.id, { bot: true });
await set(user.id, {
  twoFactorEnabled: true,
  publicEmail: 'user@public.example',
  createdAt: new Date('2020-02-02'),
});
await set(blocked.id, { lastActivityOn: new Date('2020-02-03') });
await world.project({ owner: admin });
const shared = await world.project({ owner: admin, visibility: 'public' });
await world.member(shared, user, 'developer');
const [api, asAdmin] = [world.api(user), world.api(admin)];
const idsOf = (body: { id: number }[]) => body.map(({ id }) => id);
const ids = (...some: { id: number }[]) => some.map(({ id }) => id).sort((a, b) => b - a);

describe('Users are listed', () => {
  it.each([
    ['exclude_active=true', [blocked]],
    ['humans=true', [admin, user, external, blocked]],
    ['without_project_bots=true', [admin, user, external, blocked]],
    ['exclude_humans=true', [bot]],
    ['exclude_internal=true', people],
    ['humans=false&exclude_active=false', people],
    ['created_before=2020-02-02T00:00:01Z', [user]],
    ['created_after=2020-02-02T00:00:01Z', [admin, external, bot, blocked]],
    ['created_after=2020-02-02T00:00:00Z', [admin, external, bot, blocked]],
  ])('by %s for everybody', async (query, wanted) => {
    for (const who of [api, asAdmin]) {
      const { body, headers } = await who.get(`/users?${query}`);
      expect([idsOf(body), headers['x-total']]).toEqual([ids(...wanted), String(wanted.length)]);
    }
  });

  it.each([
    ['two_factor=enabled', [user]],
    ['two_factor=disabled', [admin, external, bot, blocked]],
    ['without_projects=true', [external, bot, blocked]],
    ['admins=true', [admin]],
    ['public_email=User@Public.example', [user]],
    ['public_email=nobody@public.example', []],
    ['exclude_external=true', [admin, user, bot, blocked]],
    ['last_activity_before=2020-02-04', [blocked]],
    ['last_activity_before=2020-02-03', []],
    ['last_activity_after=2020-02-03', [admin, user, external, bot]],
  ])('by %s for administrators, while others get everybody', async (query, wanted) => {
    expect(idsOf((await asAdmin.get(`/users?${query}`)).body)).toEqual(ids(...wanted));
    expect(idsOf((await api.get(`/users?${query}`)).body)).toEqual(ids(...people));
  });

  it('in the order that administrators ask for; others get the newest first', async () => {
    await set(external.id, { name: 'AAA' });
    const orders = { name: 'asc', username: 'desc', created_at: 'asc', updated_at: 'desc', id: 'asc' } as const;
    const rows = await world.db.user.findMany({ where: { ghost: false } });
    const columns = { name: 'name', username: 'username', created_at: 'createdAt', updated_at: 'updatedAt', id: 'id' };
    for (const [by, sort] of Object.entries(orders)) {
      const column = columns[by as keyof typeof columns] as 'name';
      const sorted = rows.toSorted((a, b) => (a[column] === b[column] ? a.id - b.id : a[column] < b[column] ? -1 : 1));
      const wanted = (sort === 'asc' ? sorted : sorted.reverse()).map(({ id }) => id);
      const query = `/users?order_by=${by}&sort=${sort}`;
      expect([by, idsOf((await asAdmin.get(query)).body)]).toEqual([by, wanted]);
      expect(idsOf((await api.get(query)).body)).toEqual(ids(...people));
    }
    expect(await asAdmin.get('/users?order_by=email')).toMatchObject({ status: 400 });
  });

  it('page by page behind the last user on request', async () => {
    const seen: number[] = [];
    let next: string | undefined = '/users?pagination=keyset&order_by=username&sort=asc&per_page=2';
    while (next) {
      const { body, headers } = await asAdmin.get(next);
      expect(headers['x-page']).toBeUndefined();
      seen.push(...idsOf(body));
      next = String(headers.link ?? '').match(/<[^>]*\/api\/v4([^>]+)>; rel="next"/)?.[1];
    }
    expect(seen).toEqual(idsOf((await asAdmin.get('/users?order_by=username&sort=asc')).body));
  });

  it('by the same filters in GraphQL', async () => {
    const query = '{ users(filter: { twoFactor: ENABLED }, orderBy: NAME, sort: ASC) { nodes { databaseId } } }';
    const { body } = await world.graphql(query, {}, admin);
    expect(body.data.users.nodes).toEqual([{ databaseId: user.id }]);
  });
});

const fresh = (more: object = {}) => {
  const username = world.unique('fresh');
  return { username, email: `${username}@example.org`, name: `Fresh ${username}`, password: PASSWORD, ...more };
};

describe('An administrator', () => {
  const given = {
    pronouns: 'they/them',
    job_title: 'Baker',
    organization: 'Bakery',
    discord: '1234',
    github: 'octo',
    private_profile: true,
    note: 'Pays in bread',
    theme_id: 3,
    color_scheme_id: 2,
  };

  it('gives an account everything that its record shows, and sees who made it', async () => {
    const { status, body } = await asAdmin.post('/users', fresh(given));
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        ...given,
        work_information: 'Baker at Bakery',
        bot: false,
        commit_email: body.email,
        created_by: expect.objectContaining({ id: admin.id, username: admin.username }),
        current_sign_in_ip: null,
        last_sign_in_ip: null,
      }),
    ]);
    const namespace = await world.db.namespace.findFirstOrThrow({ where: { ownerId: body.id } });
    expect(body.namespace_id).toBe(namespace.id);
    const changed = { pronouns: '', job_title: '', note: '', private_profile: false, theme_id: 4 };
    expect((await asAdmin.put(`/users/${body.id}`, changed)).body).toMatchObject({
      job_title: '',
      private_profile: false,
      theme_id: 4,
      color_scheme_id: 2,
      work_information: 'Bakery',
    });
    const file = { view_diffs_file_by_file: true };
    expect((await asAdmin.put(`/users/${body.id}`, file)).status).toBe(200);
    expect(await world.db.user.findUnique({ where: { id: body.id } })).toMatchObject({ viewDiffsFileByFile: true });
  });

  it('is told which values are not possible', async () => {
    const wrong = { theme_id: 12, color_scheme_id: 0, job_title: 'x'.repeat(256), note: 'x'.repeat(10_001) };
    const { status, body } = await asAdmin.post('/users', fresh(wrong));
    expect([status, Object.keys(body.message).sort()]).toEqual([
      400,
      ['color_scheme_id', 'job_title', 'note', 'theme_id'],
    ]);
    expect(await asAdmin.post('/users', fresh({ commit_email: 'else@example.org' }))).toMatchObject({
      status: 400,
      body: { message: { commit_email: ['is not an email you own'] } },
    });
    expect(await asAdmin.post('/users', { ...fresh(), password: undefined })).toMatchObject({ status: 400 });
  });

  it('gives a password that nobody knows by force_random_password', async () => {
    const account = fresh({ force_random_password: true });
    const { status, body } = await asAdmin.post('/users', account);
    expect(status).toBe(201);
    const session = { login: body.username, password: account.password };
    expect((await world.api().post('/session', session)).status).toBe(401);
    expect(
      (await asAdmin.post('/users', { ...fresh(), password: undefined, force_random_password: true })).status,
    ).toBe(201);
  });

  it('gives a picture with the account or later, and takes it away', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const form = (values: Record<string, string>, file: File | string) => {
      const made = new FormData();
      for (const [name, value] of Object.entries(values)) made.append(name, value);
      made.append('avatar', file);
      return made;
    };
    const made = await sendForm(world, '/api/v4/users', form(fresh() as never, new File([png], 'a.png')), admin);
    expect([made.status, made.body.avatar_url]).toEqual([
      201,
      expect.stringContaining('/uploads/-/system/user/avatar/'),
    ]);
    const put = (file: File | string) => sendForm(world, `/api/v4/users/${made.body.id}`, form({}, file), admin, 'PUT');
    expect((await put('')).body.avatar_url ?? '').not.toContain('/uploads/');
    expect((await put(new File([png], 'b.png'))).body.avatar_url).toContain('/uploads/');
  });

  it('alone sees notes, addresses of sign-ins and their number', async () => {
    const person = await world.user();
    await set(person.id, { note: 'Owes bread' });
    await world.api().post('/session', { login: person.username, password: PASSWORD });
    const { body } = await asAdmin.get(`/users/${person.id}`);
    expect(body).toMatchObject({ note: 'Owes bread', sign_in_count: 1, current_sign_in_ip: expect.any(String) });
    const own = (await world.api(person).get('/user')).body;
    for (const key of ['note', 'created_by', 'current_sign_in_ip', 'sign_in_count'])
      expect(own).not.toHaveProperty(key);
    const query = `query ($id: ID!) { user(id: $id) { note signInCount currentSignInIp lastSignInIp createdBy { id } commitEmail } }`;
    const hidden = { note: null, signInCount: null, currentSignInIp: null, lastSignInIp: null, createdBy: null };
    const id = String(person.id);
    expect((await world.graphql(query, { id }, person)).body.data.user).toMatchObject(hidden);
    expect((await world.graphql(query, { id }, user)).body.data.user).toEqual({ ...hidden, commitEmail: null });
  });
});

describe('What new users are', () => {
  it('is what the settings say where the administrator does not', async () => {
    await asAdmin.put('/application/settings', { user_default_external: true, can_create_group: false });
    expect((await asAdmin.post('/users', fresh())).body).toMatchObject({ external: true, can_create_group: false });
    const explicit = { external: false, can_create_group: true };
    expect((await asAdmin.post('/users', fresh(explicit))).body).toMatchObject(explicit);
    await asAdmin.put('/application/settings', { user_default_external: false });
    expect((await asAdmin.post('/users', fresh())).body).toMatchObject({ external: false, can_create_group: false });
    await asAdmin.put('/application/settings', { can_create_group: true });
    expect((await asAdmin.post('/users', fresh())).body).toMatchObject({ external: false, can_create_group: true });
  });
});

describe('The address for commits', () => {
  it('is that of commits over the API, until it is no longer the user’s', async () => {
    const author = await world.user();
    const project = await world.project({ owner: author });
    const own = await world.db.email.create({
      data: { userId: author.id, email: 'commits@example.org', confirmedAt: new Date() },
    });
    await world.db.email.create({ data: { userId: author.id, email: 'unproved@example.org' } });
    const choose = (commit_email: string) => asAdmin.put(`/users/${author.id}`, { commit_email });
    expect((await choose('Commits@example.org')).body.commit_email).toBe('commits@example.org');
    expect((await choose('unproved@example.org')).status).toBe(404);
    const commit = async (name: string) => {
      const actions = [{ action: 'create', file_path: name, content: name }];
      const sent = { branch: 'master', commit_message: name, actions };
      return (await world.api(author).post(`/projects/${project.id}/repository/commits`, sent)).body;
    };
    expect(await commit('one')).toMatchObject({
      author_email: 'commits@example.org',
      committer_email: 'commits@example.org',
    });
    await world.db.email.delete({ where: { id: own.id } });
    expect(await commit('two')).toMatchObject({ author_email: `${author.username}@example.org` });
  });
});

describe('A private profile', () => {
  it('hides what the user does and says from all but the user and administrators', async () => {
    const hidden = await world.user();
    const project = await world.project({ owner: hidden, visibility: 'public' });
    const apiOf = world.api(hidden);
    await apiOf.post(`/projects/${project.id}/issues`, { title: 'Seen' });
    await apiOf.post(`/projects/${project.id}/star`);
    await apiOf.post(`/projects/${shared.id}/star`);
    await api.post(`/projects/${project.id}/star`);
    await world.graphql(
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { privateProfile } } }',
      { input: { bio: 'Bakes', jobTitle: 'Baker', privateProfile: true } },
      hidden,
    );
    const lists = ['events', 'projects', 'starred_projects', 'contributed_projects'];
    const told = async (who: typeof api) => {
      const counts: number[] = [];
      for (const list of lists) {
        const { status, body, headers } = await who.get(`/users/${hidden.id}/${list}`);
        expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
        counts.push(body.length);
      }
      const starrers = await who.get(`/projects/${project.id}/starrers`);
      counts.push(starrers.body.length);
      return counts;
    };
    const days = async (who: typeof user) => {
      const query = `query ($id: ID!) { user(id: $id) { contributions { count } groups { totalCount } bio jobTitle } }`;
      return (await world.graphql(query, { id: String(hidden.id) }, who)).body.data.user;
    };
    expect(await told(api)).toEqual([0, 0, 0, 0, 1]);
    for (const who of [apiOf, asAdmin]) expect(await told(who)).toEqual([expect.any(Number), 1, 2, 1, 2]);
    expect((await apiOf.get(`/users/${hidden.id}/events`)).body.length).toBeGreaterThan(0);
    expect(await days(user)).toMatchObject({ contributions: [], bio: null, jobTitle: '' });
    expect(await days(hidden)).toMatchObject({ contributions: [expect.anything()], bio: 'Bakes', jobTitle: 'Baker' });
    expect((await api.get(`/users/${hidden.id}`)).body).toMatchObject({ bio: null, job_title: '', organization: null });
    expect((await asAdmin.get(`/users/${hidden.id}`)).body).toMatchObject({ bio: 'Bakes', private_profile: true });
    // What others do in the same place is still there.
    expect((await api.get(`/projects/${project.id}/events`)).body.length).toBeGreaterThan(0);
  });
});

describe('Members', () => {
  it('show who is locked out by wrong passwords, and the address that they let everyone see', async () => {
    const [locked, free] = [await world.user(), await world.user()];
    for (const one of [locked, free]) await world.member(shared, one, 'guest');
    await set(free.id, { publicEmail: 'free@public.example' });
    await world.db.signInFailures.create({
      data: { key: `account #${locked.id}`, count: ACCOUNT_LIMIT, since: new Date() },
    });
    const shown = async (who: { id: number }) => (await api.get(`/projects/${shared.id}/members/${who.id}`)).body;
    expect(await shown(locked)).toMatchObject({ locked: true, public_email: null });
    expect(await shown(free)).toMatchObject({ locked: false, public_email: 'free@public.example' });
    await set(free.id, { privateProfile: true });
    expect(await shown(free)).toMatchObject({ locked: false, public_email: null });
  });
});
