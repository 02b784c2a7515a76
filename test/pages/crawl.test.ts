import { expect, it } from 'vitest';
import { matcher } from '#pages/engine/match.ts';
import { rows } from '#pages/index.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { signedIn } from '../support/oauth.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

/** All addresses of pages in an answer. */
function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    ['web_url', 'target_url'].includes(name) && typeof inner === 'string' ? [inner] : addressesIn(inner),
  );
}

it('every address of a page that REST hands out has /-/ before the resource and leads to a page', async () => {
  const owner = await world.user();
  const group = await world.group({ owner, visibility: 'internal' });
  const below = await world.group({ owner, parentId: group.fullPath, visibility: 'internal' });
  const project = await world.project({ owner, namespaceId: below.id, visibility: 'internal' });
  const { body: milestone } = await world.api(owner).post(`/projects/${project.id}/milestones`, { title: 'One' });
  await world.issue(project, owner, { assigneeIds: [owner.id], milestoneId: milestone.id });
  await world.api(owner).post('/snippets', { title: 'a', file_name: 'a', content: 'a', visibility: 'internal' });
  const at = `/projects/${project.id}`;
  await takenJob(world, owner, project);
  const paths = ['/projects', '/groups', '/user', '/users', '/issues', '/todos', '/snippets', at, `${at}/issues`];
  paths.push(
    `${at}/milestones`,
    `${at}/members`,
    `${at}/boards`,
    `${at}/pipelines`,
    `${at}/jobs`,
    `/groups/${group.id}`,
    `/groups/${group.id}/projects`,
  );
  const found = new Set<string>();
  for (const path of paths) {
    const { status, body } = await world.api(owner).get(path);
    expect([path, status]).toEqual([path, 200]);
    for (const address of addressesIn(body)) found.add(address);
  }
  const addresses = [...found].map((address) => address.replace(world.url, ''));
  expect(addresses.length).toBeGreaterThan(5);
  expect(
    addresses.filter((address) =>
      /\/(?:issues|merge_requests|milestones|snippets)\/\d/.test(address.replaceAll('/-/', '')),
    ),
  ).toEqual([]);
  const browser = await signedIn(world, owner);
  for (const address of addresses) expect([address, (await browser.get(address)).status]).toEqual([address, 200]);
});

it('every link on the pages about pipelines leads to a page, and every form to one that takes it', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const job = await takenJob(world, owner, project);
  await storeArtifacts(world, { id: job.id, projectId: project.id });
  const by = { projectId: project.id, ownerId: owner.id };
  await world.db.pipelineSchedule.create({
    data: { ...by, description: 'Daily', ref: 'refs/heads/main', cron: '@daily' },
  });
  await world.db.environment.create({ data: { projectId: project.id, name: 'production', slug: 'production' } });
  const tokenHash = Buffer.from(world.unique('token'));
  await world.db.runner.create({
    data: { description: 'Builder', tokenHash, projects: { create: { projectId: project.id } } },
  });
  const browser = await signedIn(world, owner);
  const start = `/${project.fullPath}/-/pipelines`;
  const known = new Set([start]);
  const forms = new Set<string>();
  const about = /\/-\/(?:pipelines|jobs|pipeline_schedules|environments|runners|ci)\b/;
  for (const address of known) {
    browser.page = '';
    const { status } = await browser.get(address);
    expect([address, status]).toEqual([address, 200]);
    for (const [, link = ''] of browser.page.matchAll(/href="([^"#]+)[^"]*"/g)) {
      const to = link.replaceAll('&amp;', '&');
      if (about.test(to) && to.startsWith(`/${project.fullPath}/`)) known.add(to);
    }
    for (const [, to = ''] of browser.page.matchAll(/method="post" action="([^"]+)"/g))
      if (about.test(to)) forms.add(to);
  }
  expect(known.size).toBeGreaterThan(40);
  const taken = rows.filter(({ kind }) => kind === 'form').map(({ path }) => matcher(path));
  expect([...forms].filter((path) => !taken.some((match) => match(path)))).toEqual([]);
  expect(forms.size).toBeGreaterThan(10);
});
