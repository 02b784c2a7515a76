import { describe, expect, it } from 'vitest';
import { blockFromCommandLine, unblockFromCommandLine } from '#src/domain/users/block.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const asAdmin = world.api(admin);
const refused = { status: 401, body: { message: '401 Unauthorized' } };
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const noUser = { status: 404, body: { message: '404 User Not Found' } };
const fresh = (more: object = {}) => {
  const username = world.unique('fresh');
  return { username, email: `${username}@example.org`, name: `Fresh ${username}`, password: PASSWORD, ...more };
};
const FULL =
  'avatar_url bio bot can_create_group can_create_project color_scheme_id commit_email confirmed_at created_at created_by current_sign_in_at current_sign_in_ip discord email external followers following github id identities is_admin is_followed job_title last_activity_on last_sign_in_at last_sign_in_ip linkedin local_time location name namespace_id note organization preferred_language private_profile projects_limit pronouns public_email scim_identities skype state theme_id twitter two_factor_enabled username web_url website_url work_information';
const stored = (id: number) => world.db.user.findUniqueOrThrow({ where: { id } });

it('A website is a URL of the web, over both APIs', async () => {
  const asAdmin = world.api(admin);
  const user = await world.user();
  for (const website_url of ['javascript:alert(1)', 'ftp://a.example', 'a.example', 'https://', ' https://a.example']) {
    const { status, body } = await asAdmin.put(`/users/${user.id}`, { website_url });
    expect([website_url, status, JSON.stringify(body)]).toEqual([website_url, 404, expect.anything()]);
    const update = 'mutation ($url: String) { updateProfile(input: {websiteUrl: $url}) { user { websiteUrl } } }';
    const { errors } = (await world.graphql(update, { url: website_url }, user)).body;
    expect(errors[0].extensions.fields).toEqual({
      'input.websiteUrl': ['must be a URL that begins with http:// or https://'],
    });
  }
  expect((await asAdmin.put(`/users/${user.id}`, { website_url: 'https://a.example/~a' })).body.website_url).toBe(
    'https://a.example/~a',
  );
  expect((await asAdmin.put(`/users/${user.id}`, { website_url: '' })).body.website_url).toBe('');
});

describe('POST /users', () => {
  it('creates a confirmed user who can sign in, with a personal namespace', async () => {
    const given = fresh({
      email: ' Mixed.Case@Example.ORG ',
      bio: 'bio',
      location: 'there',
      skype: 's',
      linkedin: 'l',
      twitter: 't',
      website_url: 'https://example.org',
      organization: 'o',
      projects_limit: 7,
      admin: true,
      can_create_group: false,
      provider: 'directory',
      extern_uid: 'uid=1',
      skip_confirmation: 'yes',
      confirm: false,
    });
    const { status, body } = await asAdmin.post('/users', given);
    expect([status, Object.keys(body).sort().join(' ')]).toEqual([201, FULL]);
    const {
      password: _,
      skip_confirmation: __,
      confirm: ___,
      admin: is_admin,
      provider,
      extern_uid,
      ...rest
    } = given as Record<string, unknown>;
    expect(body).toMatchObject({
      ...rest,
      email: 'mixed.case@example.org',
      is_admin,
      identities: [{ provider, extern_uid }],
      state: 'active',
      external: false,
      confirmed_at: expect.any(String),
    });
    expect(await world.db.namespace.findFirst({ where: { ownerId: body.id } })).toMatchObject({
      kind: 'user',
      path: given.username,
      fullPath: given.username,
      fullName: given.name,
    });
    expect(await world.api().post('/session', { login: given.username, password: PASSWORD })).toMatchObject({
      status: 201,
    });
  });

  it('has defaults', async () => {
    await world.db.applicationSettings.update({ where: { id: 1 }, data: { defaultProjectsLimit: 42 } });
    forgetSettings(world.db);
    expect((await asAdmin.post('/users', fresh())).body).toMatchObject({
      projects_limit: 42,
      is_admin: false,
      can_create_group: true,
      external: false,
      bio: null,
      skype: '',
    });
    expect((await asAdmin.post('/users', fresh({ external: true, projects_limit: 5 }))).body).toMatchObject({
      external: true,
      projects_limit: 0,
      can_create_group: false,
    });
  });

  it('names all that is missing, to everybody who is signed in', async () => {
    const error =
      'email is missing, username is missing, name is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided';
    for (const who of [admin, user]) {
      const { status, body } = await world.api(who).post('/users', {});
      expect([status, body]).toEqual([400, { error }]);
    }
    expect(await world.api().post('/users', {})).toMatchObject(refused);
  });

  it('takes provider and extern_uid together or not at all', async () => {
    for (const half of [{ provider: 'x' }, { extern_uid: 'y' }]) {
      expect(await asAdmin.post('/users', fresh(half))).toMatchObject({
        status: 400,
        body: { error: 'extern_uid, provider provide all or none of parameters' },
      });
    }
    expect(await asAdmin.post('/users', fresh({ provider: '', extern_uid: '' }))).toMatchObject({ status: 201 });
    await asAdmin.post('/users', fresh({ provider: 'p', extern_uid: 'same' }));
    expect(await asAdmin.post('/users', fresh({ provider: 'p', extern_uid: 'same' }))).toMatchObject({
      status: 400,
      body: { message: { extern_uid: ['has already been taken'] } },
    });
  });

  it.each([
    [{ email: 'nonsense' }, { email: ['is invalid'] }],
    [{ email: '' }, { email: ['is invalid'] }],
    [{ name: ' ' }, { name: ["can't be blank"] }],
    [{ name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
    [{ username: '' }, { username: ["can't be blank"] }],
    [{ username: 'admin' }, { username: ['admin is a reserved name'] }],
    [
      { username: 'has space' },
      {
        username: [
          "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
        ],
      },
    ],
    [{ password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
    [{ password: 'x'.repeat(129) }, { password: ['is too long (maximum is 128 characters)'] }],
    [{ password: undefined, reset_password: false }, { password: ["can't be blank"] }],
    [{ bio: 'x'.repeat(256) }, { bio: ['is too long (maximum is 255 characters)'] }],
    [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
  ])('refuses %j', async (given, message) => {
    const before = await world.db.user.count();
    const { status, body } = await asAdmin.post('/users', fresh(given));
    expect([status, body]).toEqual([400, { message }]);
    expect(await world.db.user.count()).toBe(before);
  });

  it('refuses wrong types', async () => {
    const given = fresh({ projects_limit: 'many', admin: 'perhaps', external: [] });
    expect(await asAdmin.post('/users', given)).toMatchObject({
      status: 400,
      body: { error: 'admin is invalid, external is invalid, projects_limit is invalid' },
    });
  });

  it('is 409 for an address or a name that is taken, the address first, whatever the case', async () => {
    const taken = fresh();
    await asAdmin.post('/users', taken);
    const conflict = async (given: object, message: string) =>
      expect(await asAdmin.post('/users', fresh(given))).toMatchObject({ status: 409, body: { message } });
    const [email, username] = [taken.email.toUpperCase(), taken.username.toUpperCase()];
    await conflict({ email, username }, 'Email has already been taken');
    await conflict({ username }, 'Username has already been taken');
    const group = await world.group({ owner: user });
    await conflict({ username: group.path.toUpperCase() }, 'Username has already been taken');
    const second = await world.api(user).post('/user/emails', { email: 'second.address@example.org' });
    await conflict({ email: second.body.email }, 'Email has already been taken');
  });

  it('lets one of many win who want the same name or address at once', LONG, async () => {
    const [one, two] = [fresh(), fresh()];
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => asAdmin.post('/users', one)),
      ...Array.from({ length: 4 }, () => asAdmin.post('/users', { ...two, email: one.email })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const names = Array.from({ length: 4 }, () => asAdmin.post('/users', { ...fresh(), username: 'same-name' }));
    expect((await Promise.all(names)).map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await world.db.namespace.count({ where: { path: 'same-name' } })).toBe(1);
  });

  it('resets the password where that is asked for: nobody knows it, and it must be renewed', async () => {
    const given = fresh({ reset_password: true });
    const { status, body } = await asAdmin.post('/users', given);
    expect(status).toBe(201);
    expect((await stored(body.id)).passwordExpiresAt).not.toBeNull();
    expect(await world.api().post('/session', { login: given.username, password: PASSWORD })).toMatchObject(refused);
    expect(await asAdmin.post('/users', fresh({ password: undefined, reset_password: true }))).toMatchObject({
      status: 201,
    });
  });

  it('takes over a name that redirected to somebody else', LONG, async () => {
    const mover = await world.user();
    const project = await world.project({ owner: mover });
    await asAdmin.put(`/users/${mover.id}`, { username: world.unique('moved') });
    const { status, body } = await asAdmin.post('/users', fresh({ username: mover.username }));
    expect(status).toBe(201);
    const old = `/projects/${encodeURIComponent(`${mover.username}/${project.path}`)}`;
    expect(await world.api(mover).get(old)).toMatchObject({ status: 301 });
    // The path of the project is taken with a project only.
    const given = { name: project.name, path: project.path, visibility: 'public' };
    const taken = await asAdmin.post(`/projects/user/${body.id}`, given);
    expect(await world.api(mover).get(old)).toMatchObject({ status: 200, body: { id: taken.body.id } });
  });

  it('is for administrators', async () => {
    const before = await world.db.user.count();
    expect(await world.api(user).post('/users', fresh())).toMatchObject(forbidden);
    expect(await world.api(await world.token(admin, ['read_user'])).post('/users', fresh())).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
    expect(await world.db.user.count()).toBe(before);
  });

  it('takes names of all scripts', async () => {
    const name = 'Zoë 李 🦊 O’Brien';
    expect(await asAdmin.post('/users', fresh({ name }))).toMatchObject({ status: 201, body: { name } });
  });
});

describe('PUT /users/:id', () => {
  it('changes what is given and leaves the rest alone', async () => {
    const { body: before } = await asAdmin.post('/users', fresh({ bio: 'old', location: 'here' }));
    const { status, body } = await asAdmin.put(`/users/${before.id}`, {
      name: 'New Name',
      email: 'New.Address@example.org',
      bio: null,
      twitter: 'bird',
      admin: true,
      can_create_group: false,
      projects_limit: 3,
      provider: 'p1',
      extern_uid: 'u1',
    });
    expect([status, Object.keys(body).sort().join(' ')]).toEqual([200, FULL]);
    expect(body).toEqual({
      ...before,
      name: 'New Name',
      email: 'new.address@example.org',
      commit_email: 'new.address@example.org',
      avatar_url: expect.any(String),
      bio: null,
      twitter: 'bird',
      is_admin: true,
      can_create_group: false,
      projects_limit: 3,
      identities: [{ provider: 'p1', extern_uid: 'u1' }],
    });
    const foreign = await asAdmin.put(`/users/${user.id}`, { provider: 'p1', extern_uid: 'u1' });
    expect([foreign.status, foreign.body]).toEqual([404, { message: { extern_uid: ['has already been taken'] } }]);
    const again = await asAdmin.put(`/users/${before.id}`, { provider: 'p1', extern_uid: 'u2' });
    expect(again.body.identities).toEqual([{ provider: 'p1', extern_uid: 'u2' }]);
    expect(await world.db.namespace.findFirst({ where: { ownerId: before.id } })).toMatchObject({
      fullName: 'New Name',
    });
  });

  it('needs something to change', async () => {
    const { status, body } = await asAdmin.put(`/users/${user.id}`, {});
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^email, username, .* are missing, at least one/),
    ]);
    expect(await asAdmin.put(`/users/${user.id}`, { admin: 'perhaps' })).toMatchObject({
      status: 400,
      body: { error: 'admin is invalid' },
    });
    expect(await asAdmin.put('/users/abc', { name: 'x' })).toMatchObject({
      status: 404,
      body: { error: '404 Not Found' },
    });
  });

  it('is 404 whatever is wrong with the values', async () => {
    const other = await world.user();
    const target = await world.user();
    const before = await stored(target.id);
    const cases: [object, unknown][] = [
      [{ email: `${other.username}@example.org` }, 'Email has already been taken'],
      [{ username: other.username.toUpperCase() }, 'Username has already been taken'],
      [{ email: 'nonsense' }, { email: ['is invalid'] }],
      [{ email: null }, { email: ['is invalid'] }],
      [{ name: '' }, { name: ["can't be blank"] }],
      [{ username: null }, { username: ["can't be blank"] }],
      [{ password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
      [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
      [{ name: 'fine', username: 'groups' }, { username: ['groups is a reserved name'] }],
    ];
    for (const [given, message] of cases) {
      const answer = await asAdmin.put(`/users/${target.id}`, given);
      expect([given, answer.status, answer.body]).toEqual([given, 404, { message }]);
    }
    expect(await asAdmin.put('/users/999999', { name: 'x' })).toMatchObject(noUser);
    expect(await stored(target.id)).toEqual(before);
  });

  it(
    'moves the personal namespace along with the username; what had the old addresses is found there',
    LONG,
    async () => {
      const owner = await world.user();
      const project = await world.project({ owner });
      const username = world.unique('renamed');
      expect(await asAdmin.put(`/users/${owner.id}`, { username })).toMatchObject({ status: 200, body: { username } });
      const old = await world.api(owner).get(`/projects/${encodeURIComponent(`${owner.username}/${project.path}`)}`);
      const path = `${username}/${project.path}`;
      expect([old.status, old.headers.location]).toEqual([
        301,
        `${world.url}/api/v4/projects/${encodeURIComponent(path)}`,
      ]);
      expect(await world.api(owner).get(`/projects/${encodeURIComponent(path)}`)).toMatchObject({
        status: 200,
        body: { path_with_namespace: path, name_with_namespace: `Name of ${owner.username} / ${project.name}` },
      });
      const back = await asAdmin.put(`/users/${owner.id}`, { username: owner.username });
      expect([back.status, (await world.api(owner).get(`/projects/${project.id}`)).body.path_with_namespace]).toEqual([
        200,
        `${owner.username}/${project.path}`,
      ]);
    },
  );

  it('changes the case of a name alone', async () => {
    const owner = await world.user();
    const username = owner.username.toUpperCase();
    expect(await asAdmin.put(`/users/${owner.id}`, { username })).toMatchObject({ status: 200, body: { username } });
    expect(await world.db.namespace.findFirst({ where: { ownerId: owner.id } })).toMatchObject({ fullPath: username });
    expect(await world.db.pathRedirect.count({ where: { path: { in: [username, owner.username] } } })).toBe(0);
  });

  it('refuses a name that a group has', async () => {
    const group = await world.group({ owner: user });
    expect(await asAdmin.put(`/users/${user.id}`, { username: group.path })).toMatchObject({
      status: 404,
      body: { message: 'Username has already been taken' },
    });
  });

  it('lets one of two win who become the same', async () => {
    const [a, b] = [await world.user(), await world.user()];
    const username = world.unique('wanted');
    const answers = await Promise.all([a, b].map(({ id }) => asAdmin.put(`/users/${id}`, { username })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const namespaces = await world.db.namespace.findMany({ where: { path: username }, include: { owner: true } });
    expect(namespaces.map(({ owner }) => owner?.username)).toEqual([username]);
  });

  it('takes projects and groups from whom it makes external', async () => {
    const target = await world.user();
    expect((await asAdmin.put(`/users/${target.id}`, { external: true, can_create_group: true })).body).toMatchObject({
      external: true,
      can_create_group: false,
      projects_limit: 0,
    });
  });

  it('is for administrators', async () => {
    const before = await stored(user.id);
    expect(await world.api(user).put(`/users/${user.id}`, { admin: true })).toMatchObject(forbidden);
    expect(await world.api().put(`/users/${user.id}`, { admin: true })).toMatchObject(refused);
    expect(await stored(user.id)).toEqual(before);
  });
});

describe('Blocking', () => {
  it('locks a user out at once, and unblocking lets in again; both say whether that is new', async () => {
    const target = await world.user();
    const at = `/users/${target.id}`;
    expect(await asAdmin.post(`${at}/block`)).toMatchObject({ status: 201, body: true });
    expect(await world.api(target).get('/user')).toMatchObject(refused);
    expect(await world.api().post('/session', { login: target.username, password: PASSWORD })).toMatchObject(refused);
    expect(await asAdmin.get(at)).toMatchObject({ body: { state: 'blocked' } });
    expect(await asAdmin.post(`${at}/block`)).toMatchObject({ status: 201, body: null });
    expect(await asAdmin.post(`${at}/unblock`)).toMatchObject({ status: 201, body: true });
    expect(await world.api(target).get('/user')).toMatchObject({ status: 200 });
    expect(await asAdmin.post(`${at}/unblock`)).toMatchObject({ status: 201, body: false });
  });

  it('is 403 both ways for users whom directory synchronisation locked out', async () => {
    const target = await world.user();
    await blockFromCommandLine(world.db, { username: target.username.toUpperCase(), directory: true });
    const message = (what: string) => ({
      status: 403,
      body: { message: `403 Forbidden  - LDAP blocked users cannot be ${what} by the API` },
    });
    expect(await asAdmin.post(`/users/${target.id}/block`)).toMatchObject(message('modified'));
    expect(await asAdmin.post(`/users/${target.id}/unblock`)).toMatchObject(message('unblocked'));
    expect((await stored(target.id)).state).toBe('ldap_blocked');
    expect(await world.api(target).get('/user')).toMatchObject(refused);
  });

  it('by directory synchronisation is its own: it neither takes nor lifts a block by others', async () => {
    const target = await world.user();
    const state = async () => (await stored(target.id)).state;
    const { username } = target;
    expect(await blockFromCommandLine(world.db, { username, directory: false })).toBe(true);
    expect(await blockFromCommandLine(world.db, { username, directory: true })).toBe(false);
    expect(await unblockFromCommandLine(world.db, { username, directory: true })).toBe(false);
    expect(await state()).toBe('blocked');
    expect(await unblockFromCommandLine(world.db, { username, directory: false })).toBe(true);
    expect(await blockFromCommandLine(world.db, { username, directory: true })).toBe(true);
    expect(await unblockFromCommandLine(world.db, { username, directory: true })).toBe(true);
    expect(await state()).toBe('active');
    await expect(blockFromCommandLine(world.db, { username: 'nobody', directory: true })).rejects.toThrow(
      'There is no user nobody.',
    );
  });

  it('is for administrators, not of themselves, and needs somebody', async () => {
    const target = await world.user();
    for (const verb of ['block', 'unblock']) {
      expect(await world.api(user).post(`/users/${target.id}/${verb}`)).toMatchObject(forbidden);
      expect(await world.api().post(`/users/${target.id}/${verb}`)).toMatchObject(refused);
      expect(await asAdmin.post(`/users/999999/${verb}`)).toMatchObject(noUser);
      expect(await asAdmin.post(`/users/abc/${verb}`)).toMatchObject({ status: 404 });
    }
    expect(await asAdmin.post(`/users/${admin.id}/block`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - Administrators cannot block themselves' },
    });
    expect([(await stored(target.id)).state, (await stored(admin.id)).state]).toEqual(['active', 'active']);
  });
});

describe('Administration in GraphQL', () => {
  it('takes no NUL, and says so', async () => {
    const create = `mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }`;
    for (const more of [{ username: 'a\0b' }, { name: 'a\0b' }, { email: 'a\0@b.c' }, { bio: '\0' }]) {
      const { body } = await world.graphql(create, { input: fresh(more) }, admin);
      expect(['BAD_REQUEST', 'VALIDATION_FAILED']).toContain(body.errors[0].extensions.code);
    }
  });

  it('creates, changes, blocks and refuses by the same rules', async () => {
    const create = `mutation ($input: CreateUserInput!) { createUser(input: $input) {
      user { databaseId username email identities { provider externUid } } } }`;
    const input = { ...fresh(), provider: 'sso', externUid: '7' };
    expect((await world.graphql(create, { input }, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    const created = (await world.graphql(create, { input }, admin)).body.data.createUser.user;
    expect(created).toMatchObject({ username: input.username, identities: [{ provider: 'sso', externUid: '7' }] });
    expect((await world.graphql(create, { input }, admin)).body.errors[0]).toMatchObject({
      message: 'Email has already been taken',
      extensions: { code: 'CONFLICT' },
    });
    const half = { ...fresh(), provider: 'sso' };
    expect((await world.graphql(create, { input: half }, admin)).body.errors[0].extensions.code).toBe('BAD_REQUEST');
    const { password: _, ...without } = fresh();
    expect((await world.graphql(create, { input: without }, admin)).body.errors[0].extensions.fields).toEqual({
      'input.password': ["can't be blank"],
    });
    const { databaseId } = created;
    const update = `mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { name bio } } }`;
    const changed = await world.graphql(update, { input: { id: databaseId, bio: 'hi' } }, admin);
    expect(changed.body.data.updateUser.user).toEqual({ name: input.name, bio: 'hi' });
    const taken = { input: { id: databaseId, username: user.username } };
    expect((await world.graphql(update, taken, admin)).body.errors[0].extensions.code).toBe('CONFLICT');
    const block = `mutation { blockUser(input: {id: ${databaseId}}) { changed user { state } } }`;
    expect((await world.graphql(block, {}, admin)).body.data.blockUser).toEqual({
      changed: true,
      user: { state: 'BLOCKED' },
    });
    const unblock = block.replace('blockUser', 'unblockUser');
    expect((await world.graphql(unblock, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(unblock, {}, admin)).body.data.unblockUser).toEqual({
      changed: true,
      user: { state: 'ACTIVE' },
    });
  });
});
