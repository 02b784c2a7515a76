import { Gitlab } from '@gitbeaker/rest';
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const client = new Gitlab({ host: world.url, token: owner.token });

/** The client wants one strategy in the place of a list, and sends whatever it is given. */
const strategies = (...list: object[]) => ({ strategies: list as never });

it('gitbeaker creates, lists, changes and removes feature flags and user lists', async () => {
  const { id } = await world.project({ owner });
  const list = await client.FeatureFlagUserLists.create(id, 'Testers', 'ada,ben');
  expect(list).toMatchObject({ iid: 1, name: 'Testers', user_xids: 'ada,ben', project_id: id });
  expect(await client.FeatureFlagUserLists.all(id, { search: 'test' })).toMatchObject([{ iid: 1 }]);
  await client.FeatureFlagUserLists.edit(id, 1, { name: 'Friends' });
  expect(await client.FeatureFlagUserLists.show(id, 1)).toMatchObject({ name: 'Friends', user_xids: 'ada,ben' });

  // It writes all keys in snake_case.
  const parameters = { groupId: 'default', rollout: '50', stickiness: 'userId' };
  const scopes = [{ environment_scope: 'production' }];
  const made = await client.FeatureFlags.create(id, 'search', 'new_version_flag', {
    description: 'Another search',
    ...strategies({ name: 'flexibleRollout', parameters, scopes }),
  });
  expect(made).toMatchObject({ name: 'search', active: true, strategies: [{ parameters, scopes }] });
  const [strategy] = made.strategies ?? [];
  const named = { name: 'gitlabUserList', parameters: {}, userListId: list.id };
  const edited = await client.FeatureFlags.edit(id, 'search', {
    active: false,
    ...strategies({ id: strategy?.id, _destroy: true }, named),
  });
  expect(edited).toMatchObject({ active: false, strategies: [{ name: 'gitlabUserList', user_list: { iid: 1 } }] });
  expect(await client.FeatureFlags.all(id, { scope: 'enabled' })).toEqual([]);
  expect(await client.FeatureFlags.all(id, { scope: 'disabled' })).toMatchObject([{ name: 'search' }]);
  await expect(client.FeatureFlagUserLists.remove(id, 1)).rejects.toMatchObject({
    cause: { response: { status: 409 } },
  });
  await client.FeatureFlags.remove(id, 'search');
  await expect(client.FeatureFlags.show(id, 'search')).rejects.toMatchObject({ cause: { response: { status: 404 } } });
  await client.FeatureFlagUserLists.remove(id, 1);
  expect(await client.FeatureFlagUserLists.all(id)).toEqual([]);
});
