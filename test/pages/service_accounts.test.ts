import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const secretsOn = (page: string) => [...page.matchAll(/class="secret">([^<]+)</g)].map(([, text]) => text ?? '');
const statusOf = async (token: string) =>
  (await world.send('GET', '/api/v4/user', { headers: { 'PRIVATE-TOKEN': token } })).status;

describe.each(['project', 'group', 'server'] as const)('The service accounts of a %s', (kind) => {
  it('are created, given tokens, renamed and deleted on its pages', LONG, async () => {
    const owner = await world.user({ admin: kind === 'server' });
    const made = kind === 'project' ? await world.project({ owner }) : await world.group({ owner });
    const base = {
      project: `/${made.fullPath}/-/settings`,
      group: `/groups/${made.fullPath}/-/settings`,
      server: '/admin',
    };
    const at = `${base[kind]}/service_accounts`;
    const browser = await signedIn(world, owner);
    await browser.get(`${at}/new`);
    const username = world.unique('builder');
    await browser.submit(`${at}/new`, { name: '', username: 'not a name' });
    expect(browser.answer.status).toBe(422);
    await browser.submit(`${at}/new`, { name: 'Night <builder>', username });
    const account = await world.db.user.findFirstOrThrow({ where: { username } });
    expect(account).toMatchObject({ name: 'Night <builder>', serviceAccount: kind });
    expect(browser.answer.headers.location).toBe(`${at}/${account.id}`);
    await browser.get(at);
    expect(browser.page).toContain('Night &lt;builder&gt;');
    await browser.get(`${at}/${account.id}/tokens/new`);
    await browser.submit(`${at}/${account.id}/tokens/new`, { name: 'nightly', description: '', expiresAt: '' });
    expect([browser.answer.status, browser.page]).toEqual([422, expect.stringContaining('Choose at least one.')]);
    const fields = { name: 'nightly', description: '', expiresAt: '', scopes: ['api'] };
    await browser.submit(`${at}/${account.id}/tokens/new`, fields);
    const [first = ''] = secretsOn(browser.page);
    expect(browser.answer.headers['cache-control']).toBe('no-store');
    expect(await statusOf(first)).toBe(200);
    await browser.get(`${at}/${account.id}`);
    expect(browser.page).not.toContain(first);
    const id = /tokens\/(\d+)\/rotate/.exec(browser.page)?.[1];
    await browser.submit(`${at}/${account.id}/tokens/${id}/rotate`, { named: 'nightly' });
    expect(browser.page).toContain('Rotate nightly?');
    await browser.submit(`${at}/${account.id}/tokens/${id}/rotate`, { named: 'nightly', confirmed: 'true' });
    const [second = ''] = secretsOn(browser.page);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    await browser.get(`${at}/${account.id}`);
    const next = /tokens\/(\d+)\/revoke/.exec(browser.page)?.[1];
    await browser.submit(`${at}/${account.id}/tokens/${next}/revoke`, { named: 'nightly', confirmed: 'true' });
    expect(await statusOf(second)).toBe(401);
    await browser.get(`${at}/${account.id}`);
    await browser.submit(`${at}/${account.id}`, { name: 'Day builder', username });
    expect((await world.db.user.findFirstOrThrow({ where: { username } })).name).toBe('Day builder');
    await browser.get(`${at}/${account.id}`);
    await browser.submit(`${at}/${account.id}/delete`, { named: 'Day builder' });
    expect(await world.db.user.count({ where: { username } })).toBe(1);
    await browser.submit(`${at}/${account.id}/delete`, { named: 'Day builder', confirmed: 'true' });
    expect(browser.answer.headers.location).toBe(at);
    expect(await world.db.user.count({ where: { username } })).toBe(0);
    const other = await signedIn(world, await world.user());
    expect((await other.get(at)).status).toBe(404);
    expect((await other.get(`${at}/${account.id}`)).status).toBe(404);
  });
});
