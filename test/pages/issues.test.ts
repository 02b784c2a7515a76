import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('lists the open issues of a project, and asks visitors to sign in first', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  await world.issue(project, owner, { title: 'Broken <b>link</b>' });
  const old = await world.issue(project, owner, { title: 'Old news' });
  await world.api(owner).put(`/projects/${project.id}/issues/${old.iid}`, { state_event: 'close' });
  const address = `/${project.fullPath}/-/issues`;
  const stranger = new Browser(world.send);
  expect((await stranger.get(address)).headers.location).toBe(
    `/users/sign_in?return_to=${encodeURIComponent(address)}`,
  );
  const visitor = await signedIn(world, await world.user());
  await visitor.get(`/${project.fullPath}/-/issues`);
  expect(visitor.answer.status).toBe(200);
  expect(visitor.page).toContain('Broken &lt;b&gt;link&lt;/b&gt;');
  expect(visitor.page).not.toContain('Old news');
  await visitor.get(`/${project.fullPath}/-/issues?state=closed`);
  expect(visitor.page).toContain('Old news');
  expect((await visitor.get(`/${project.fullPath}/issues?state=closed`)).headers.location).toBe(
    `/${project.fullPath}/-/issues?state=closed`,
  );
});

it('opens an issue, and shows what is wrong with one beside the field', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/issues/new`);
  await browser.submit(`/${project.fullPath}/-/issues`, { title: 'x'.repeat(300), description: 'Steps' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/field-problem[^>]*>Title is too long/);
  expect(browser.page).toContain('Steps</textarea>');
  const answer = await browser.submit(`/${project.fullPath}/-/issues`, { title: 'It breaks' });
  expect(answer.headers.location).toBe(`/${project.fullPath}/-/issues/1`);
});
