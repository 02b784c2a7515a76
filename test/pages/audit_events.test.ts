// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const address = `/${project.fullPath}/-/audit_events`;

it('shows masters what was changed in their project, with filters and pages', async () => {
  const master = await world.user();
  await world.member(project, master, 'master');
  const [first, second] = [await world.user(), await world.user({ username: 'second' })];
  await world.api(owner).post(`/projects/${project.id}/members`, { user_id: first.id, access_level: 30 });
  await world.api(admin).post(`/projects/${project.id}/members`, { user_id: second.id, access_level: 20 });
  await world.api(owner).post(`/projects/${project.id}/protected_tags`, { name: 'v<b>' });
  const browser = await signedIn(world, master);
  await browser.get(`/${project.fullPath}/-/activity`);
  expect(browser.page).toContain(`href="${address}">Audit log</a>`);
  await browser.get(address);
  expect(browser.page).toContain('Member created: access level to developer');
  expect(browser.page).toContain('Name of second');
  expect(browser.page).toContain('v&lt;b&gt;');
  expect(browser.page).toContain(`<a href="/${owner.username}">Name of ${owner.username}</a>`);
  await browser.get(`${address}?author=${admin.username}&kind=user`);
  expect(browser.page).toContain('Member created: access level to reporter');
  expect(browser.page).not.toContain('access level to developer');
  expect(browser.page).not.toContain('v&lt;b&gt;');
  await browser.get(`${address}?action=protected_tag_created&from=2020-01-01&until=2999-12-31`);
  expect(browser.page).toContain('v&lt;b&gt;');
  expect(browser.page).not.toContain('Member created');
  await browser.get(`${address}?until=2020-01-01`);
  expect(browser.page).toContain('No audit events match.');
  for (let n = 0; n < 20; n += 1) {
    const data = { projectId: project.id, action: 'variable_created', targetType: 'Variable', targetName: `KEY_${n}` };
    await world.db.auditEvent.create({ data });
  }
  await browser.get(address);
  expect(browser.page).toContain('KEY_19');
  expect(browser.page).toContain('the server');
  const next = /rel="next" href="([^"]+)"/.exec(browser.page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  await browser.get(next);
  expect(browser.page).toContain('v&lt;b&gt;');
  expect(browser.page).not.toContain('KEY_19');
});

it('is for masters of a project, owners of a group and administrators of the server alone', async () => {
  const [developer, master] = [await world.user(), await world.user()];
  await world.member(project, developer, 'developer');
  await world.member(group, master, 'master');
  const ofGroup = `/groups/${group.fullPath}/-/audit_events`;
  const status = async (who: typeof owner, path: string) => (await (await signedIn(world, who)).get(path)).status;
  expect(await status(developer, address)).toBe(403);
  expect(await status(master, address)).toBe(200);
  expect(await status(master, ofGroup)).toBe(403);
  expect(await status(await world.user(), address)).toBe(404);
  expect(await status(owner, ofGroup)).toBe(200);
  expect(await status(owner, '/-/audit_events')).toBe(403);
  const browser = await signedIn(world, developer);
  await browser.get(`/${project.fullPath}/-/activity`);
  expect(browser.page).not.toContain('Audit log');
  const administrator = await signedIn(world, admin);
  await administrator.get('/-/audit_events?kind=project');
  expect(administrator.page).toContain(`in ${project.fullPath}`);
  expect(administrator.page).not.toContain('Group created');
  await administrator.get('/-/audit_events?action=group_created');
  expect(administrator.page).toContain('Group created');
});
