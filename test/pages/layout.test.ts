import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('shows forms for new projects and groups as any page, and discussions under a heading of their own', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const issue = await world.issue(project, owner);
  const browser = await signedIn(world, owner);
  for (const address of ['/projects/new', '/groups/new']) {
    expect((await browser.get(address)).status).toBe(200);
    expect(browser.page).toContain('<body>');
  }
  await browser.get(`/${project.fullPath}/-/issues/${issue.iid}`);
  expect(browser.page).toContain('<h2 id="activity">Activity</h2>');
});

it('reads nothing in the layout that a page could name', () => {
  const layout = readFileSync(new URL('../../pages/views/layout.eta', import.meta.url), 'utf8');
  expect([...layout.matchAll(/\bit\b[.\w]*/g)].map(([read]) => read)).toEqual(['it.body']);
});
