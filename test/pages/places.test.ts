import { describe, expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const SCRIPT = '<script>alert(1)</script>';

describe('The start page', () => {
  it('shows what waits for a user, and nothing of others', async () => {
    const [ann, ben] = [await world.user(), await world.user()];
    const project = await world.project({ owner: ann, visibility: 'internal' });
    await world.member(project, ben, 'developer');
    await world.issue(project, ann, { title: `For Ben ${SCRIPT}`, assigneeIds: [ben.id] });
    await world.issue(project, ann, { title: 'For Ann', assigneeIds: [ann.id] });
    const browser = await signedIn(world, ben);
    await browser.get('/');
    expect(browser.answer.status).toBe(200);
    expect(browser.page).toContain('For Ben &lt;script&gt;');
    expect(browser.page).not.toContain(SCRIPT);
    expect(browser.page).toContain('To-dos <span class="count">1</span>');
    expect(browser.page).toContain(`href="/${project.fullPath}"`);
    const lists = browser.page.split('<h2>Your issues')[1]?.split('<h2>Activity')[0];
    expect(lists).not.toContain('For Ann');
  });

  it('tells newcomers what to do next, and shows visitors the page of the server', async () => {
    const browser = await signedIn(world, await world.user());
    await browser.get('/');
    expect(browser.page).toContain('href="/projects/new"');
    expect(browser.page).toContain('Nothing to do');
    const visitor = new Browser(world.send);
    await visitor.get('/');
    expect(visitor.page).toContain('href="/users/sign_in"');
    expect(visitor.page).toContain('href="/explore"');
  });

  it('takes as many statements for many issues and to-dos as for few', LONG, async () => {
    const user = await world.user();
    const project = await world.project({ owner: user });
    const browser = await signedIn(world, user);
    const add = () => world.issue(project, user, { assigneeIds: [user.id] });
    await add();
    // What the server reads once and keeps.
    await browser.get('/');
    const few = await world.statements(() => browser.get('/'));
    await add();
    await add();
    const many = await world.statements(() => browser.get('/'));
    expect(many).toHaveLength(few.length);
  });
});

describe('To-dos', () => {
  it('are done one by one or all at once, and only one’s own', LONG, async () => {
    const [ann, ben] = [await world.user(), await world.user()];
    const project = await world.project({ owner: ann });
    await world.member(project, ben, 'developer');
    for (const title of ['First', 'Second', 'Third']) {
      await world.issue(project, ann, { title, assigneeIds: [ben.id] });
    }
    const browser = await signedIn(world, ben);
    await browser.get('/dashboard/todos');
    const [path = ''] = /\/dashboard\/todos\/[^/"]+\/done/.exec(browser.page) ?? [];
    const stranger = await signedIn(world, ann);
    await stranger.get('/dashboard/todos');
    expect((await stranger.submit(path)).status).toBe(404);
    expect((await browser.submit(path)).headers.location).toBe('/dashboard/todos');
    await browser.get('/dashboard/todos');
    expect(browser.page).not.toContain('Third');
    expect(browser.page).toContain('Second');
    await browser.get('/dashboard/todos?state=done');
    expect(browser.page).toContain('Third');
    await browser.get('/dashboard/todos');
    await browser.submit('/dashboard/todos/done');
    await browser.get('/dashboard/todos');
    expect(browser.page).not.toContain('Second');
    expect(browser.page).toContain('Nothing to do');
  });
});

describe('Explore', () => {
  it('lists projects and groups that a user can see, and finds them by name', async () => {
    const [owner, visitor] = [await world.user(), await world.user()];
    const [open, hidden] = [world.unique('open'), world.unique('hidden')];
    await world.project({ owner, name: open, path: open, visibility: 'public' });
    await world.project({ owner, name: hidden, path: hidden });
    const group = await world.group({ owner, name: `Group ${open}`, path: world.unique('g'), visibility: 'public' });
    const browser = await signedIn(world, visitor);
    await browser.get('/explore');
    expect(browser.page).toContain(open);
    expect(browser.page).not.toContain(hidden);
    await browser.get(`/explore?search=${open.slice(1)}&sort=name`);
    expect(browser.page).toContain(open);
    await browser.get('/explore?search=nothing-has-this-name');
    expect(browser.page).toContain('No projects match');
    await browser.get(`/explore/groups?search=${encodeURIComponent(group.name)}`);
    expect(browser.page).toContain(`href="/groups/${group.fullPath}"`);
  });
});

describe('New projects and groups', () => {
  it('are created by forms, which show what is wrong beside the field', LONG, async () => {
    const owner = await world.user();
    const browser = await signedIn(world, owner);
    const [path, name] = [world.unique('made'), world.unique('group')];
    await browser.get('/groups/new');
    await browser.submit('/groups', { name, path: 'a b', visibility: 'public' });
    expect(browser.answer.status).toBe(422);
    expect(browser.page).toMatch(/id="path-problem">Path /);
    await browser.submit('/groups', { name, path: name, visibility: 'public', parent: '', description: SCRIPT });
    expect(browser.answer.headers.location).toBe(`/groups/${name}`);
    await browser.follow();
    expect(browser.page).not.toContain(SCRIPT);
    await browser.get('/groups/new');
    await browser.submit('/groups', { name: `Über ${name}`, path: '', visibility: 'public', parent: '' });
    expect(browser.answer.headers.location).toBe(`/groups/uber-${name}`);
    await browser.get('/groups/new');
    await browser.submit('/groups', { name: '日本', path: '', visibility: 'public', parent: '' });
    expect(browser.answer.status).toBe(422);
    expect(alertsOn(browser.page)).toEqual(['Path can&#39;t be blank']);
    await browser.get(`/groups/${name}`);
    expect(browser.page).toContain(`/projects/new?namespace=${name}`);
    await browser.get(`/projects/new?namespace=${name}`);
    expect(browser.page).toContain(`<option value="${name}" selected>`);
    await browser.submit('/projects', { name: '', path: '', namespace: name, importUrl: '' });
    expect(browser.answer.status).toBe(422);
    await browser.submit('/projects', {
      name: 'Made here',
      path,
      namespace: name,
      visibility: 'public',
      importUrl: '',
    });
    expect(browser.answer.headers.location).toBe(`/${name}/${path}`);
    await browser.get('/projects/new');
    await browser.submit('/projects', { name: 'Über Öl neu', path: '', namespace: name, visibility: 'public' });
    expect(alertsOn(browser.page)).toEqual([]);
    expect(browser.answer.headers.location).toBe(`/${name}/uber-ol-neu`);
    await browser.get(`/groups/${name}`);
    expect(browser.page).toContain(`href="/${name}/${path}"`);
    await browser.get(`/${name}`);
    expect(browser.page).toContain('Made here');
  });
});

describe('Groups', () => {
  it('show subgroups, projects and members to those who see them', LONG, async () => {
    const [owner, stranger] = [await world.user(), await world.user()];
    const group = await world.group({ owner, visibility: 'private' });
    const below = await world.group({ owner, name: 'Below', parentId: group.fullPath, visibility: 'private' });
    const browser = await signedIn(world, owner);
    await browser.get(`/${group.fullPath}`);
    expect(browser.page).toContain(`href="/groups/${below.fullPath}"`);
    await browser.get(`/groups/${group.fullPath}/-/group_members`);
    expect(browser.page).toContain(`href="/${owner.username}"`);
    const project = await world.project({ owner, namespaceId: below.id });
    const decoy = await world.project({ owner });
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'Inside' });
    await world.api(owner).post(`/projects/${decoy.id}/issues`, { title: 'Outside' });
    await browser.get(`/groups/${group.fullPath}/-/activity`);
    expect(browser.page).toContain(`href="/${project.fullPath}/-/issues/1"`);
    expect(browser.page).not.toContain('Outside');
    const other = await signedIn(world, stranger);
    for (const path of [
      `/groups/${group.fullPath}/-/activity`,
      `/${group.fullPath}`,
      `/groups/${group.fullPath}`,
      `/groups/${group.fullPath}/-/group_members`,
    ]) {
      expect([path, (await other.get(path)).status]).toEqual([path, 404]);
    }
  });

  it('that are missing are a page that lets visitors sign in, and JSON for those who ask for it', async () => {
    const visitor = new Browser(world.send);
    const { status, body } = await world.send('GET', '/nothing-here', { headers: { Accept: 'application/json' } });
    expect([status, body]).toEqual([404, { error: '404 Not Found' }]);
    for (const path of ['/groups/nothing-here', '/nothing-here', '/-/nothing-here']) {
      await visitor.get(path);
      expect([path, visitor.answer.status]).toEqual([path, 404]);
      expect(visitor.page).toContain(`href="/users/sign_in?return_to=${encodeURIComponent(path)}"`);
    }
  });
});

describe('Users', () => {
  it('have a page with projects, activity and contributions that the viewer may see', async () => {
    const [owner, viewer] = [await world.user(), await world.user()];
    const open = await world.project({ owner, name: world.unique('open'), visibility: 'public' });
    const hidden = await world.project({ owner, name: world.unique('hidden') });
    const api = world.api(owner);
    await api.post(`/projects/${open.id}/issues`, { title: 'Seen' });
    await api.post(`/projects/${hidden.id}/issues`, { title: 'Unseen' });
    const own = await signedIn(world, owner);
    await own.get(`/${owner.username}`);
    expect(own.page).toContain('Unseen');
    const total = (page: string) => Number(/<h2>(\d+) contributions?/.exec(page)?.[1]);
    const other = await signedIn(world, viewer);
    await other.get(`/${owner.username}`);
    expect(other.page).toContain('Seen');
    expect(other.page).not.toContain('Unseen');
    expect(other.page).not.toContain(hidden.name);
    expect(total(other.page)).toBeGreaterThan(0);
    expect(total(other.page)).toBeLessThan(total(own.page));
    expect((await other.get('/nobody-has-this-name')).status).toBe(404);
  });
});

describe('User.contributions', () => {
  const query = `query ($username: String!, $from: Date, $to: Date) {
    user(username: $username) { contributions(since: $from, until: $to) { day count } } }`;

  it('counts events by day (UTC) within the days that are asked for', async () => {
    const user = await world.user();
    const project = await world.project({ owner: user, visibility: 'public' });
    await world.db.event.deleteMany({ where: { authorId: user.id } });
    const at = (createdAt: string) =>
      world.db.event.create({ data: { projectId: project.id, authorId: user.id, action: 'joined', createdAt } });
    for (const time of [
      '2026-03-01T23:59:59Z',
      '2026-03-02T00:00:00Z',
      '2026-03-02T23:59:59Z',
      '2026-03-04T00:00:00Z',
    ]) {
      await at(time);
    }
    const ask = async (range: object) =>
      (await world.graphql(query, { username: user.username, ...range }, await world.user())).body;
    expect((await ask({ from: '2026-03-02', to: '2026-03-03' })).data.user.contributions).toEqual([
      { day: '2026-03-02', count: 2 },
    ]);
    expect((await ask({ from: '2026-03-01', to: '2026-03-04' })).data.user.contributions).toEqual([
      { day: '2026-03-01', count: 1 },
      { day: '2026-03-02', count: 2 },
      { day: '2026-03-04', count: 1 },
    ]);
    expect((await ask({ from: '2020-01-01', to: '2026-03-04' })).errors[0].extensions.fields).toEqual({
      since: ['must be at most 365 days before the last day'],
    });
  });
});

describe('Around a project', () => {
  it('are its activity and members, with stored scripts as text', async () => {
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'internal' });
    await world.api(owner).post(`/projects/${project.id}/issues`, { title: SCRIPT });
    const browser = await signedIn(world, await world.user());
    for (const path of [`/${project.fullPath}/-/activity`, `/${project.fullPath}/activity`]) {
      await browser.get(path);
      expect([path, browser.answer.status]).toEqual([path, 200]);
      expect(browser.page).toContain(`href="/${project.fullPath}/-/issues/1"`);
      expect(browser.page).not.toContain(SCRIPT);
    }
    await browser.get(`/${project.fullPath}/-/project_members`);
    expect(browser.page).toContain(`href="/${owner.username}"`);
  });
});

describe('Search', () => {
  it('finds what the caller can see, everywhere and in a project', LONG, async () => {
    const owner = await world.user();
    const word = world.unique('needle');
    const open = await world.project({ owner, name: `${word} project`, path: word, visibility: 'internal' });
    const hidden = await world.project({ owner });
    await world.issue(open, owner, { title: `${word} shown` });
    await world.issue(hidden, owner, { title: `${word} secret` });
    const browser = await signedIn(world, await world.user());
    await browser.get('/search');
    expect(browser.page).toContain('Enter what you look for');
    await browser.get(`/search?search=${word}`);
    expect(browser.page).toContain(`href="/${open.fullPath}"`);
    await browser.get(`/search?search=${word}&scope=issues`);
    expect(browser.page).toContain(`${word} shown`);
    expect(browser.page).not.toContain(`${word} secret`);
    for (const scope of ['groups', 'merge_requests', 'milestones', 'users']) {
      await browser.get(`/search?search=${word}&scope=${scope}`);
      expect([scope, browser.answer.status]).toEqual([scope, 200]);
    }
    for (const scope of ['code', 'issues', 'merge_requests', 'commits', 'comments', 'milestones', 'users']) {
      await browser.get(`/search?search=${word}&scope=${scope}&project_id=${open.id}`);
      expect([scope, browser.answer.status]).toEqual([scope, 200]);
    }
    await browser.get(`/search?search=${word}&scope=issues&project_id=${hidden.id}`);
    expect(browser.answer.status).toBe(404);
    const visitor = new Browser(world.send);
    await visitor.get(`/search?search=${word}&scope=issues`);
    expect(visitor.answer.status).toBe(200);
    expect(visitor.page).not.toContain(`${word} shown`);
  });
});
