// Each test takes long: the long run has them all.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const client = new Gitlab({ host: world.url, token: admin.token });

it('A client that was written for /api/v4 sets, reads and removes custom attributes, and filters by them', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  await world.project({ owner, visibility: 'public' });
  const group = await world.group({ owner });
  for (const [attributes, id] of [
    [client.UserCustomAttributes, owner.id],
    [client.GroupCustomAttributes, group.id],
    [client.ProjectCustomAttributes, project.id],
  ] as const) {
    expect(await attributes.set(id, 'place', 'Graz')).toMatchObject({ key: 'place', value: 'Graz' });
    expect(await attributes.show(id, 'place')).toMatchObject({ value: 'Graz' });
    expect(await attributes.all(id)).toHaveLength(1);
  }
  const found = await client.Users.all({ customAttributes: { place: 'Graz' }, withCustomAttributes: true });
  expect(found).toMatchObject([{ id: owner.id, custom_attributes: [{ key: 'place', value: 'Graz' }] }]);
  const listed = await client.Projects.all({ withCustomAttributes: true });
  expect(listed.find(({ id }) => id === project.id)).toMatchObject({
    custom_attributes: [{ key: 'place', value: 'Graz' }],
  });
  await client.ProjectCustomAttributes.remove(project.id, 'place');
  expect(await client.ProjectCustomAttributes.all(project.id)).toEqual([]);
});

it('A client that was written for /api/v4 makes broadcast messages', async () => {
  const made = await client.BroadcastMessages.create({ message: 'News', targetAccessLevels: [30], dismissable: true });
  expect(made).toMatchObject({ message: 'News', target_access_levels: [30], dismissable: true });
  expect(await client.BroadcastMessages.edit(made.id, { message: 'Old news' })).toMatchObject({ message: 'Old news' });
  expect(await client.BroadcastMessages.show(made.id)).toMatchObject({ id: made.id });
  expect((await client.BroadcastMessages.all()).map(({ id }) => id)).toContain(made.id);
  await client.BroadcastMessages.remove(made.id);
  await expect(client.BroadcastMessages.show(made.id)).rejects.toThrow();
});
