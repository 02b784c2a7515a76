// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const SCRIPT = '<script>alert(1)</script>';
const globalId = (id: number) => Buffer.from(`Milestone:${id}`).toString('base64url');

/** A place with milestones: where its pages are, who may change them there, and who only sees them. */
async function place(kind: 'project' | 'group') {
  const [owner, reader] = [await world.user(), await world.user()];
  const group = await world.group({ owner, visibility: 'private' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
  if (kind === 'project') await world.member(project, reader, 'developer');
  else await world.api(owner).post(`/groups/${group.id}/members`, { user_id: reader.id, access_level: 10 });
  const at = kind === 'project' ? `/${project.fullPath}/-/milestones` : `/groups/${group.fullPath}/-/milestones`;
  return { owner, reader, at, project, group };
}

const one = (title: string) => world.db.milestone.findFirst({ where: { title } });

describe.each(['project', 'group'] as const)('Milestones of a %s', (kind) => {
  it('are created, changed, closed, reopened and deleted by forms', async () => {
    const { owner, at } = await place(kind);
    const browser = await signedIn(world, owner);
    await browser.get(at);
    expect(browser.page).toContain(`href="${at}/new"`);
    await browser.get(`${at}/new`);
    const title = `${world.unique('goal')} ${SCRIPT}`;
    await browser.submit(at, { title: '', description: 'Kept', startDate: '', dueDate: '' });
    expect(browser.answer.status).toBe(422);
    expect(alertsOn(browser.page)).toEqual(['Title can&#39;t be blank']);
    expect(browser.page).toContain('>Kept</textarea>');
    await browser.submit(at, { title, startDate: '2026-03-02', dueDate: '2026-03-01' });
    expect(alertsOn(browser.page)).toHaveLength(1);
    expect(browser.page).toContain('value="2026-03-02"');
    await browser.submit(at, { title, description: 'Soon **done**', startDate: '', dueDate: '2026-03-01' });
    const made = await one(title);
    const address = `${at}/${made?.iid}`;
    expect(browser.answer.headers.location).toBe(address);
    await browser.follow();
    expect(browser.page).toContain('<strong>done</strong>');
    expect(browser.page).not.toContain(SCRIPT);
    const milestone = globalId(made?.id ?? 0);
    await browser.get(`${address}/edit`);
    expect(browser.page).toContain('Soon **done**');
    expect(browser.page).toContain(milestone);
    const renamed = world.unique('renamed');
    await browser.submit(`${address}/edit`, { milestone, title: renamed, description: '', startDate: '', dueDate: '' });
    expect(browser.answer.headers.location).toBe(address);
    expect(await one(renamed)).toMatchObject({ description: '', dueDate: null });
    await browser.follow();
    expect(browser.page).toContain('Close milestone');
    await browser.submit(`${address}/state`, { milestone, stateEvent: 'close' });
    await browser.follow();
    expect(browser.page).toContain('Reopen milestone');
    await browser.get(at);
    expect(browser.page).not.toContain(renamed);
    await browser.submit(`${address}/state`, { milestone, stateEvent: 'activate' });
    expect(await one(renamed)).toMatchObject({ state: 'active' });
    await browser.get(`${address}/delete`);
    expect(await one(renamed)).not.toBeNull();
    await browser.confirm(`${address}/delete`, { milestone });
    expect(browser.answer.headers.location).toBe(at);
    expect(await one(renamed)).toBeNull();
  });

  it('offer no form to those who only see them, and take none from them', async () => {
    const { owner, reader, at, project, group } = await place(kind);
    const whose = kind === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`;
    const title = world.unique('goal');
    const { body: made } = await world.api(owner).post(`${whose}/milestones`, { title });
    const address = `${at}/${made.iid}`;
    const browser = await signedIn(world, reader);
    await browser.get(at);
    expect(browser.page).toContain(title);
    expect(browser.page).not.toContain(`${at}/new`);
    await browser.get(address);
    expect(browser.page).toContain(title);
    for (const name of ['edit', 'state', 'delete']) expect(browser.page).not.toContain(`${address}/${name}`);
    for (const path of [`${at}/new`, `${address}/edit`, `${address}/delete`])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    const milestone = globalId(made.id);
    await browser.get(at);
    for (const [path, fields] of [
      [`${address}/state`, { milestone, stateEvent: 'close' }],
      [`${address}/delete`, { milestone }],
    ] as const) {
      await browser.confirm(path, fields);
      expect([path, browser.answer.status]).toEqual([path, 403]);
    }
    expect(await one(title)).toMatchObject({ state: 'active' });
    const stranger = await signedIn(world, await world.user());
    expect((await stranger.get(address)).status).toBe(404);
    const visitor = new Browser(world.send);
    expect((await visitor.get(`${at}/new`)).headers.location).toMatch(/sign_in/);
  });
});

it('changes no milestone of another project through a form of this one', async () => {
  const owner = await world.user();
  const [project, elsewhere] = [await world.project({ owner }), await world.project({ owner })];
  const other = await world.milestone(elsewhere, owner);
  await world.milestone(project, owner);
  const browser = await signedIn(world, owner);
  const address = `/${project.fullPath}/-/milestones/1`;
  await browser.get(address);
  await browser.confirm(`${address}/delete`, { milestone: globalId(other.id) });
  expect(browser.answer.status).toBe(404);
  expect(await world.db.milestone.count({ where: { id: other.id } })).toBe(1);
});
