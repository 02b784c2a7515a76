// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { removeBots } from '#src/domain/lifecycle/remove_bots.ts';
import { LONG } from '../support/long.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** people-and-projects.md 4, and its rules 2 and 5: tokens of projects and groups, whose users are bots. */
const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const project = await world.project({ owner, name: 'tokens' });
await world.member(project, master, 'master');
const group = await world.group({ owner });
const inGroup = await world.project({ owner, namespaceId: group.id });
const at = `/projects/${project.id}/access_tokens`;
const ofGroup = `/groups/${group.id}/access_tokens`;
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const make = async (given: object = {}, where = at, who: TestUser = owner) =>
  (await world.api(who).post(where, { name: 'robot', scopes: ['api'], ...given })).body;
const KEYS = [
  ...[
    'id',
    'name',
    'revoked',
    'created_at',
    'description',
    'scopes',
    'user_id',
    'last_used_at',
    'active',
    'expires_at',
  ],
  'access_level',
];

describe('A new access token', () => {
  it('acts as a bot that is a member at that level, until that day', async () => {
    const { status, body } = await world.api(owner).post(at, {
      name: 'Release robot',
      description: 'Publishes',
      scopes: ['api', 'read_repository'],
      access_level: 30,
      expires_at: day(20),
    });
    expect([status, Object.keys(body)]).toEqual([201, [...KEYS, 'token']]);
    expect(body).toMatchObject({
      name: 'Release robot',
      description: 'Publishes',
      access_level: 30,
      expires_at: day(20),
    });
    expect(body.token).toMatch(/^glpat-/);
    const { body: bot } = await world.api(body.token).get('/user');
    expect(bot).toMatchObject({
      id: body.user_id,
      name: 'Release robot',
      can_create_group: false,
      projects_limit: 0,
      external: false,
    });
    expect(bot.username).toMatch(new RegExp(`^project_${project.id}_bot_[0-9a-f]{32}$`));
    expect((await world.api(owner).get(`/projects/${project.id}/members/${bot.id}`)).body).toMatchObject({
      access_level: 30,
      expires_at: day(20),
    });
    expect(await world.api(body.token).post(`/projects/${project.id}/issues`, { title: 'Found' })).toMatchObject({
      status: 201,
      body: { author: { id: bot.id } },
    });
    // Elsewhere it is nobody.
    expect(await world.api(body.token).get(`/projects/${inGroup.id}`)).toMatchObject({ status: 404 });
    expect(await world.api(body.token).delete(`/projects/${project.id}`)).toMatchObject({ status: 403 });
  });

  it('of a group reaches the projects of the group, and is a master unless a level is named', async () => {
    const { token, access_level } = await make({}, ofGroup);
    expect(access_level).toBe(40);
    expect(await world.api(token).get(`/projects/${inGroup.id}`)).toMatchObject({ status: 200 });
    expect(await world.api(token).get(`/projects/${project.id}`)).toMatchObject({ status: 404 });
    expect(await make({ access_level: 50 }, ofGroup)).toMatchObject({ access_level: 50 });
  });

  it('gives no more than its maker has, and is made by no bot', async () => {
    const sub = await world.group({ owner });
    const inSub = await world.project({ owner, namespaceId: sub.id });
    await world.member(inSub, master, 'master');
    const where = `/projects/${inSub.id}/access_tokens`;
    expect(await make({ access_level: 50 }, where, master)).toEqual({
      message: { access_level: ['is not included in the list'] },
    });
    const bot = await make({ access_level: 40 }, where, master);
    const before = await world.db.user.count();
    expect(await world.api(bot.token).post(where, { name: 'more', scopes: ['api'] })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - User does not have permission to create project access token' },
    });
    const developer = await world.user();
    await world.member(inSub, developer, 'developer');
    expect(await world.api(developer).post(where, { name: 'more', scopes: ['api'], access_level: 10 })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - User does not have permission to create project access token' },
    });
    expect(await world.db.user.count()).toBe(before + 1);
  });

  it('names what is wrong, and leaves no bot behind', async () => {
    const before = await world.db.user.count();
    for (const [given, body] of [
      [{ scopes: ['api'] }, { error: 'name is missing' }],
      [{ name: 'x' }, { error: 'scopes is missing' }],
      [{ name: ' ', scopes: ['api'] }, { message: { name: ["can't be blank"] } }],
      [{ name: 'x', scopes: ['sudo'] }, { message: { scopes: ['can only contain API scopes'] } }],
      [{ name: 'x', scopes: ['read_user'] }, { message: { scopes: ['can only contain API scopes'] } }],
      [
        { name: 'x', scopes: ['api'], access_level: 15 },
        { message: { access_level: ['is not included in the list'] } },
      ],
      [{ name: 'x', scopes: ['api'], expires_at: day(-1) }, { message: { expires_at: ['must be in the future'] } }],
    ]) {
      expect(await world.api(owner).post(at, given)).toMatchObject({ status: 400, body });
    }
    expect(await world.db.user.count()).toBe(before);
  });
});

describe('The tokens of a project', () => {
  it('are listed for its masters, with filters, and not those of others', async () => {
    const other = await world.project({ owner });
    const list = `/projects/${other.id}/access_tokens`;
    const [first, second] = [await make({ name: 'first' }, list), await make({ name: 'second' }, list)];
    await world.api(owner).delete(`${list}/${first.id}`);
    const ids = async (query = '') =>
      (await world.api(owner).get(`${list}${query}`)).body.map(({ id }: { id: number }) => id);
    expect(await ids()).toEqual([first.id, second.id]);
    expect(await ids('?state=active')).toEqual([second.id]);
    expect(await ids('?state=inactive')).toEqual([first.id]);
    expect(await ids('?search=FIRST')).toEqual([first.id]);
    expect(await ids('?sort=name_desc')).toEqual([second.id, first.id]);
    const { headers, body } = await world.api(owner).get(`${list}?per_page=1`);
    expect([headers['x-total'], Object.keys(body[0])]).toEqual(['2', KEYS]);
    const reporter = await world.user();
    await world.member(other, reporter, 'reporter');
    for (const path of [list, `${list}/${second.id}`]) {
      expect(await world.api(reporter).get(path)).toMatchObject({ status: 401 });
    }
    expect(await world.api(owner).get(`${list}/999999`)).toMatchObject({
      status: 404,
      body: { message: '404 Access Token Not Found' },
    });
    expect(await world.api(owner).get(`${at}/${second.id}`)).toMatchObject({ status: 404 });
    expect(await world.api(owner).get(`/personal_access_tokens/${second.id}`)).toMatchObject({ status: 401 });
  });

  it('stop working when they are revoked; the bot stays, without any right', async () => {
    const { id, token, user_id } = await make();
    expect(await world.api(owner).delete(`${at}/${id}`)).toMatchObject({ status: 204, body: null });
    expect(await world.api(token).get('/user')).toMatchObject({ status: 401 });
    expect(await world.db.user.count({ where: { id: user_id, bot: true } })).toBe(1);
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const { id: kept } = await make();
    const refused = await world.api(developer).delete(`${at}/${kept}`);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(developer.username)]);
  });
});

describe('Rotation of an access token', () => {
  it('makes a new one for the same bot, whose membership lasts as long', async () => {
    const old = await make({ access_level: 20, expires_at: day(3) });
    const { status, body } = await world.api(owner).post(`${at}/${old.id}/rotate`, { expires_at: day(60) });
    expect([status, Object.keys(body)]).toEqual([200, [...KEYS, 'token']]);
    expect(body).toMatchObject({ name: 'robot', user_id: old.user_id, access_level: 20, expires_at: day(60) });
    expect((await world.api(owner).get(`/projects/${project.id}/members/${old.user_id}`)).body.expires_at).toBe(
      day(60),
    );
    expect(await world.api(old.token).get('/user')).toMatchObject({ status: 401 });
    expect(await world.api(body.token).get(`/projects/${project.id}`)).toMatchObject({ status: 200 });
  });

  it('is done by itself only through self, with the scope self_rotate', async () => {
    const { token, id } = await make({ scopes: ['self_rotate'], access_level: 10 });
    expect((await world.api(token).get(`${at}/self`)).body).toMatchObject({ id, access_level: 10 });
    expect(await world.api(token).get(`${ofGroup}/self`)).toMatchObject({ status: 404 });
    expect(await world.api(token).get(`/projects/${project.id}`)).toMatchObject({ status: 403 });
    const { body } = await world.api(token).post(`${at}/self/rotate`, {});
    expect(body).toMatchObject({ access_level: 10, expires_at: day(7) });
    expect(await world.api(body.token).get(`${at}/self`)).toMatchObject({ status: 200 });
    // Again with the old one: both end.
    expect(await world.api(token).post(`${at}/self/rotate`, {})).toMatchObject({ status: 401 });
    expect(await world.api(body.token).get(`${at}/self`)).toMatchObject({ status: 401 });
    const full = await make();
    const other = await make();
    expect(await world.api(full.token).post(`${at}/${other.id}/rotate`, {})).toMatchObject({ status: 400 });
    const reader = await make({ scopes: ['read_api'] });
    expect(await world.api(reader.token).post(`${at}/self/rotate`, {})).toMatchObject({ status: 403 });
    expect(await world.api(owner).post(`${at}/self/rotate`, {})).toMatchObject({ status: 405 });
  });

  it('is refused for a token with a higher level than one has', LONG, async () => {
    const here = await world.group({ owner });
    const where = `/groups/${here.id}/access_tokens`;
    const { id } = await make({ access_level: 50 }, where);
    await world.member(here, master, 'master');
    expect(await world.api(master).post(`${where}/${id}/rotate`, {})).toMatchObject({ status: 401 });
  });
});

describe('Bots', () => {
  it('cannot sign in, join elsewhere, or make groups and projects of their own', async () => {
    const { token, user_id } = await make({ access_level: 40 });
    const bot = await world.db.user.findUniqueOrThrow({ where: { id: user_id } });
    expect(await world.api().post('/session', { login: bot.username, password: 'whatever' })).toMatchObject({
      status: 401,
    });
    const elsewhere = await world.project({ owner });
    expect(
      await world.api(owner).post(`/projects/${elsewhere.id}/members`, { user_id, access_level: 30 }),
    ).toMatchObject({ status: 400 });
    expect(await world.api(token).post('/groups', { name: 'bots', path: 'bots' })).toMatchObject({ status: 403 });
    expect((await world.api(token).post('/projects', { name: 'own' })).status).toBeGreaterThanOrEqual(400);
  });

  it('make no credentials that would outlive their token', async () => {
    const { token, user_id } = await make({ access_level: 40 });
    const bot = { ...owner, token };
    const before = await world.db.personalAccessToken.count();
    const tries = [
      'createPersonalAccessToken(input: {name: "x", scopes: [API]})',
      `createSshKey(input: {title: "x", key: "${newKey()}"})`,
      'registerOAuthApplication(input: {name: "x", redirectUris: ["https://x.example/"]})',
      'createEmail(input: {email: "bot@example.org"})',
      'setUpTwoFactor(input: {})',
    ];
    for (const mutation of tries) {
      const { body } = await world.graphql(`mutation { ${mutation} { __typename } }`, {}, bot);
      expect([mutation, body.errors?.[0].extensions.code]).toEqual([mutation, 'FORBIDDEN']);
    }
    const overRest = await world
      .api(token)
      .post('/user/personal_access_tokens', { name: 'x', scopes: ['self_rotate'] });
    expect(overRest.status).toBe(403);
    expect(await world.db.personalAccessToken.count()).toBe(before);
    expect(await world.db.sshKey.count({ where: { userId: user_id } })).toBe(0);
  });

  it('get neither todos nor mail', async () => {
    const { user_id } = await make({ access_level: 30 });
    const issue = await world
      .api(owner)
      .post(`/projects/${project.id}/issues`, { title: 'x', assignee_ids: [user_id] });
    expect(issue).toMatchObject({ status: 201, body: { assignees: [{ id: user_id }] } });
    expect(await world.db.todo.count({ where: { userId: user_id } })).toBe(0);
  });

  it('are removed 30 days after their last token, and with their project; what they wrote stays', async () => {
    const here = await world.project({ owner });
    const where = `/projects/${here.id}/access_tokens`;
    const [old, recent, live] = [await make({}, where), await make({}, where), await make({}, where)];
    const { body: issue } = await world.api(old.token).post(`/projects/${here.id}/issues`, { title: 'Kept' });
    for (const { id } of [old, recent]) await world.api(owner).delete(`${where}/${id}`);
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    await world.db.personalAccessToken.update({
      where: { id: old.id },
      data: { createdAt: longAgo, lastUsedAt: longAgo },
    });
    await removeBots(world.as(owner));
    const left = async () =>
      (await world.db.user.findMany({ where: { id: { in: [old, recent, live].map((one) => one.user_id) } } })).map(
        ({ id }) => id,
      );
    expect((await left()).toSorted()).toEqual([recent.user_id, live.user_id].toSorted());
    expect((await world.api(owner).get(`/projects/${here.id}/issues/${issue.iid}`)).body.author.username).toMatch(
      /^ghost/,
    );
    await world.api(owner).delete(`/projects/${here.id}`);
    await world.idle();
    expect(await world.api(live.token).get('/user')).toMatchObject({ status: 401 });
    await removeBots(world.as(owner));
    expect(await left()).toEqual([]);
  });
});
