import { expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('lists the open issues of a public project for visitors, too, without confidential ones', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  await world.issue(project, owner, { title: 'Broken <b>link</b>' });
  const old = await world.issue(project, owner, { title: 'Old news' });
  await world.api(owner).put(`/projects/${project.id}/issues/${old.iid}`, { state_event: 'close' });
  const address = `/${project.fullPath}/-/issues`;
  await world.issue(project, owner, { title: 'Leaked key', confidential: true });
  const stranger = new Browser(world.send);
  await stranger.get(address);
  expect(stranger.answer.status).toBe(200);
  expect(stranger.page).toContain('Broken &lt;b&gt;link&lt;/b&gt;');
  expect(stranger.page).not.toContain('Leaked key');
  expect((await stranger.get(`${address}/new`)).headers.location).toMatch(/sign_in/);
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

it(
  'opens an issue with assignees, labels, milestone and due date for reporters, who alone are offered them',
  LONG,
  async () => {
    const [owner, guest] = [await world.user(), await world.user()];
    const project = await world.project({ owner });
    await world.member(project, guest, 'guest');
    const milestone = await world.milestone(project, owner, { title: 'First <i>release</i>' });
    const browser = await signedIn(world, owner);
    await browser.get(
      `/${project.fullPath}/-/issues/new?issue[title]=From%20a%20"tool"&issue[description]=Steps%20<b>`,
    );
    expect(browser.page).toContain('value="From a &quot;tool&quot;"');
    expect(browser.page).toContain('Steps &lt;b&gt;</textarea>');
    const fields = { title: 'Everything', labels: 'bug, ui', dueDate: '2030-01-31' };
    expect(browser.page).toContain(`data-picker="/${project.fullPath}/-/choices?kind=milestone"`);
    await browser.submit(`/${project.fullPath}/-/issues`, {
      ...fields,
      milestone: milestone.title,
      assigneeUsernames: 'nobody-here',
    });
    expect(alertsOn(browser.page)).toEqual(['Assignees has users who cannot read the project']);
    expect(browser.page).toContain('value="bug, ui"');
    const assigneeUsernames = `${owner.username.toUpperCase()}, @${guest.username}`;
    await browser.submit(`/${project.fullPath}/-/issues`, { ...fields, milestone: milestone.title, assigneeUsernames });
    const { body } = await world.api(owner).get(`/projects/${project.id}/issues/1`);
    expect(body).toMatchObject({ labels: ['bug', 'ui'], due_date: '2030-01-31', milestone: { id: milestone.id } });
    expect(body.assignees.map(({ id }: { id: number }) => id)).toEqual([owner.id, guest.id]);
    await browser.follow();
    expect(browser.page).toContain('First &lt;i&gt;release&lt;/i&gt;');
    const other = await signedIn(world, guest);
    await other.get(`/${project.fullPath}/-/issues/new`);
    expect(other.page).not.toContain('name="labels"');
    await other.submit(`/${project.fullPath}/-/issues`, { title: 'With labels', labels: 'bug' });
    expect(other.answer.status).toBe(422);
  },
);

it('changes an issue on its page for editing, and clears what is emptied', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const issue = await world.issue(project, owner, { description: 'Old' });
  const path = `/${project.fullPath}/-/issues/${issue.iid}`;
  await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { labels: 'bug', due_date: '2030-01-01' });
  const browser = await signedIn(world, owner);
  await browser.get(`${path}/edit`);
  expect(browser.page).toContain('value="bug"');
  expect(browser.page).toContain('value="2030-01-01"');
  await browser.submit(`${path}/edit`, { title: '' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['Title can&#39;t be blank']);
  const sent = { title: 'New', description: '', labels: '', dueDate: '', assigneeUsernames: '', milestone: '' };
  await browser.submit(`${path}/edit`, { ...sent, confidential: 'true' });
  expect(browser.answer.headers.location).toBe(path);
  expect((await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`)).body).toMatchObject({
    ...{ title: 'New', labels: [], due_date: null, confidential: true },
  });
});

it('closes and reopens an issue, subscribes and unsubscribes, links another and removes the link', LONG, async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const [issue, other] = [
    await world.issue(project, owner),
    await world.issue(project, owner, { title: 'The <other>' }),
  ];
  const path = `/${project.fullPath}/-/issues/${issue.iid}`;
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).toContain('Close issue');
  expect(browser.page).not.toMatch(/undefined|null/);
  await browser.submit(`${path}/state`, { stateEvent: 'CLOSE' });
  await browser.follow();
  expect(browser.page).toContain('Reopen issue');
  await browser.submit(`${path}/unsubscribe`);
  await browser.follow();
  expect(browser.page).toContain(`${path}/subscribe"`);
  await browser.submit(`${path}/links`, { targetProject: project.fullPath, targetIid: String(issue.iid) });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toHaveLength(1);
  await browser.submit(`${path}/links`, { targetProject: project.fullPath, targetIid: String(other.iid) });
  await browser.follow();
  expect(browser.page).toContain('The &lt;other&gt;');
  const [, removal = ''] = /action="([^"]*\/links\/[^"]*\/delete)"/.exec(browser.page) ?? [];
  await browser.confirm(removal);
  await browser.follow();
  expect(browser.page).not.toContain('Linked issues</h2>');
});

it('asks before it moves or deletes an issue, and offers both to those who may', LONG, async () => {
  const [owner, reporter, guest] = [await world.user(), await world.user(), await world.user()];
  const [project, target] = [await world.project({ owner }), await world.project({ owner })];
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const issue = await world.issue(project, owner, { title: 'To go' });
  const path = `/${project.fullPath}/-/issues/${issue.iid}`;
  for (const [who, moves, deletes, edits] of [
    [owner, true, true, true],
    [reporter, true, false, true],
    [guest, false, false, false],
  ] as const) {
    const browser = await signedIn(world, who);
    await browser.get(path);
    expect(browser.page.includes(`${path}/move`)).toBe(moves);
    expect(browser.page.includes(`${path}/delete`)).toBe(deletes);
    expect(browser.page.includes(`${path}/state`)).toBe(edits);
    expect((await browser.get(`${path}/move`)).status).toBe(moves ? 200 : 404);
    expect((await browser.get(`${path}/delete`)).status).toBe(deletes ? 200 : 404);
    expect((await browser.get(`${path}/edit`)).status).toBe(edits ? 200 : 404);
  }
  const browser = await signedIn(world, owner);
  await browser.get(`${path}/move`);
  await browser.submit(`${path}/move`, { to: target.fullPath });
  expect(browser.answer.headers.location).toBe(`/${target.fullPath}/-/issues/1`);
  await browser.follow();
  await browser.confirm(`/${target.fullPath}/-/issues/1/delete`);
  expect(browser.answer.headers.location).toBe(`/${target.fullPath}/-/issues`);
  await browser.get(`/${target.fullPath}/-/issues/1`);
  expect(browser.answer.status).toBe(404);
});

it('hides a confidential issue from everyone else, and shows stored scripts as text', LONG, async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const script = '<script>alert(1)</script>';
  const issue = await world.issue(project, owner, { title: script, description: script, confidential: true });
  await world.label(project, owner, script);
  await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { labels: script });
  const path = `/${project.fullPath}/-/issues/${issue.iid}`;
  const browser = await signedIn(world, owner);
  for (const address of [path, `${path}/edit`, `/${project.fullPath}/-/issues`]) {
    await browser.get(address);
    expect(browser.answer.status).toBe(200);
    expect(browser.page).not.toContain(script);
  }
  const stranger = await signedIn(world, await world.user());
  expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.get(`${path}/edit`)).status).toBe(404);
});

it('filters and sorts the list by what its address says, and keeps that in the form', async () => {
  const [owner, other] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'public' });
  await world.issue(project, owner, { title: 'Bee', labels: ['bug', 'ui'], assigneeId: owner.id });
  await world.issue(project, owner, { title: 'Ant', labels: ['bug'] });
  await world.issue(project, other, { title: 'Cat' });
  const browser = await signedIn(world, owner);
  const titles = async (query: string) => {
    await browser.get(`/${project.fullPath}/-/issues?${query}`);
    return [...browser.page.matchAll(/class="row-title"[^>]*>([^<]*)</g)].map(([, title]) => title);
  };
  expect(await titles('sort=title&direction=asc')).toEqual(['Ant', 'Bee', 'Cat']);
  expect(browser.page).toMatch(/<a href="[^"]*sort=title&amp;direction=asc[^"]*" aria-current="true">/);
  expect(await titles('labels=bug&author=&assignee=&milestone=')).toEqual(['Ant', 'Bee']);
  expect(await titles('labels=bug&labels=ui&labels=')).toEqual(['Bee']);
  expect(browser.page).toContain('name="labels" type="text" value="bug, ui"');
  expect(await titles(`author=${other.username}`)).toEqual(['Cat']);
  expect(await titles(`assignee=${owner.username}`)).toEqual(['Bee']);
  expect(browser.page).toContain(`q=assignee%3A${owner.username}&amp;state=closed`);
  expect((await browser.get(`/${project.fullPath}/-/issues?sort=nonsense`)).status).toBe(400);
});
