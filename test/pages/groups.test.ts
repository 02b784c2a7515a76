// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const SCRIPT = '<script>alert(1)</script>';
const globalId = (id: number) => Buffer.from(`Label:${id}`).toString('base64url');

/** A private group with a project directly in it and one in a subgroup, and a project beside it. */
async function grown() {
  const owner = await world.user();
  const group = await world.group({ owner, visibility: 'private' });
  const below = await world.group({ owner, parentId: group.fullPath, visibility: 'private' });
  const [project, inside, beside] = [
    await world.project({ owner, namespaceId: group.id }),
    await world.project({ owner, namespaceId: below.id }),
    await world.project({ owner }),
  ];
  return { owner, group, project, inside, beside, at: `/groups/${group.fullPath}/-` };
}

describe('Labels of a group', () => {
  it('are listed with those of the groups around, and created, changed and deleted by its reporters alone', async () => {
    const { owner, group, at, project } = await grown();
    const guest = await world.user();
    await world.member(group, guest, 'guest');
    await world.label(project, owner, 'of the project');
    const browser = await signedIn(world, owner);
    await browser.get(`${at}/labels`);
    expect(browser.page).toContain('There are no labels yet');
    expect(browser.page).not.toContain('of the project');
    await browser.get(`${at}/labels/new`);
    expect(browser.page).not.toContain('name="priority"');
    await browser.submit(`${at}/labels`, { title: 'a, b', color: '#00ff00' });
    expect(browser.answer.status).toBe(422);
    const title = `bug ${SCRIPT}`;
    await browser.submit(`${at}/labels`, { title, color: '#00ff00', description: 'Kept' });
    expect(browser.answer.headers.location).toBe(`${at}/labels`);
    const { id } = await world.db.label.findFirstOrThrow({ where: { groupId: group.id } });
    const one = `${at}/labels/${globalId(id)}`;
    await browser.follow();
    expect(browser.page).toContain('bug &lt;script&gt;');
    expect(browser.page).not.toContain(SCRIPT);
    expect(browser.page).toContain(`${one}/edit`);
    const reader = await signedIn(world, guest);
    await reader.get(`${at}/labels`);
    expect(reader.page).toContain('bug &lt;script&gt;');
    expect(reader.page).not.toContain('/edit"');
    for (const path of [`${at}/labels/new`, `${one}/edit`, `${one}/delete`])
      expect([path, (await reader.get(path)).status]).toEqual([path, 404]);
    await reader.get(`${at}/labels`);
    await reader.confirm(`${one}/delete`);
    expect(reader.answer.status).toBe(403);
    // The label of the group is changed on its own pages, not on those of its projects.
    expect((await browser.get(`/${project.fullPath}/-/labels/${globalId(id)}/edit`)).status).toBe(404);
    await browser.get(`${one}/edit`);
    await browser.submit(`${one}/edit`, { title: 'docs', color: '#0000ff', description: '' });
    expect(await world.db.label.findUniqueOrThrow({ where: { id } })).toMatchObject({ title: 'docs' });
    await browser.get(`${at}/labels`);
    await browser.submit(`${one}/subscribe`);
    await browser.follow();
    expect(browser.page).toContain(`${one}/unsubscribe`);
    await browser.get(`${one}/delete`);
    await browser.confirm(`${one}/delete`);
    expect(await world.db.label.count({ where: { id } })).toBe(0);
  });
});

describe('Issues of a group', () => {
  it('are those of all its projects that the caller may see, filtered by the address', async () => {
    const { owner, group, project, inside, beside, at } = await grown();
    const [guest, stranger] = [await world.user(), await world.user()];
    await world.member(group, guest, 'guest');
    await world.issue(project, owner, { title: `Directly ${SCRIPT}`, labels: ['bug'] });
    await world.issue(inside, owner, { title: 'Further in' });
    await world.issue(project, owner, { title: 'Unspoken', confidential: true });
    await world.issue(beside, owner, { title: 'Outside' });
    const closed = await world.issue(project, owner, { title: 'Long finished' });
    await world.api(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' });
    const browser = await signedIn(world, guest);
    await browser.get(`${at}/issues`);
    expect(browser.page).toContain('Directly &lt;script&gt;');
    expect(browser.page).toContain(`href="/${inside.fullPath}/-/issues/1"`);
    expect(browser.page).toContain(`${inside.fullPath}#1`);
    for (const absent of ['Unspoken', 'Outside', 'Long finished', SCRIPT]) expect(browser.page).not.toContain(absent);
    expect(browser.page).toContain(`<a href="${at}/issues" aria-current="page">`);
    await browser.get(`${at}/issues?labels=bug`);
    expect(browser.page).toContain('Directly');
    expect(browser.page).not.toContain('Further in');
    await browser.get(`${at}/issues?state=closed&sort=title&direction=asc`);
    expect(browser.page).toContain('Long finished');
    expect(browser.page).not.toContain('Directly');
    const own = await signedIn(world, owner);
    await own.get(`${at}/issues`);
    expect(own.page).toContain('Unspoken');
    const other = await signedIn(world, stranger);
    expect((await other.get(`${at}/issues`)).status).toBe(404);
    expect((await new Browser(world.send).get(`${at}/issues`)).status).toBe(404);
  });

  it('cost the same statements however many there are', async () => {
    const { owner, project, at } = await grown();
    const browser = await signedIn(world, owner);
    const counted = async () => (await world.statements(() => browser.get(`${at}/issues`))).length;
    await world.issue(project, owner, { labels: ['bug'] });
    const few = await counted();
    for (const label of ['a', 'b', 'c']) await world.issue(project, owner, { labels: [label] });
    expect(await counted()).toBe(few);
  });
});

describe('Merge requests of a group', () => {
  it('are those of all its projects whose files the caller may read, filtered by the address', async () => {
    const { owner, group, project, inside, beside, at } = await grown();
    const guest = await world.user();
    await world.member(group, guest, 'guest');
    await world.mergeRequest(project, owner, { iid: 1, title: `Directly ${SCRIPT}` });
    await world.mergeRequest(inside, owner, { iid: 1, title: 'Further in' });
    await world.mergeRequest(beside, owner, { iid: 1, title: 'Outside' });
    const browser = await signedIn(world, owner);
    await browser.get(`${at}/merge_requests`);
    expect(browser.page).toContain('Directly &lt;script&gt;');
    expect(browser.page).toContain(`href="/${inside.fullPath}/-/merge_requests/1"`);
    for (const absent of ['Outside', SCRIPT]) expect(browser.page).not.toContain(absent);
    const counts = () => [...browser.page.matchAll(/>(\w+) <span class="count">(\d+)</g)].map(([, ...found]) => found);
    expect(counts()).toEqual([
      ['Open', '2'],
      ['Merged', '0'],
      ['Closed', '0'],
      ['All', '2'],
    ]);
    await browser.get(`${at}/merge_requests?search=Further`);
    expect(browser.page).toContain('Further in');
    expect(counts().at(-1)).toEqual(['All', '1']);
    expect(browser.page).not.toContain('Directly');
    await browser.get(`${at}/merge_requests?state=merged`);
    expect(browser.page).toContain('No merge requests match');
    const other = await signedIn(world, guest);
    await other.get(`${at}/merge_requests`);
    expect(other.page).toContain('No merge requests match');
    const stranger = await signedIn(world, await world.user());
    expect((await stranger.get(`${at}/merge_requests`)).status).toBe(404);
  });
});
