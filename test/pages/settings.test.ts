// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

describe('General settings of a project', () => {
  it('change name, description, topics and features, and show again what was refused', async () => {
    const owner = await world.user();
    const project = await world.project({ owner });
    const at = `/${project.fullPath}/-/settings/general`;
    const browser = await signedIn(world, owner);
    await browser.get(at);
    const name = world.unique('Renamed');
    await browser.submit(at, { name, description: '<b>About</b>', tagList: 'fast, small', defaultBranch: '' });
    expect(browser.answer.headers.location).toBe(at);
    const saved = await world.db.project.findUniqueOrThrow({ where: { id: project.id } });
    expect(saved).toMatchObject({ name, description: '<b>About</b>', tagList: ['fast', 'small'] });
    await browser.get(at);
    expect(browser.page).toContain('&lt;b&gt;About&lt;/b&gt;');
    expect(browser.page).toContain('value="fast, small"');
    expect((await browser.submit(at, { name: '-', description: 'x'.repeat(2001), tagList: 'kept' })).status).toBe(422);
    expect(browser.page).toContain('value="kept"');
    expect(browser.page).toContain('aria-invalid="true"');
    const features = Object.fromEntries(
      ['issues', 'mergeRequests', 'jobs', 'snippets', 'wiki', 'containerRegistry', 'featureFlags'].map((one) => [
        `${one}Access`,
        one === 'snippets' ? 'disabled' : 'enabled',
      ]),
    );
    await browser.submit(`${at}/features`, {
      ...features,
      lfsEnabled: ['false', 'true'],
      requestAccessEnabled: 'false',
    });
    expect(browser.answer.headers.location).toBe(at);
    expect(await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).toMatchObject({
      ...{ snippetsEnabled: false, issuesEnabled: true, lfsEnabled: true, requestAccessEnabled: false },
    });
    await browser.submit(`${at}/visibility`, { visibility: 'public' });
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).visibility).toBe('public');
  });

  it('offer to maintainers what they may do, and nothing to developers', async () => {
    const [owner, master, developer] = [await world.user(), await world.user(), await world.user()];
    const project = await world.project({ owner, visibility: 'internal' });
    await world.member(project, master, 'master');
    await world.member(project, developer, 'developer');
    const at = `/${project.fullPath}/-/settings/general`;
    const browser = await signedIn(world, master);
    await browser.get(at);
    expect(browser.answer.status).toBe(200);
    for (const offered of ['settings/access_tokens', '/-/hooks', 'settings/mirrors', 'settings/export'])
      expect(browser.page).toContain(`${offered}"`);
    for (const refused of [
      'general/delete',
      'general/transfer',
      'general/path',
      'general/archive',
      'name="visibility"',
    ])
      expect(browser.page).not.toContain(refused);
    for (const name of ['delete', 'transfer', 'path', 'archive'])
      expect((await browser.get(`${at}/${name}`)).status).toBe(404);
    expect((await browser.confirm(`${at}/delete`, { confirmation: project.fullPath })).status).toBe(404);
    const other = await signedIn(world, developer);
    await other.get(`/${project.fullPath}`);
    expect(other.page).not.toContain('/-/settings/');
    expect((await other.get(at)).status).toBe(404);
    expect((await other.submit(at, { name: 'Mine' })).status).toBe(404);
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).name).toBe(project.name);
  });

  it('are found at the addresses that people know', async () => {
    const owner = await world.user();
    const project = await world.project({ owner });
    const browser = await signedIn(world, owner);
    for (const [known, now] of [
      ['/-/edit', '/-/settings/general'],
      ['/-/settings', '/-/settings/general'],
    ])
      expect((await browser.get(`/${project.fullPath}${known}`)).headers.location).toBe(`/${project.fullPath}${now}`);
  });
});

describe('The danger zone of a project', () => {
  it('tells what is lost with it, and deletes it only when its path was typed', async () => {
    const owner = await world.user();
    const project = await world.project({ owner });
    const other = await world.project({ owner });
    for (const title of ['One', 'Two']) await world.issue(project, owner, { title });
    await world.issue(other, owner, { title: 'Elsewhere' });
    const at = `/${project.fullPath}/-/settings/general/delete`;
    const browser = await signedIn(world, owner);
    await browser.get(at);
    expect(browser.page).toContain('<li>2 issues</li>');
    expect(browser.page).toContain('<li>0 merge requests</li>');
    expect(browser.page).toContain(`Type ${project.fullPath} to confirm`);
    for (const confirmation of ['', project.path, other.fullPath]) {
      expect((await browser.confirm(at, { confirmation })).status).toBe(422);
      expect(browser.page).toContain('This is not the path.');
    }
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).deletedAt).toBeNull();
    await browser.confirm(at, { confirmation: project.fullPath });
    expect(browser.answer.headers.location).toBe('/explore');
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).deletedAt).not.toBeNull();
    const [event] = await world.db.auditEvent.findMany({ where: { projectId: project.id }, orderBy: { id: 'desc' } });
    expect(event).toMatchObject({ action: 'project_deleted', authorId: owner.id });
  });

  it('archives and unarchives it, changes its path and transfers it', async () => {
    const owner = await world.user();
    const project = await world.project({ owner });
    const group = await world.group({ owner });
    const browser = await signedIn(world, owner);
    const at = `/${project.fullPath}/-/settings/general`;
    await browser.get(`${at}/archive`);
    await browser.confirm(`${at}/archive`);
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).archived).toBe(true);
    expect((await browser.get(`${at}/archive`)).status).toBe(404);
    await browser.get(`${at}/unarchive`);
    await browser.confirm(`${at}/unarchive`);
    expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).archived).toBe(false);
    const path = world.unique('moved').toLowerCase();
    const [owning] = project.fullPath.split('/');
    expect((await browser.confirm(`${at}/path`, { path: 'no slash/ here' })).status).toBe(422);
    await browser.confirm(`${at}/path`, { path });
    const now = `/${owning}/${path}/-/settings/general`;
    expect(browser.answer.headers.location).toBe(now);
    const fields = { namespace: group.fullPath };
    expect((await browser.confirm(`${now}/transfer`, { ...fields, confirmation: project.fullPath })).status).toBe(422);
    await browser.confirm(`${now}/transfer`, { ...fields, confirmation: `${owning}/${path}` });
    expect(browser.answer.headers.location).toBe(`/${group.fullPath}/${path}/-/settings/general`);
  });
});

it('General settings of a group change it, and delete it with what is inside', async () => {
  const [owner, master] = [await world.user(), await world.user()];
  const group = await world.group({ owner });
  await world.member(group, master, 'master');
  await world.project({ owner, namespaceId: group.id });
  await world.group({ owner, parentId: group.id });
  const at = `/groups/${group.fullPath}/-/settings/general`;
  const other = await signedIn(world, master);
  await other.get(`/groups/${group.fullPath}`);
  expect(other.page).not.toContain('/-/settings/');
  expect((await other.get(at)).status).toBe(404);
  const browser = await signedIn(world, owner);
  await browser.get(at);
  const name = world.unique('Group');
  await browser.submit(at, { name, description: 'All of it', visibility: 'private' });
  expect(browser.answer.headers.location).toBe(at);
  await browser.submit(`${at}/rights`, { projectCreationLevel: 'owner', subgroupCreationLevel: 'maintainer' });
  expect(await world.db.namespace.findUniqueOrThrow({ where: { id: group.id } })).toMatchObject({
    ...{ name, projectCreationLevel: 'owner', subgroupCreationLevel: 'maintainer' },
  });
  await browser.get(`${at}/delete`);
  expect(browser.page).toContain('<li>1 project</li>');
  expect(browser.page).toContain('<li>1 group inside</li>');
  expect((await browser.confirm(`${at}/delete`, { confirmation: name })).status).toBe(422);
  await browser.confirm(`${at}/delete`, { confirmation: group.fullPath });
  expect(browser.answer.headers.location).toBe('/explore/groups');
  expect((await world.db.namespace.findUniqueOrThrow({ where: { id: group.id } })).deletedAt).not.toBeNull();
});

it('Badges are added, changed and deleted; those of a group are shown in its projects', async () => {
  const owner = await world.user();
  const group = await world.group({ owner });
  const project = await world.project({ owner, namespaceId: group.id });
  const browser = await signedIn(world, owner);
  const links = { linkUrl: 'https://ci.example/%{project_path}', imageUrl: 'https://ci.example/badge.svg' };
  const ofGroup = `/groups/${group.fullPath}/-/settings/badges`;
  await browser.get(ofGroup);
  await browser.submit(ofGroup, { name: 'Everywhere', ...links });
  const at = `/${project.fullPath}/-/settings/badges`;
  expect((await browser.submit(at, { name: 'Bad', ...links, linkUrl: 'javascript:alert(1)' })).status).toBe(422);
  await browser.submit(at, { name: 'Own', ...links });
  await browser.get(at);
  expect(browser.page).toContain('Everywhere');
  const badge = await world.db.badge.findFirstOrThrow({ where: { projectId: project.id } });
  const inherited = await world.db.badge.findFirstOrThrow({ where: { groupId: group.id } });
  expect(browser.page).not.toContain(`${at}/${inherited.id}/edit`);
  expect((await browser.get(`${at}/${inherited.id}/edit`)).status).toBe(404);
  await browser.get(`${at}/${badge.id}/edit`);
  await browser.submit(`${at}/${badge.id}/edit`, { name: 'Changed', ...links });
  expect((await world.db.badge.findUniqueOrThrow({ where: { id: badge.id } })).name).toBe('Changed');
  await browser.get(`${at}/${badge.id}/delete`);
  await browser.confirm(`${at}/${badge.id}/delete`);
  expect(await world.db.badge.count({ where: { id: badge.id } })).toBe(0);
});

it('Badges of several pages are turned over in both directions, and one without a name is called as it leads', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const linkUrl = 'https://nameless.example/';
  const badges = [null, ...Array.from({ length: 21 }, (_, index) => `Badge ${index}`)];
  await world.db.badge.createMany({
    data: badges.map((name) => ({ projectId: project.id, name, linkUrl, imageUrl: 'https://ci.example/badge.svg' })),
  });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/settings/badges`);
  expect(browser.page).toContain(`<strong>${linkUrl}</strong>`);
  const linkOf = (rel: string) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(browser.page)?.[1] ?? '';
  await browser.get(linkOf('next'));
  expect(browser.page).toContain('<strong>Badge 20</strong>');
  await browser.get(linkOf('prev'));
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('<strong>Badge 0</strong>');
  expect(browser.page).not.toContain('<strong>Badge 20</strong>');
});

it('Merge options are saved, and the templates of descriptions are listed', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/settings/merge_requests`;
  await browser.get(at);
  const fields = {
    mergeMethod: 'fast_forward',
    squashOption: 'always',
    onlyAllowMergeIfPipelineSucceeds: ['false', 'true'],
  };
  await browser.submit(at, { ...fields, mergeCommitTemplate: 'Merge %{title}', squashCommitTemplate: '' });
  expect(browser.answer.headers.location).toBe(at);
  const saved = await world.db.project.findUniqueOrThrow({ where: { id: project.id } });
  expect(saved).toMatchObject({ squashOption: 'always', mergeCommitTemplate: 'Merge %{title}' });
  expect(saved).toMatchObject({ onlyAllowMergeIfPipelineSucceeds: true, squashCommitTemplate: null });
  expect((await browser.submit(at, { ...fields, mergeCommitTemplate: 'x'.repeat(501) })).status).toBe(422);
  await browser.get(`/${project.fullPath}/-/settings/templates`);
  expect(browser.page).toContain('No templates for issues.');
});
