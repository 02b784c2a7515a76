// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();

async function deployed(owner: TestUser, project: { id: number }, name: string, count: number, data: object = {}) {
  const environment = await world.db.environment.create({
    data: { projectId: project.id, name, slug: world.unique('slug'), ...data },
  });
  const first = await world.db.deployment.count({ where: { projectId: project.id } });
  for (let at = 1; at <= count; at++) {
    const by = { projectId: project.id, userId: owner.id, environmentId: environment.id, iid: first + at };
    await world.db.deployment.create({ data: { ...by, ref: `release-${name}-${at}`, sha: '1'.repeat(40) } });
  }
  return environment;
}

it('lists environments by state with their latest deployment, and when they stop', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const at = `/${project.fullPath}/-/environments`;
  const production = await deployed(owner, project, 'production', 2, {
    externalUrl: 'https://example.org/?a=1&b=2',
    autoStopAt: new Date(Date.now() + 3 * 86_400_000 + 60_000),
  });
  const old = await deployed(owner, project, 'old', 0, { state: 'stopped' });
  const elsewhere = await deployed(owner, await world.project({ owner }), 'elsewhere', 1);
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain(`${at}/${production.id}"`);
  for (const text of ['release-production-2', 'https://example.org/?a=1&amp;b=2', 'in 3 days', `${at}/${old.id}"`]) {
    expect(browser.page).toContain(text);
  }
  for (const text of ['release-production-1', `environments/${elsewhere.id}"`])
    expect(browser.page).not.toContain(text);
  await browser.get(`${at}?state=stopped`);
  expect(browser.page).not.toContain(`${at}/${production.id}"`);
  await browser.get(`${at}?name=production`);
  expect(browser.page).not.toContain(`${at}/${old.id}"`);
});

it('shows the deployments to one environment, newest first, page by page', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const one = await deployed(owner, project, 'staging', 25);
  await deployed(owner, project, 'decoy', 1);
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/environments/${one.id}`);
  const refs = [...browser.page.matchAll(/release-(\w+-\d+)/g)].map(([, ref]) => ref);
  expect(refs).toEqual(Array.from({ length: 20 }, (_, at) => `staging-${25 - at}`));
  const next = /rel="next" href="([^"]*)"/.exec(browser.page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  await browser.get(next);
  expect(browser.page).toContain('release-staging-1 ');
  expect(browser.page).not.toContain('decoy-1');
});

it('asks before it stops an environment, and deletes only one that is stopped', async () => {
  const owner = await world.user();
  const developer = await world.user();
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  const { id } = await deployed(owner, project, 'review', 1);
  const at = `/${project.fullPath}/-/environments/${id}`;
  const browser = await signedIn(world, owner);
  expect((await browser.get(`${at}/delete`)).status).toBe(404);
  const other = await signedIn(world, developer);
  await other.get(`${at}/stop`);
  expect(other.page).toContain('Stop review?');
  expect((await other.confirm(`${at}/stop`)).headers.location).toBe(at);
  expect((await world.db.environment.findUniqueOrThrow({ where: { id } })).state).toBe('stopped');
  await other.follow();
  expect(other.page).not.toContain(`${at}/delete`);
  expect((await other.confirm(`${at}/delete`)).status).toBeGreaterThanOrEqual(400);
  await browser.get(`${at}/delete`);
  expect(browser.page).toContain('Delete review?');
  expect((await browser.confirm(`${at}/delete`)).headers.location).toBe(`/${project.fullPath}/-/environments`);
  expect(await world.db.environment.count({ where: { id } })).toBe(0);
});

it('keeps environments from those who are not members of a project that is open', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'internal' });
  const { id } = await deployed(owner, project, 'secret-place', 1);
  const browser = await signedIn(world, await world.user());
  for (const path of ['', `/${id}`, `/${id}/stop`]) {
    expect((await browser.get(`/${project.fullPath}/-/environments${path}`)).status).toBeGreaterThanOrEqual(400);
    expect(browser.page).not.toContain('secret-place');
  }
  await browser.get(`/${project.fullPath}/-/pipelines`);
  expect(browser.page).not.toContain('/-/environments"');
});
