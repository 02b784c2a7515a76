// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const globalId = (id: number) => Buffer.from(`Label:${id}`).toString('base64url');

it('lists the labels of a project with their open issues, and searches them', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  await world.label(project, owner, 'bug <script>alert(1)</script>');
  await world.label(project, owner, 'feature');
  await world.issue(project, owner, { labels: ['feature'] });
  const address = `/${project.fullPath}/-/labels`;
  expect((await new Browser(world.send).get(address)).status).toBe(200);
  const visitor = await signedIn(world, await world.user());
  await visitor.get(address);
  expect(visitor.page).toContain('bug &lt;script&gt;');
  expect(visitor.page).not.toContain('<script>alert');
  expect(visitor.page).toContain(`/${project.fullPath}/-/issues?labels=feature">1 open issue</a>`);
  expect(visitor.page).not.toContain('/edit"');
  expect(visitor.page).not.toContain('New label');
  await visitor.get(`${address}?search=feat`);
  expect(visitor.page).toContain('feature');
  expect(visitor.page).not.toContain('bug &lt;');
});

it('creates, changes and deletes a label, for reporters alone', async () => {
  const [owner, guest] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, guest, 'guest');
  const address = `/${project.fullPath}/-/labels`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}/new`);
  await browser.submit(address, { title: 'a, b', color: '#00ff00', description: 'Kept' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toHaveLength(1);
  expect(browser.page).toContain('value="Kept"');
  await browser.submit(address, { title: 'docs', color: '#00ff00', description: 'What is **written**', priority: '2' });
  expect(browser.answer.headers.location).toBe(address);
  const { id } = await world.db.label.findFirstOrThrow({ where: { projectId: project.id } });
  const one = `${address}/${globalId(id)}`;
  await browser.get(address);
  expect(browser.page).toContain('Priority 2');
  const other = await signedIn(world, guest);
  await other.get(address);
  expect(other.page).toContain('docs');
  for (const page of [`${address}/new`, `${one}/edit`, `${one}/delete`])
    expect((await other.get(page)).status).toBe(404);
  await other.get(address);
  await other.confirm(`${one}/delete`);
  expect(other.answer.status).toBe(403);
  await browser.get(`${one}/edit`);
  expect(browser.page).toContain('What is **written**');
  await browser.submit(`${one}/edit`, { title: 'docs', color: '#0000ff', description: '', priority: '' });
  expect(await world.db.label.findUniqueOrThrow({ where: { id } })).toMatchObject({ color: '#0000ff' });
  await browser.get(address);
  expect(browser.page).not.toContain('Priority 2');
  await browser.get(`${one}/delete`);
  expect(await world.db.label.count({ where: { id } })).toBe(1);
  await browser.confirm(`${one}/delete`);
  expect(await world.db.label.count({ where: { id } })).toBe(0);
  await browser.get(address);
  expect(browser.page).toContain('There are no labels yet');
});

it('subscribes to a label and back, and stays on the page of the list', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const { id } = await world.label(project, owner, 'docs');
  const address = `/${project.fullPath}/-/labels`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}?search=docs`);
  await browser.submit(`${address}/${globalId(id)}/subscribe?search=docs`);
  expect(browser.answer.headers.location).toBe(`${address}?search=docs`);
  await browser.follow();
  expect(browser.page).toContain(`${globalId(id)}/unsubscribe`);
  await browser.submit(`${address}/${globalId(id)}/unsubscribe?search=docs`);
  await browser.follow();
  expect(browser.page).toContain(`${globalId(id)}/subscribe`);
});

it('shows the label of another project on no page of this one', async () => {
  const owner = await world.user();
  const [project, elsewhere] = [await world.project({ owner }), await world.project({ owner })];
  const { id } = await world.label(elsewhere, owner, 'docs');
  const browser = await signedIn(world, owner);
  expect((await browser.get(`/${project.fullPath}/-/labels/${globalId(id)}/edit`)).status).toBe(404);
  expect((await browser.get(`/${project.fullPath}/-/labels/no-label/edit`)).status).toBe(404);
});

it('costs a list of labels the same statements however many there are', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const counted = async () => (await world.statements(() => browser.get(`/${project.fullPath}/-/labels`))).length;
  await world.label(project, owner);
  const few = await counted();
  for (let at = 0; at < 4; at += 1) await world.label(project, owner);
  expect(await counted()).toBe(few);
});
