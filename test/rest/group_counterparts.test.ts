// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const api = world.api(owner);
const group = await world.group({ owner, visibility: 'public' });
const at = `/groups/${group.id}`;

it('Tokens of groups are shown and rotated by themselves, and rotated by owners alone', async () => {
  const made = async () => {
    const input = { name: 'Deploy', scopes: ['api'], access_level: 30, expires_at: '2027-01-31' };
    const { status, body } = await api.post(`${at}/access_tokens`, input);
    expect(status).toBe(201);
    return body;
  };
  const first = await made();
  const self = await world.api(first.token).get(`${at}/access_tokens/self`);
  expect(self).toMatchObject({ status: 200, body: { id: first.id, name: 'Deploy' } });
  const rotated = await world.api(first.token).post(`${at}/access_tokens/self/rotate`);
  expect(rotated).toMatchObject({ status: 200, body: { name: 'Deploy', active: true } });
  expect(rotated.body.token).not.toBe(first.token);
  expect((await world.api(first.token).get(`${at}/access_tokens/self`)).status).toBe(401);

  const second = await made();
  const rotate = (who: typeof owner) => world.api(who).post(`${at}/access_tokens/${second.id}/rotate`);
  expect((await rotate(outsider)).status).not.toBe(200);
  expect(await rotate(owner)).toMatchObject({ status: 200, body: { name: 'Deploy', active: true } });
  expect((await world.api(second.token).get('/user')).status).toBe(401);
});

it('Badges, boards and subscriptions of groups are changed as those of projects', async () => {
  const badge = (
    await api.post(`${at}/badges`, { link_url: 'https://example.org', image_url: 'https://example.org/a.svg' })
  ).body;
  expect(await api.put(`${at}/badges/${badge.id}`, { name: 'Build' })).toMatchObject({
    status: 200,
    body: { name: 'Build', kind: 'group' },
  });
  expect((await world.api(outsider).put(`${at}/badges/${badge.id}`, { name: 'x' })).status).toBe(403);

  const board = (await api.post(`${at}/boards`, { name: 'Plan' })).body;
  expect(await api.put(`${at}/boards/${board.id}`, { name: 'Later' })).toMatchObject({
    status: 200,
    body: { name: 'Later' },
  });

  await api.post(`${at}/labels`, { name: 'bug', color: '#d9534f' });
  expect(await api.post(`${at}/labels/bug/subscribe`)).toMatchObject({ status: 201, body: { subscribed: true } });
  expect(await api.post(`${at}/labels/bug/unsubscribe`)).toMatchObject({ status: 201, body: { subscribed: false } });
});
