import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, developer, reporter] = [await world.user(), await world.user(), await world.user()];
const api = world.api(developer);

/** A project with its members, and the paths of its flags and user lists. */
async function flagged() {
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const at = `/projects/${project.id}`;
  return { project, at, flags: `${at}/feature_flags`, lists: `${at}/feature_flags_user_lists` };
}

const everywhere = { name: 'default', parameters: {}, scopes: [{ environment_scope: '*' }] };
const rollout = { groupId: 'default', rollout: '50', stickiness: 'default' };

describe('Feature flags', () => {
  it('are created with their strategies, and shown alone and in the list by name', async () => {
    const { flags, lists } = await flagged();
    const { body: list } = await api.post(lists, { name: 'Testers', user_xids: 'ada,ben' });
    const strategies = [
      { name: 'gradualRolloutUserId', parameters: { groupId: 'mygroup', percentage: '10' } },
      { name: 'userWithId', parameters: { userIds: 'a,b' }, scopes: [{ environment_scope: 'review/*' }] },
      { name: 'flexibleRollout', parameters: rollout, scopes: [{ environment_scope: 'production' }] },
      { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes: [{ environment_scope: 'staging' }] },
    ];
    const given = { name: 'new_search', version: 'new_version_flag', description: 'Another search', strategies };
    const { status, body } = await api.post(flags, given);
    const id = expect.any(Number);
    expect([status, body]).toEqual([
      201,
      {
        name: 'new_search',
        description: 'Another search',
        active: true,
        version: 'new_version_flag',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        scopes: [],
        strategies: strategies.map(({ name, parameters, scopes = [] }) => ({
          id,
          name,
          parameters,
          scopes: scopes.map((scope) => ({ id, ...scope })),
          user_list: name === 'gitlabUserList' ? { id: list.id, iid: 1, name: 'Testers', user_xids: 'ada,ben' } : null,
        })),
      },
    ]);
    await api.post(flags, { name: 'a-first', active: false });
    expect((await api.get(`${flags}/new_search`)).body).toEqual(body);
    const names = async (query = '') => (await api.get(flags + query)).body.map((one: Json) => one.name);
    expect(await names()).toEqual(['a-first', 'new_search']);
    expect([await names('?scope=enabled'), await names('?scope=disabled')]).toEqual([['new_search'], ['a-first']]);
    expect((await api.get(`${flags}?scope=all`)).status).toBe(400);
    expect((await api.get(`${flags}/other`)).body).toEqual({ message: '404 Not found' });
  });

  it('are changed: strategies and scopes with an ID change or go, others are added, and the rest stays', async () => {
    const { flags } = await flagged();
    const { body: before } = await api.post(flags, {
      name: 'flag',
      strategies: [
        everywhere,
        { name: 'userWithId', parameters: { userIds: '1' }, scopes: [{ environment_scope: 'a' }] },
      ],
    });
    const [first, second] = before.strategies;
    const { status, body } = await api.put(`${flags}/flag`, {
      name: 'renamed',
      active: false,
      strategies: [
        { id: first.id, name: 'flexibleRollout', parameters: rollout },
        {
          id: second.id,
          scopes: [{ id: second.scopes[0].id, environment_scope: 'b' }, { environment_scope: 'c' }],
        },
        { name: 'default', parameters: {}, scopes: [{ environment_scope: 'd' }] },
      ],
    });
    const shown = ({ id, name, parameters, scopes }: Json) => ({
      ...{ id, name, parameters },
      scopes: scopes.map((one: Json) => one.environment_scope),
    });
    expect([status, body.name, body.active, body.strategies.map(shown)]).toEqual([
      200,
      'renamed',
      false,
      [
        { id: first.id, name: 'flexibleRollout', parameters: rollout, scopes: ['*'] },
        { id: second.id, name: 'userWithId', parameters: { userIds: '1' }, scopes: ['b', 'c'] },
        { id: expect.any(Number), name: 'default', parameters: {}, scopes: ['d'] },
      ],
    ]);
    expect(body.strategies[1].scopes[0].id).toBe(second.scopes[0].id);
    const removed = await api.put(`${flags}/renamed`, {
      strategies: [
        { id: first.id, _destroy: true },
        { id: second.id, scopes: [{ id: second.scopes[0].id, _destroy: true }] },
      ],
    });
    expect(removed.body.strategies.map(shown)).toEqual([
      { id: second.id, name: 'userWithId', parameters: { userIds: '1' }, scopes: ['c'] },
      expect.objectContaining({ name: 'default' }),
    ]);
    const gone = await api.delete(`${flags}/renamed`);
    expect([gone.status, gone.body]).toEqual([200, removed.body]);
    expect((await api.get(flags)).body).toEqual([]);
  });

  it.each([
    [{ name: '1st' }, { name: [expect.stringContaining('can contain only lowercase letters')] }],
    [{ name: 'a' }, { name: ['is too short (minimum is 2 characters)'] }],
    [{ name: 'ab-' }, { name: [expect.stringContaining('cannot end with')] }],
    [{ description: 'x'.repeat(256) }, { description: ['is too long (maximum is 255 characters)'] }],
    [{ strategies: [{ name: 'default', parameters: { a: '1' } }] }, { strategies: ['1: parameters must be empty'] }],
    [
      { strategies: [everywhere, { name: 'gradualRolloutUserId', parameters: { percentage: '10' } }] },
      { strategies: ['2: parameters must be groupId, percentage'] },
    ],
    [
      { strategies: [{ name: 'gradualRolloutUserId', parameters: { groupId: 'A', percentage: 10 } }] },
      {
        strategies: [
          '1: groupId must be 1 to 32 lowercase letters',
          '1: percentage must be a string between 0 and 100 inclusive',
        ],
      },
    ],
    [
      { strategies: [{ name: 'flexibleRollout', parameters: { ...rollout, rollout: '101', stickiness: 'no' } }] },
      {
        strategies: [
          '1: rollout must be a string between 0 and 100 inclusive',
          '1: stickiness must be default, userId, sessionId, or random',
        ],
      },
    ],
    [
      { strategies: [{ name: 'userWithId', parameters: { userIds: 'a,a' } }] },
      { strategies: ['1: userIds must be a string of unique comma separated values each 256 characters or less'] },
    ],
    [{ strategies: [{ name: 'gitlabUserList' }] }, { strategies: ["1: user_list can't be blank"] }],
    [
      { strategies: [{ ...everywhere, scopes: [{ environment_scope: 'a' }, { environment_scope: 'a' }] }] },
      { strategies: ['1: environment_scope has already been taken'] },
    ],
    [
      { strategies: [{ ...everywhere, scopes: [{ environment_scope: 'a?' }] }] },
      { strategies: [expect.stringContaining('1: environment_scope can contain only letters')] },
    ],
  ])('400 for %j', async (values, message) => {
    const { project, flags } = await flagged();
    expect(await api.post(flags, { name: 'fine', ...values })).toMatchObject({ status: 400, body: { message } });
    expect(await world.db.featureFlag.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('refuse a name that is taken, an unknown kind or strategy, and what belongs to another flag or project', async () => {
    const { flags } = await flagged();
    const elsewhere = await flagged();
    const { body: one } = await api.post(flags, { name: 'one', strategies: [everywhere] });
    await api.post(flags, { name: 'two' });
    const taken = { status: 400, body: { message: { name: ['has already been taken'] } } };
    expect(await api.post(flags, { name: 'one' })).toMatchObject(taken);
    expect(await api.put(`${flags}/two`, { name: 'one' })).toMatchObject(taken);
    expect((await api.post(flags, { name: 'three', version: 'legacy_flag' })).status).toBe(400);
    expect((await api.post(flags, { name: 'three', strategies: [{ name: 'other', parameters: {} }] })).status).toBe(
      400,
    );
    expect((await api.put(`${flags}/two`, { strategies: [{ id: one.strategies[0].id }] })).status).toBe(404);
    const { body: list } = await api.post(elsewhere.lists, { name: 'Others', user_xids: '1' });
    const foreign = { strategies: [{ name: 'gitlabUserList', user_list_id: list.id }] };
    expect(await api.put(`${flags}/two`, foreign)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await api.get(`${flags}/two`)).body.strategies).toEqual([]);
  });

  it(
    'are for developers, unless they are switched off, and stay as they are in an archived project',
    LONG,
    async () => {
      const { at, flags, lists } = await flagged();
      await api.post(flags, { name: 'flag' });
      const all = async (who: TestUser) =>
        Promise.all([flags, `${flags}/flag`, lists].map(async (path) => (await world.api(who).get(path)).status));
      const outsider = await world.user();
      expect([await all(reporter), await all(outsider)]).toEqual([
        [403, 403, 403],
        [404, 404, 404],
      ]);
      const asOwner = world.api(owner);
      for (const [level, status] of [
        ['private', 200],
        ['disabled', 403],
        ['enabled', 200],
      ] as const) {
        const { body } = await asOwner.put(at, { feature_flags_access_level: level });
        expect([body.feature_flags_access_level, await all(developer)]).toEqual([level, [status, status, status]]);
      }
      await asOwner.post(`${at}/archive`);
      expect(await all(developer)).toEqual([200, 200, 200]);
      expect((await api.put(`${flags}/flag`, { active: false })).status).toBe(403);
      expect((await api.post(lists, { name: 'List', user_xids: '1' })).status).toBe(403);
      expect((await api.get(`${flags}/flag`)).body.active).toBe(true);
    },
  );
});

describe('User lists', () => {
  it('are created, found by their number and name, changed and deleted', async () => {
    const { project, lists } = await flagged();
    const { status, body } = await api.post(lists, { name: 'Testers', user_xids: 'user1,user2' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        iid: 1,
        project_id: project.id,
        name: 'Testers',
        user_xids: 'user1,user2',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    await api.post(lists, { name: 'Friends', user_xids: '' });
    expect((await api.get(`${lists}/1`)).body).toEqual(body);
    expect((await api.get(`${lists}?search=RIEN`)).body.map((one: Json) => one.iid)).toEqual([2]);
    const changed = await api.put(`${lists}/1`, { user_xids: 'user3' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Testers', user_xids: 'user3' } });
    expect((await api.delete(`${lists}/1`)).status).toBe(204);
    expect((await api.get(`${lists}/1`)).body).toEqual({ message: '404 Not found' });
    expect((await api.post(lists, { name: 'Testers', user_xids: 'x' })).body.iid).toBe(3);
  });

  it.each([
    [{ name: ' ' }, { name: ["can't be blank"] }],
    [{ user_xids: 'a,,b' }, { user_xids: [expect.stringContaining('unique comma separated')] }],
    [{ user_xids: 'a, b' }, { user_xids: [expect.stringContaining('unique comma separated')] }],
    [{ user_xids: 'x'.repeat(257) }, { user_xids: [expect.stringContaining('256 characters or less')] }],
    [{ user_xids: `${'x'.repeat(65_536)}y` }, { user_xids: ['is too long (maximum is 65536 characters)'] }],
  ])('400 for %j', async (values, message) => {
    const { lists } = await flagged();
    const given = { name: 'Testers', user_xids: '1', ...values };
    expect(await api.post(lists, given)).toMatchObject({ status: 400, body: { message } });
    expect((await api.get(lists)).body).toEqual([]);
  });

  it('are not deleted while a strategy names them, and two do not have one name', async () => {
    const { flags, lists } = await flagged();
    const { body: list } = await api.post(lists, { name: 'Testers', user_xids: '1' });
    await api.post(flags, { name: 'flag', strategies: [{ name: 'gitlabUserList', user_list_id: list.id }] });
    expect(await api.delete(`${lists}/1`)).toMatchObject({
      status: 409,
      body: { message: ['User list is associated with a strategy'] },
    });
    expect(await api.post(lists, { name: 'Testers', user_xids: '2' })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    });
    await api.delete(`${flags}/flag`);
    expect((await api.delete(`${lists}/1`)).status).toBe(204);
  });
});

describe('Limits of feature flags', () => {
  it('are 200 flags and 200 user lists of a project, and a megabyte of users that strategies name', LONG, async () => {
    const { project, flags, lists } = await flagged();
    const rows = Array.from({ length: 200 }, (_, index) => index + 1);
    const made = (iid: number) => ({ projectId: project.id, iid, name: `flag${iid}` });
    await world.db.featureFlag.createMany({ data: rows.slice(0, 199).map(made) });
    const users = Array.from({ length: 250 }, (_, index) => `${index}${'x'.repeat(250)}`).join();
    await world.db.featureFlagUserList.createMany({
      data: rows.slice(0, 199).map((iid) => ({ ...made(iid), userXids: '' })),
    });
    await world.db.projectCounters.update({
      where: { projectId: project.id },
      data: { lastFeatureFlagIid: 199, lastFeatureFlagUserListIid: 199 },
    });
    const { body: list } = await api.post(lists, { name: 'Last', user_xids: users });
    const many = Array.from({ length: 20 }, () => ({ name: 'gitlabUserList', user_list_id: list.id }));
    expect(await api.post(flags, { name: 'last', strategies: many })).toMatchObject({
      status: 403,
      body: { error: ['The strategies of a project can name users with at most 1048576 characters'] },
    });
    expect((await api.post(flags, { name: 'last', strategies: many.slice(0, 2) })).status).toBe(201);
    expect(await api.post(flags, { name: 'more' })).toMatchObject({
      status: 403,
      body: { error: ['A project can have at most 200 feature flags'] },
    });
    expect(await api.post(lists, { name: 'More', user_xids: '' })).toMatchObject({
      status: 403,
      body: { error: ['A project can have at most 200 user lists'] },
    });
    const strategies = Array.from({ length: 51 }, () => everywhere);
    expect(await api.put(`${flags}/last`, { strategies })).toMatchObject({
      status: 400,
      body: { message: { strategies: ['are too many (maximum is 50)'] } },
    });
    const scopes = Array.from({ length: 51 }, (_, index) => ({ environment_scope: `e${index}` }));
    expect(await api.put(`${flags}/last`, { strategies: [{ ...everywhere, scopes }] })).toMatchObject({
      status: 400,
      body: { message: { strategies: ['3: scopes are too many (maximum is 50)'] } },
    });
  });
});

describe('What happens to feature flags', () => {
  it('is told to webhooks when a flag is turned on or off, with who did it', async () => {
    const receiver = await startReceiver();
    Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
    const { project, at, flags } = await flagged();
    const path = `/${world.unique('receiver')}`;
    const hook = { url: receiver.url(path), push_events: false, feature_flag_events: true };
    expect((await world.api(owner).post(`${at}/hooks`, hook)).body.feature_flag_events).toBe(true);
    await api.post(flags, { name: 'flag', description: 'What for' });
    await api.put(`${flags}/flag`, { description: 'For this' });
    await api.put(`${flags}/flag`, { active: false });
    await api.put(`${flags}/flag`, { active: false });
    await api.put(`${flags}/flag`, { active: true });
    const told = await receiver.some(path, 2);
    expect(told.map(({ body }) => body.object_attributes.active)).toEqual([false, true]);
    expect(told[0]?.headers['x-gitlab-event']).toBe('Feature Flag Hook');
    expect(told[0]?.body).toMatchObject({
      object_kind: 'feature_flag',
      project: { id: project.id, path_with_namespace: project.fullPath },
      user: { id: developer.id, username: developer.username },
      user_url: `${world.url}/${developer.username}`,
      object_attributes: { id: expect.any(Number), name: 'flag', description: 'For this', active: false },
    });
  });

  it('is in the audit log, with each value that changed', async () => {
    const { project, flags, lists } = await flagged();
    await api.post(lists, { name: 'Testers', user_xids: '1' });
    await api.put(`${lists}/1`, { user_xids: '2' });
    await api.post(flags, { name: 'flag', strategies: [everywhere] });
    await api.put(`${flags}/flag`, {
      active: false,
      strategies: [{ name: 'userWithId', parameters: { userIds: '7' } }],
    });
    await api.delete(`${flags}/flag`);
    await api.delete(`${lists}/1`);
    const events = await world.db.auditEvent.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
    const ofFlags = events.filter(({ action }) => action.startsWith('feature_flag'));
    expect(ofFlags.map((one) => [one.action, one.targetName, one.attribute, one.oldValue, one.newValue])).toEqual([
      ['feature_flag_user_list_created', 'Testers', null, null, null],
      ['feature_flag_user_list_updated', 'Testers', 'user_xids', '1', '2'],
      ['feature_flag_created', 'flag', null, null, null],
      ['feature_flag_updated', 'flag', 'active', 'true', 'false'],
      ['feature_flag_updated', 'flag', 'strategies', 'default (*)', 'default (*); userWithId userIds=7 ()'],
      ['feature_flag_deleted', 'flag', null, null, null],
      ['feature_flag_user_list_deleted', 'Testers', null, null, null],
    ]);
    expect(ofFlags.every(({ authorId }) => authorId === developer.id)).toBe(true);
  });
});
