import { expect, it } from 'vitest';
import { matcher } from '#pages/engine/match.ts';
import { rows } from '#pages/index.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
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

it('a visitor reads every page of a public place without signing in, and nothing on them that is kept from visitors', {
  ...LONG,
  timeout: 180_000,
}, async () => {
  const SECRET = 'zqsecret';
  const owner = await world.user();
  const recluse = await world.user({ username: 'the-recluse' });
  await world.db.user.update({ where: { id: recluse.id }, data: { privateProfile: true } });
  await world.db.user.update({
    where: { id: owner.id },
    data: { publicEmail: `${SECRET}@example.com`, bio: 'Grows apples' },
  });
  const group = await world.group({ owner, visibility: 'public' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
  await world.project({
    owner,
    namespaceId: group.id,
    visibility: 'internal',
    name: `${SECRET} internal`,
    path: `${SECRET}-internal`,
  });
  const at = `/projects/${project.id}`;
  const api = world.api(owner);
  const { body: milestone } = await api.post(`${at}/milestones`, { title: 'First harvest' });
  await api.post(`${at}/labels`, { name: 'ripe', color: '#ff0000' });
  const file = {
    branch: 'main',
    content: 'Apples',
    commit_message: 'Plant apples',
    author_email: `${SECRET}@example.com`,
  };
  await api.post(`${at}/repository/files/README.md`, file);
  const issue = await world.issue(project, owner, { title: 'Worms', milestoneId: milestone.id, labels: ['ripe'] });
  await world.issue(project, owner, { title: `${SECRET} confidential`, confidential: true, milestoneId: milestone.id });
  await api.post(`${at}/issues/${issue.iid}/notes`, { body: 'Found on two trees' });
  await api.post(`${at}/issues/${issue.iid}/notes`, { body: `${SECRET} internal note`, internal: true });
  await api.post(`${at}/variables`, { key: 'TOKEN', value: SECRET });
  await api.post(`${at}/snippets`, { title: 'Recipe', file_name: 'pie', content: 'Apples', visibility: 'public' });
  await api.post(`${at}/snippets`, {
    title: `${SECRET} recipe`,
    file_name: 'pie',
    content: SECRET,
    visibility: 'private',
  });
  await api.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' });
  await api.post(`${at}/repository/files/PEARS.md`, { ...file, branch: 'topic', commit_message: 'Plant pears' });
  const merging = { source_branch: 'topic', target_branch: 'main', title: 'Pears', milestone_id: milestone.id };
  const { body: mergeRequest } = await api.post(`${at}/merge_requests`, merging);
  await api.post(`${at}/merge_requests/${mergeRequest.iid}/notes`, { body: 'Looks ripe' });
  const job = await takenJob(world, owner, project);
  await world.db.job.update({ where: { id: job.id }, data: { status: 'success' } });
  const starts = [
    `/${project.fullPath}`,
    `/groups/${group.fullPath}`,
    `/${owner.username}`,
    '/explore',
    `/search?search=apples`,
  ];
  const browser = new Browser(world.send);
  const known = new Set(starts);
  const wrong: string[] = [];
  for (const address of known) {
    browser.page = '';
    let { status } = await browser.get(address);
    if (browser.answer.headers.location?.startsWith(`/${project.fullPath}/`)) ({ status } = await browser.follow());
    if (status !== 200) wrong.push(`${address}: ${status}`);
    if (browser.page.includes(SECRET)) wrong.push(`${address} holds a secret`);
    for (const [email] of browser.page.matchAll(/[\w.+-]+@[\w-]+\.(?:test|example|com)\b/g))
      wrong.push(`${address} holds ${email}`);
    if (/<form[^>]*method="post"/.test(browser.page.replace(/<form[^>]*action="\/users\/[^>]*>/g, '')))
      wrong.push(`${address} offers a form`);
    for (const [, link = ''] of browser.page.matchAll(/href="(\/[^"#?]+)[^"]*"/g)) {
      const to = decodeURI(link.replaceAll('&amp;', '&'));
      // The pipeline of this test is of no commit.
      if (/1{40}/.test(to)) continue;
      if (/^\/(?:assets|users|help|api|-\/|graphi?ql|docs|uploads)/.test(to)) continue;
      if (
        to.startsWith(`/${project.fullPath}`) ||
        to.startsWith(`/groups/${group.fullPath}`) ||
        to === `/${owner.username}`
      )
        known.add(to);
    }
  }
  expect(wrong).toEqual([]);
  expect(known.size).toBeGreaterThan(40);
  for (const path of ['/the-recluse', `/${group.fullPath}/${SECRET}-internal`])
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
});

it('every link on the pages about pipelines leads to a page, and every form to one that takes it', LONG, async () => {
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
