import { expect, it } from 'vitest';
import { exportedGroup } from '../support/group_archives.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('Owners export a group in its settings, and import it beside new groups', async () => {
  const owner = await world.user();
  const group = await world.group({ owner });
  await world.api(owner).post(`/groups/${group.id}/variables`, { key: 'DEPLOY_<KEY>'.replace(/\W/g, '_'), value: 'x' });
  const at = `/groups/${group.fullPath}/-/settings/export`;
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain('There is no archive.');
  expect((await browser.get(`${at}/download`)).status).toBe(404);
  await browser.get(at);
  await browser.submit(at);
  const archive = await exportedGroup(world, owner, group);
  await browser.get(at);
  expect(browser.page).toContain('Download archive');
  const download = await browser.get(`${at}/download`);
  expect([download.status, download.headers['content-type']]).toEqual([200, 'application/gzip']);
  await browser.get('/groups/new');
  expect(browser.page).toContain('href="/groups/import"');
  const path = world.unique('imported');
  const name = 'Brought along';
  const token = () => /name="authenticity_token" value="([^"]+)"/.exec(browser.page)?.[1] ?? '';
  const send = async (fields: Record<string, string>) => {
    await browser.get('/groups/import');
    const form = new FormData();
    for (const [key, value] of Object.entries({ authenticity_token: token(), name, parent: '', ...fields }))
      form.set(key, value);
    form.set('file', new File([new Uint8Array(archive)], 'group.tar.gz'));
    const request = new Request('http://x', { method: 'POST', body: form });
    const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' };
    await browser.request('POST', '/groups/import', { headers, body: new Uint8Array(await request.arrayBuffer()) });
  };
  await send({ path: 'not a path' });
  expect([browser.answer.status, browser.page]).toEqual([422, expect.stringContaining('can contain only letters')]);
  await send({ path });
  expect(browser.answer.headers.location).toBe(`/groups/${path}/-/settings/export`);
  await world.idle();
  await browser.get(`/groups/${path}/-/settings/export`);
  expect(browser.page).toContain('The group was imported.');
  expect(browser.page).toContain('DEPLOY__KEY_');
  const other = await world.user();
  await world.member(group, other, 'master');
  const member = await signedIn(world, other);
  for (const path of [at, `${at}/download`]) expect((await member.get(path)).status).toBeGreaterThanOrEqual(403);
});
