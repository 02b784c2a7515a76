// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startWorldWithMail } from '../support/accounts.ts';
import { signedIn } from '../support/oauth.ts';

const { world } = await startWorldWithMail();

describe.each(['project', 'group'] as const)('The members of a %s', (kind) => {
  async function place() {
    const owner = await world.user();
    const made = kind === 'project' ? await world.project({ owner }) : await world.group({ owner });
    const base =
      kind === 'project' ? `/${made.fullPath}/-/project_members` : `/groups/${made.fullPath}/-/group_members`;
    const where = kind === 'project' ? { projectId: made.id } : { namespaceId: made.id };
    return { owner, made, base, where };
  }

  it('are added by name, changed and removed, and who cannot be added is told', async () => {
    const { owner, base, where } = await place();
    const [one, two] = [await world.user(), await world.user()];
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/new`);
    const fields = { accessLevel: 'reporter', expiresAt: '2099-01-02' };
    await browser.submit(`${base}/new`, { ...fields, usernames: `${one.username}, ${two.username}` });
    expect(browser.answer.headers.location).toBe(base);
    const level = async (userId: number) =>
      (await world.db.member.findFirst({ where: { ...where, userId } }))?.accessLevel;
    expect([await level(one.id), await level(two.id)]).toEqual([20, 20]);
    expect(
      (await browser.submit(`${base}/new`, { ...fields, usernames: `nobody-there, ${one.username}` })).status,
    ).toBe(422);
    expect(browser.page).toContain('nobody-there:');
    expect((await browser.submit(`${base}/new`, { ...fields, usernames: one.username })).status).toBe(422);
    await browser.get(base);
    expect(browser.page).toContain('until 2099-01-02');
    await browser.get(`${base}/${one.id}/edit`);
    expect(browser.page).toContain('value="2099-01-02"');
    await browser.submit(`${base}/${one.id}/edit`, { accessLevel: 'master', expiresAt: '' });
    expect(await level(one.id)).toBe(40);
    await browser.get(`${base}/${two.id}/remove`);
    expect(browser.page).toContain('Remove ');
    await browser.confirm(`${base}/${two.id}/remove`);
    expect(await level(two.id)).toBeUndefined();
    expect(await world.db.auditEvent.count({ where: { targetId: two.id, action: 'member_deleted' } })).toBe(1);
  });

  it('are changed by those only who manage them', async () => {
    const { owner, base, made } = await place();
    const [developer, other] = [await world.user(), await world.user()];
    await world.member(made, developer, 'developer');
    const browser = await signedIn(world, developer);
    await browser.get(base);
    expect(browser.page).not.toContain('/edit');
    expect(browser.page).not.toContain('/-/settings/');
    for (const path of [
      'new',
      `${owner.id}/edit`,
      `${owner.id}/remove`,
      'groups',
      'requests',
      'invitations',
      'invitations/new',
    ])
      expect((await browser.get(`${base}/${path}`)).status).toBeGreaterThanOrEqual(403);
    await browser.submit(`${base}/new`, { usernames: other.username, accessLevel: 'owner' });
    expect(await world.db.member.count({ where: { userId: other.id } })).toBe(0);
  });

  it('are invited by mail; the invitation is changed and withdrawn', async () => {
    const { owner, base } = await place();
    const browser = await signedIn(world, owner);
    const email = `${world.unique('guest').toLowerCase()}@example.com`;
    await browser.get(`${base}/invitations/new`);
    await browser.submit(`${base}/invitations/new`, { emails: email, accessLevel: 'developer', expiresAt: '' });
    expect(browser.answer.headers.location).toBe(`${base}/invitations`);
    expect(
      (await browser.submit(`${base}/invitations/new`, { emails: 'no address', accessLevel: 'guest' })).status,
    ).toBe(422);
    await browser.get(`${base}/invitations`);
    expect(browser.page).toContain(email);
    const query = `?email=${encodeURIComponent(email)}`;
    await browser.get(`${base}/invitations/edit${query}`);
    await browser.submit(`${base}/invitations/edit`, { email, accessLevel: 'guest', expiresAt: '2099-05-06' });
    await browser.get(`${base}/invitations`);
    expect(browser.page).toContain('member until 2099-05-06');
    await browser.get(`${base}/invitations/delete${query}`);
    await browser.confirm(`${base}/invitations/delete`, { email });
    await browser.get(`${base}/invitations`);
    expect(browser.page).not.toContain(email);
  });

  it('come from groups that it is shared with, until it no longer is', async () => {
    const { owner, base } = await place();
    const group = await world.group({ owner });
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/groups`);
    const fields = { accessLevel: 'developer', expiresAt: '' };
    expect((await browser.submit(`${base}/groups`, { ...fields, sharedGroup: 'no/such/group' })).status).toBe(422);
    await browser.submit(`${base}/groups`, { ...fields, sharedGroup: group.fullPath });
    expect(browser.answer.headers.location).toBe(`${base}/groups`);
    await browser.get(`${base}/groups`);
    expect(browser.page).toContain(`>${group.name}</a>`);
    await browser.get(`${base}/groups/${group.id}/remove`);
    expect(browser.page).toContain(`Stop sharing with ${group.fullPath}?`);
    await browser.confirm(`${base}/groups/${group.id}/remove`);
    await browser.get(`${base}/groups`);
    expect(browser.page).not.toContain(`>${group.name}</a>`);
  });

  it('are those who asked for access and were let in', async () => {
    const { owner, base, made, where } = await place();
    await (kind === 'project'
      ? world.db.project.update({ where: { id: made.id }, data: { visibility: 'public', requestAccessEnabled: true } })
      : world.db.namespace.update({
          where: { id: made.id },
          data: { visibility: 'public', requestAccessEnabled: true },
        }));
    const [one, two] = [await world.user(), await world.user()];
    for (const user of [one, two])
      expect((await world.api(user).post(`/${kind}s/${made.id}/access_requests`)).status).toBe(201);
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/requests`);
    expect(browser.page).toContain(`href="/${one.username}"`);
    await browser.submit(`${base}/requests/${one.id}/approve`, { accessLevel: 'guest' });
    await browser.confirm(`${base}/requests/${two.id}/deny`);
    expect(await world.db.member.count({ where: { ...where, userId: one.id, accessLevel: 10 } })).toBe(1);
    expect(await world.db.member.count({ where: { ...where, userId: two.id } })).toBe(0);
    await browser.get(`${base}/requests`);
    expect(browser.page).toContain('Nobody asks for access.');
  });

  it('are shown with those who inherit access and from where, whose memberships are changed there alone', async () => {
    const owner = await world.user();
    const around = await world.group({ owner });
    const made =
      kind === 'project'
        ? await world.project({ owner, namespaceId: around.id })
        : await world.group({ owner, parentId: around.id });
    const base =
      kind === 'project' ? `/${made.fullPath}/-/project_members` : `/groups/${made.fullPath}/-/group_members`;
    const [own, inherited, shared] = [await world.user(), await world.user(), await world.user()];
    await world.member(made, own, 'developer');
    await world.member(around, inherited, 'developer');
    const invited = await world.group({ owner: shared, visibility: 'private' });
    const share = { groupId: invited.id, groupAccess: 20 };
    await (kind === 'project'
      ? world.db.projectShare.create({ data: { ...share, projectId: made.id } })
      : world.db.groupShare.create({ data: { ...share, namespaceId: made.id } }));
    const browser = await signedIn(world, owner);
    await browser.get(base);
    const rowOf = ({ username }: { username: string }) =>
      browser.page.split('<li class="row">').find((row) => row.includes(`href="/${username}"`)) ?? '';
    expect(rowOf(own)).toContain(`href="${base}/${own.id}/edit"`);
    expect(rowOf(own)).not.toContain('by <a');
    expect(rowOf(inherited)).toContain(`by <a href="/groups/${around.fullPath}">`);
    expect(rowOf(inherited)).not.toContain('/edit');
    expect(rowOf(shared)).toContain('by a group that you cannot see');
    expect(rowOf(shared)).not.toContain(invited.fullPath);
    await browser.get(`${base}?direct=true`);
    expect([rowOf(own) === '', rowOf(inherited), rowOf(shared)]).toEqual([false, '', '']);
  });
});
