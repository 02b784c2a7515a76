// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const administrator = await world.user({ admin: true });
const browser = await signedIn(world, administrator);

it('administrators make, change and delete broadcast messages', async () => {
  await browser.get('/admin/broadcast_messages/new');
  const sent = await browser.submit('/admin/broadcast_messages', {
    message: 'Upgrade tonight',
    startsAt: '2020-01-01 10:00',
    endsAt: '2100-01-01 10:30',
    broadcastType: 'notification',
    theme: 'light-red',
    targetPath: '/nowhere/*',
    targetAccessLevels: 'DEVELOPER',
    dismissable: 'true',
  });
  expect([sent.status, sent.headers.location]).toEqual([303, '/admin/broadcast_messages']);
  const made = await world.db.broadcastMessage.findFirstOrThrow();
  expect(made).toMatchObject({
    message: 'Upgrade tonight',
    startsAt: new Date('2020-01-01T10:00:00Z'),
    endsAt: new Date('2100-01-01T10:30:00Z'),
    broadcastType: 'notification',
    theme: 'light-red',
    targetPath: '/nowhere/*',
    targetAccessLevels: [30],
    dismissable: true,
  });
  await browser.get('/admin/broadcast_messages');
  expect(browser.page).toContain('Upgrade tonight');
  const at = `/admin/broadcast_messages/${made.id}`;
  await browser.get(at);
  expect(browser.page).toContain('value="2100-01-01 10:30"');
  await browser.submit(at, { message: 'Upgraded', targetAccessLevels: '', targetPath: '', dismissable: 'false' });
  const changed = await world.db.broadcastMessage.findFirstOrThrow();
  expect(changed).toMatchObject({ message: 'Upgraded', targetAccessLevels: [], targetPath: null, dismissable: false });
  expect((await browser.submit(at, { message: ' ' })).status).toBe(422);
  expect((await browser.submit(at, { message: 'x', endsAt: 'soon' })).status).toBe(422);
  expect((await world.db.broadcastMessage.findFirstOrThrow()).message).toBe('Upgraded');
  await browser.submit(`${at}/delete`);
  expect(await world.db.broadcastMessage.count()).toBe(1);
  await browser.submit(`${at}/delete`, { confirmed: 'true' });
  expect(await world.db.broadcastMessage.count()).toBe(0);
});

it('administrators see the custom attributes of a user', async () => {
  const { id, username } = await world.user();
  await world.db.customAttribute.create({ data: { userId: id, key: 'cost_center', value: 'Harbour 7' } });
  await browser.get(`/admin/users/${username}`);
  expect(browser.page).toContain('<code>cost_center</code></dt><dd>Harbour 7</dd>');
  const own = await signedIn(world, await world.user());
  await own.get(`/${username}`);
  expect(own.page).not.toContain('Harbour 7');
});

it('administrators change texts and colours of the appearance, and are told what is wrong with them', async () => {
  await browser.get('/admin/appearance');
  const sent = await browser.submit('/admin/appearance', { title: 'Ours', messageBackgroundColor: '#112233' });
  expect([sent.status, sent.headers.location]).toEqual([303, '/admin/appearance']);
  expect(await world.db.appearance.findFirstOrThrow()).toMatchObject({
    title: 'Ours',
    messageBackgroundColor: '#112233',
  });
  await browser.get('/admin/appearance');
  expect(browser.page).toContain('value="Ours"');
  const refused = await browser.submit('/admin/appearance', { title: 'x'.repeat(256) });
  expect(refused.status).toBe(422);
  expect(browser.page).toContain('too long');
});
