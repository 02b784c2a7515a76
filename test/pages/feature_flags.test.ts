import { expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

async function flagged() {
  const [owner, developer] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  const base = `/${project.fullPath}/-`;
  const at = {
    flags: `${base}/feature_flags`,
    lists: `${base}/feature_flags_user_lists`,
    client: `${base}/feature_flags_client`,
  };
  const api = world.api(developer);
  return { owner, developer, project, at, api, rest: `/projects/${project.id}/feature_flags` };
}

const strategies = async (name: string) => {
  const { strategies: found } = await world.db.featureFlag.findFirstOrThrow({
    where: { name },
    include: { strategies: { orderBy: { id: 'asc' }, include: { scopes: { orderBy: { id: 'asc' } } } } },
  });
  return found.map((one) => [one.name, one.parameters, one.scopes.map(({ environmentScope }) => environmentScope)]);
};

it('creates a flag with a strategy, and says beside the field what is wrong with its name', async () => {
  const { developer, at } = await flagged();
  const browser = await signedIn(world, developer);
  const name = world.unique('flag');
  await browser.get(`${at.flags}/new`);
  const fields = {
    description: '<b>New</b>',
    active: ['false', 'true'],
    strategy: 'flexible_rollout',
    percent: '25',
    stickiness: 'userid',
    environments: 'production, review/*',
  };
  expect((await browser.submit(at.flags, { ...fields, name: 'Not this' })).status).toBe(422);
  expect(browser.page).toContain('Name can contain only lowercase letters');
  expect(browser.page).toContain('value="production, review/*"');
  expect((await browser.submit(at.flags, { ...fields, name })).status).toBe(303);
  await browser.follow();
  expect(browser.page).toContain('The feature flag was created.');
  expect(browser.page).toContain('25 % of users, sessions or requests');
  expect(browser.page).toContain('&lt;b&gt;New');
  const parameters = { groupId: 'default', rollout: '25', stickiness: 'userId' };
  expect(await strategies(name)).toEqual([['flexibleRollout', parameters, ['production', 'review/*']]]);
});

it(
  'changes strategies one by one: their environments, what they are for, and whether they are there',
  LONG,
  async () => {
    const { developer, at, api, rest } = await flagged();
    const name = world.unique('flag');
    const scopes = [{ environment_scope: 'a' }, { environment_scope: 'b' }];
    const { body } = await api.post(rest, { name, strategies: [{ name: 'default', parameters: {}, scopes }] });
    const [{ id, scopes: kept }] = body.strategies;
    const browser = await signedIn(world, developer);
    await browser.get(`${at.flags}/1`);
    const change = {
      strategyId: String(id),
      strategy: 'user_with_id',
      userIds: 'ada\nben, ada',
      scope: kept.map((one: { id: number; environment_scope: string }) => `${one.id} ${one.environment_scope}`),
      environments: 'b, c',
    };
    expect((await browser.submit(`${at.flags}/1/strategies`, change)).status).toBe(303);
    expect(await strategies(name)).toEqual([['userWithId', { userIds: 'ada,ben' }, ['b', 'c']]]);
    await browser.follow();
    expect(browser.page).toContain('2 users by ID');
    const more = { strategy: 'gradual_rollout_user_id', percent: '10', environments: '*' };
    expect((await browser.submit(`${at.flags}/1/strategies`, { ...more, percent: '200' })).status).toBe(422);
    expect(browser.page).toContain('percentage must be a string between 0 and 100 inclusive');
    expect((await browser.submit(`${at.flags}/1/strategies`, more)).status).toBe(303);
    const removal = { strategyId: String(id), named: '2 users by ID' };
    expect((await browser.submit(`${at.flags}/1/strategies/remove`, removal)).status).toBe(200);
    expect(browser.page).toContain('Remove this strategy?');
    expect((await browser.submit(`${at.flags}/1/strategies/remove`, { ...removal, confirmed: 'true' })).status).toBe(
      303,
    );
    expect(await strategies(name)).toEqual([['gradualRolloutUserId', { groupId: 'default', percentage: '10' }, ['*']]]);
  },
);

it('lists flags that are on or off, turns them on and off, and deletes one after it has asked', async () => {
  const { developer, at, api, rest } = await flagged();
  for (const [name, active] of [
    ['first', true],
    ['second', false],
  ])
    await api.post(rest, { name, active });
  const browser = await signedIn(world, developer);
  await browser.get(at.flags);
  expect([browser.page.includes('>first</a>'), browser.page.includes('>second</a>')]).toEqual([true, true]);
  await browser.get(`${at.flags}?state=disabled`);
  expect([browser.page.includes('>first</a>'), browser.page.includes('>second</a>')]).toEqual([false, true]);
  expect((await browser.submit(`${at.flags}/2/active`, { active: 'true' })).status).toBe(303);
  await browser.follow();
  expect(browser.page).toContain('The feature flag is on.');
  expect((await api.get(`${rest}/second`)).body.active).toBe(true);
  expect(
    (await browser.submit(`${at.flags}/2/edit`, { name: 'third', description: 'Why', active: 'false' })).status,
  ).toBe(303);
  expect((await api.get(`${rest}/third`)).body).toMatchObject({ description: 'Why', active: false });
  expect((await browser.submit(`${at.flags}/2/delete`, { named: 'third' })).status).toBe(200);
  expect(browser.page).toContain('Delete third?');
  expect((await browser.submit(`${at.flags}/2/delete`, { confirmed: 'true' })).status).toBe(303);
  expect((await api.get(rest)).body.map((one: { name: string }) => one.name)).toEqual(['first']);
});

it('keeps lists of users, which are not deleted while a strategy uses them', LONG, async () => {
  const { developer, project, at, api, rest } = await flagged();
  const browser = await signedIn(world, developer);
  await browser.get(`${at.lists}/new`);
  expect((await browser.submit(at.lists, { name: 'Testers', userXids: 'ada\nben\n' })).status).toBe(303);
  await browser.follow();
  expect(browser.page).toContain('>Testers</a>');
  expect(browser.page).toContain('2 users');
  await browser.get(`${at.lists}/1`);
  expect(browser.page).toContain('ada\nben</textarea>');
  expect((await browser.submit(`${at.lists}/1`, { name: 'Friends', userXids: 'ada' })).status).toBe(303);
  const [list] = await world.db.featureFlagUserList.findMany({ where: { projectId: project.id } });
  expect(list).toMatchObject({ name: 'Friends', userXids: 'ada' });
  await api.post(rest, { name: 'flag', strategies: [{ name: 'gitlabUserList', user_list_id: list?.id }] });
  await browser.get(`${at.flags}/1`);
  expect(browser.page).toContain('User list Friends');
  await browser.get(`${at.lists}/1`);
  expect((await browser.submit(`${at.lists}/1/delete`, { confirmed: 'true' })).status).toBe(422);
  expect(browser.page).toContain('User list is associated with a strategy');
  await api.delete(`${rest}/flag`);
  expect((await browser.submit(`${at.lists}/1/delete`, { confirmed: 'true' })).status).toBe(303);
});

it('shows masters what clients are configured with, and makes a new instance ID after it has asked', async () => {
  const { owner, developer, project, at, api, rest } = await flagged();
  const browser = await signedIn(world, owner);
  await browser.get(at.client);
  expect(browser.page).toContain(`${world.url}/api/v4/feature_flags/unleash/${project.id}`);
  expect(browser.page).toContain('Create an instance ID');
  await api.post(rest, { name: 'flag' });
  await browser.get(at.client);
  const [before = ''] = /gfci-\w{20}/.exec(browser.page) ?? [];
  expect(before).not.toBe('');
  expect((await browser.submit(`${at.client}/reset`, {})).status).toBe(200);
  expect(browser.page).toContain('Make a new instance ID?');
  expect((await browser.submit(`${at.client}/reset`, { confirmed: 'true' })).status).toBe(303);
  await browser.follow();
  expect(browser.page).toMatch(/gfci-\w{20}/);
  expect(browser.page).not.toContain(before);
  const other = await signedIn(world, developer);
  expect((await other.get(at.client)).status).toBe(403);
  expect(other.page).not.toContain('gfci-');
});

it('has no pages of flags for reporters, visitors, and where flags are switched off', LONG, async () => {
  const { owner, project, at, api, rest } = await flagged();
  await api.post(rest, { name: 'hidden-one' });
  const reporter = await world.user();
  await world.member(project, reporter, 'reporter');
  const addresses = [at.flags, `${at.flags}/new`, `${at.flags}/1`, at.lists, `${at.lists}/new`, at.client];
  const browser = await signedIn(world, reporter);
  const refused = async (as: typeof browser) => {
    for (const address of addresses) {
      const { status } = await as.get(address);
      expect([address, [403, 404].includes(status), as.page.includes('hidden-one')]).toEqual([address, true, false]);
    }
  };
  await refused(browser);
  await world.api(owner).put(`/projects/${project.id}`, { feature_flags_access_level: 'disabled' });
  const asOwner = await signedIn(world, owner);
  await refused(asOwner);
});
