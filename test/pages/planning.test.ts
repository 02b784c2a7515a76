// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('lists milestones of a project and of its group, and shows one with its progress, but no confidential issue to strangers', async () => {
  const [owner, stranger] = [await world.user(), await world.user()];
  const group = await world.group({ owner, visibility: 'public' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
  const other = await world.project({ owner, visibility: 'public' });
  const milestone = await world.milestone(project, owner, { title: 'First <b>one</b>', description: 'Soon *done*' });
  await world.milestone(other, owner, { title: 'Of another project' });
  const api = world.api(owner);
  const { body: ofGroup } = await api.post(`/groups/${group.id}/milestones`, { title: 'Of the group' });
  await world.issue(project, owner, { title: 'Hidden thing', confidential: true, milestoneId: milestone.id });
  const done = await world.issue(project, owner, { title: 'Done thing', milestoneId: milestone.id });
  await api.put(`/projects/${project.id}/issues/${done.iid}`, { state_event: 'close' });
  const at = `/${project.fullPath}/-/milestones`;
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain('First &lt;b&gt;one&lt;/b&gt;');
  expect(browser.page).toContain('Of the group');
  expect(browser.page).not.toContain('Of another project');
  await browser.get(`${at}/${milestone.iid}`);
  expect(browser.page).toContain('1 of 2 issues closed');
  expect(browser.page).toContain('<em>done</em>');
  await browser.get(`/groups/${group.fullPath}/-/milestones/${ofGroup.iid}`);
  expect(browser.page).toContain('Nothing has this milestone yet');
  const visitor = await signedIn(world, stranger);
  await visitor.get(`${at}/${milestone.iid}`);
  expect(visitor.page).toContain('1 of 1 issue closed');
  expect(visitor.page).not.toContain('Hidden thing');
  expect((await new Browser(world.send).get(at)).status).toBe(200);
});

it('shows snippets to those who may read them, and runs none of them', async () => {
  const [owner, stranger] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  const snippet = { title: 'Tool', file_name: 'tool.js', code: '<script>steal()</script>' };
  const api = world.api(owner);
  const { body: open } = await api.post(`/projects/${project.id}/snippets`, { ...snippet, visibility: 'public' });
  const { body: own } = await api.post(`/projects/${project.id}/snippets`, {
    ...snippet,
    title: 'Secret',
    visibility: 'private',
  });
  const { body: personal } = await api.post('/snippets', { ...snippet, content: snippet.code, visibility: 'private' });
  const pathOf = ({ web_url: url }: { web_url: string }) => new URL(url).pathname;
  const visitor = await signedIn(world, stranger);
  await visitor.get(`/${project.fullPath}/-/snippets`);
  expect(visitor.page).toContain('Tool');
  expect(visitor.page).not.toContain('Secret');
  await visitor.get(pathOf(open));
  expect(visitor.page).not.toContain('<script>steal');
  // Colours are around the words of the text.
  expect(visitor.page.replace(/<\/?span[^>]*>/g, '')).toContain('&lt;script&gt;steal()&lt;/script&gt;');
  expect([(await visitor.get(pathOf(own))).status, (await visitor.get(pathOf(personal))).status]).toEqual([404, 404]);
  const browser = await signedIn(world, owner);
  expect([(await browser.get(pathOf(own))).status, (await browser.get(pathOf(personal))).status]).toEqual([200, 200]);
});
