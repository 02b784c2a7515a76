// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startWorldWithMail } from '../support/accounts.ts';
import { signedIn } from '../support/oauth.ts';

const { world } = await startWorldWithMail();

it('shows the pending invitations of groups and projects to those who can invite, and to nobody else', async () => {
  const [owner, developer] = [await world.user(), await world.user()];
  const group = await world.group({ owner });
  const [project, decoy] = [await world.project({ owner }), await world.project({ owner })];
  await world.api(owner).post(`/groups/${group.id}/members`, { user_id: developer.id, access_level: 30 });
  await world.member(project, developer, 'developer');
  const invite = (at: string, email: string) =>
    world.api(owner).post(`${at}/invitations`, { email, access_level: 40, expires_at: '2099-02-03' });
  for (const [at, name] of [
    [`/groups/${group.id}`, 'group'],
    [`/projects/${project.id}`, 'project'],
    [`/projects/${decoy.id}`, 'decoy'],
  ] as const) {
    const { body } = await invite(at, `to-the-${name}@example.com`);
    expect(body).toEqual({ status: 'success' });
  }
  const [browser, other] = [await signedIn(world, owner), await signedIn(world, developer)];
  for (const [members, name] of [
    [`/groups/${group.fullPath}/-/group_members`, 'group'],
    [`/${project.fullPath}/-/project_members`, 'project'],
  ] as const) {
    await browser.get(members);
    expect(browser.page).toContain(`href="${members}/invitations"`);
    await browser.get(`${members}/invitations`);
    expect([...new Set(browser.page.match(/[\w-]+@example\.com/g))]).toEqual([`to-the-${name}@example.com`]);
    expect(browser.page).toContain('>Maintainer</span>');
    expect(browser.page).toContain('member until 2099-02-03');
    await other.get(members);
    expect(other.page).not.toContain('Pending invitations');
    expect((await other.get(`${members}/invitations`)).status).toBe(403);
    expect(other.page).not.toContain('@example.com');
  }
});
