import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { filterIn, wordsOf } from '#pages/filter.ts';
import { alertsOn, Browser, noticeOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
const guest = await world.user();
await world.member(project, guest, 'guest');
const at = `/${project.fullPath}/-/issues`;

const issueOf = async (iid: number) => (await world.api(owner).get(`/projects/${project.id}/issues/${iid}`)).body;

it('reads the words of a filter, takes what means nothing for text, and writes them again', () => {
  const words =
    'is:closed label:bug label:"good first issue" author:@me milestone:"v 1" colour:red is:odd some "two words"';
  const filter = filterIn({ q: words }, 'issues');
  expect(filter).toMatchObject({
    ...{ state: 'closed', labels: ['bug', 'good first issue'], author: '@me', milestone: 'v 1' },
    search: 'colour:red is:odd some "two words"',
  });
  expect(filterIn({ q: wordsOf(filter) }, 'issues')).toEqual(filter);
  expect(filterIn({ q: `${'a'.repeat(3_000)} label:bug` }, 'issues')).toMatchObject({ labels: [] });
  // Reviewers are of merge requests alone; parameters of their own win.
  expect(filterIn({ q: 'reviewer:ada author:ada', author: 'ben' }, 'issues')).toMatchObject({
    ...{ reviewer: '', author: 'ben', search: 'reviewer:ada' },
  });
});

it('filters the list by words, which mean the reader by @me, and keeps them in the field', LONG, async () => {
  const label = world.unique('bug');
  const mine = await world.issue(project, owner, { title: world.unique('Mine'), labels: [label] });
  const other = await world.issue(project, guest, { title: world.unique('Another') });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}?q=${encodeURIComponent(`label:${label} author:@me`)}`);
  expect(browser.page).toContain(mine.title);
  expect(browser.page).not.toContain(other.title);
  expect(browser.page).toContain(`value="label:${label} author:@me"`);
  await browser.get(`${at}?q=${encodeURIComponent(`author:${guest.username} no:such`)}`);
  expect(browser.page).not.toContain(mine.title);
  expect(browser.page).not.toContain(other.title);
  await browser.get(`${at}?author=${guest.username}`);
  expect(browser.page).toContain(other.title);
  expect(browser.page).toContain(`value="author:${guest.username}"`);
});

it('changes one fact of an issue beside it, and nothing else, for those who may', LONG, async () => {
  const label = world.unique('kept');
  const { iid } = await world.issue(project, owner, { title: 'Facts', labels: [label] });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/${iid}`);
  expect(browser.page).toContain(`action="${at}/${iid}/facts"`);
  await browser.submit(`${at}/${iid}/facts`, { assigneeUsernames: `${owner.username}, ${guest.username}` });
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('The issue was saved.');
  await browser.submit(`${at}/${iid}/facts`, { dueDate: '2030-01-02' });
  await browser.submit(`${at}/${iid}/estimate`, { duration: '3h' });
  await browser.submit(`${at}/${iid}/spent`, { duration: '1h', summary: 'Reading' });
  const now = await issueOf(iid);
  expect(now).toMatchObject({ labels: [label], due_date: '2030-01-02', title: 'Facts' });
  expect(now.assignees.map(({ username }: { username: string }) => username)).toEqual([owner.username, guest.username]);
  expect(now.time_stats).toMatchObject({ time_estimate: 10_800, total_time_spent: 3_600 });
  await browser.submit(`${at}/${iid}/facts`, { assigneeUsernames: 'nobody-here' });
  expect(alertsOn(browser.page).join()).toContain('has users who cannot read the project');
  const outsider = await signedIn(world, await world.user());
  await outsider.get(`${at}/${iid}`);
  expect(outsider.page).not.toContain('/facts"');
  expect((await outsider.submit(`${at}/${iid}/facts`, { dueDate: '' })).status).toBe(422);
  expect((await issueOf(iid)).due_date).toBe('2030-01-02');
});

it('changes chosen issues alike, and says which it could not', LONG, async () => {
  const mine = await world.issue(project, owner, { title: world.unique('First') });
  const second = await world.issue(project, owner, { title: world.unique('Second') });
  const apart = await world.issue(project, owner, { title: world.unique('Apart') });
  const label = world.unique('alike');
  const ids = [String(mine.id), String(second.id)];
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain('id="bulk"');
  await browser.submit(`${at}/bulk`, { ids, addLabels: label, stateEvent: 'close', assignees: '', removeLabels: '' });
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('The chosen issues were changed.');
  for (const { iid } of [mine, second]) expect(await issueOf(iid)).toMatchObject({ state: 'closed', labels: [label] });
  expect(await issueOf(apart.iid)).toMatchObject({ state: 'opened', labels: [] });
  // Guests may close what they wrote themselves.
  const own = await world.issue(project, guest, { title: world.unique('Own') });
  const other = await signedIn(world, guest);
  await other.get(at);
  await other.submit(`${at}/bulk`, { ids: [String(own.id), String(apart.id)], stateEvent: 'close' });
  expect(noticeOn(other.page)).toBe('Not all of the chosen ones were changed.');
  expect(other.page).toContain(apart.title);
  expect((await issueOf(own.iid)).state).toBe('closed');
  expect((await issueOf(apart.iid)).state).toBe('opened');
});

it('ticks a task, unless the text has changed since it was shown', async () => {
  const description = '- [ ] one\n- [x] two';
  const { iid } = await world.issue(project, owner, { title: 'Tasks', description });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/${iid}`);
  const on = /name="on" value="([^"]*)"><input type="hidden" name="count" value="2"/.exec(browser.page)?.[1] ?? '';
  const textSha256 = createHash('sha256').update(description).digest('hex');
  const sent = { on, task: '1', count: '2', textSha256, done: 'true', back: `${at}/${iid}` };
  await browser.submit(`/${project.fullPath}/-/tasks`, sent);
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('The task is done.');
  expect((await issueOf(iid)).description).toBe('- [x] one\n- [x] two');
  expect((await browser.submit(`/${project.fullPath}/-/tasks`, sent)).status).toBe(409);
  const visitor = new Browser(world.send);
  await visitor.get(`${at}/${iid}`);
  expect(visitor.page).not.toContain('role="checkbox"');
});

it('gives a reaction and takes it back, with how many others gave it', async () => {
  const { iid } = await world.issue(project, owner, { title: 'Liked' });
  await world.api(guest).post(`/projects/${project.id}/issues/${iid}/award_emoji`, { name: 'tada' });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/${iid}`);
  const on = /class="reactions"[\s\S]*?name="on" value="([^"]*)"/.exec(browser.page)?.[1] ?? '';
  await browser.submit(`/${project.fullPath}/-/awards`, { on, name: 'tada', back: `${at}/${iid}` });
  await browser.follow();
  expect(browser.page).toMatch(/aria-pressed="true"[^>]*>🎉 2</);
  const back = /action="([^"]*\/take_back)"/.exec(browser.page)?.[1] ?? '';
  await browser.submit(back, { on, back: `${at}/${iid}` });
  await browser.follow();
  expect(browser.page).toMatch(/aria-pressed="false"[^>]*>🎉 1</);
});

it('finds people, labels and places for pickers and the palette, as far as the reader sees them', LONG, async () => {
  const browser = await signedIn(world, owner);
  const { body } = await browser.get(`/${project.fullPath}/-/choices?kind=user&text=${guest.username}`);
  expect(body).toEqual([{ value: guest.username, label: expect.any(String), about: `@${guest.username}` }]);
  const hidden = await world.project({ owner, visibility: 'private', name: world.unique('Hidden') });
  const paths = async (who: Browser, query: string) =>
    ((await who.get(`/-/palette?${query}`)).body as { path: string }[]).map(({ path }) => path);
  expect(await paths(browser, `text=${hidden.name}`)).toContain(`/${hidden.fullPath}`);
  const visitor = new Browser(world.send);
  expect(await paths(visitor, `text=${hidden.name}`)).toEqual([]);
  expect(await paths(browser, `project=${project.fullPath}&text=new`)).toContain(`${at}/new`);
  expect(await paths(visitor, `project=${project.fullPath}&text=new`)).not.toContain(`${at}/new`);
  expect((await visitor.get('/-/choices?kind=user&text=a')).body).toEqual([]);
  const values = async (who: Browser, address: string) =>
    ((await who.get(address)).body as { value: string }[]).map(({ value }) => value);
  const outsider = await signedIn(world, await world.user());
  for (const kind of ['project', 'namespace']) {
    const name = kind === 'project' ? hidden.fullPath : owner.username;
    const address = `/-/choices?kind=${kind}&text=${encodeURIComponent(kind === 'project' ? hidden.name : name)}`;
    expect(await values(browser, address)).toContain(name);
    for (const who of [outsider, visitor]) expect(await values(who, address)).not.toContain(name);
  }
  expect(await values(browser, `/-/choices?kind=user&text=${'a'.repeat(5_000)}`)).toEqual([]);
  const file = { branch: 'main', content: '# Hello', commit_message: 'Begin' };
  await world.api(owner).post(`/projects/${hidden.id}/repository/files/README.md`, file);
  const branches = `/${hidden.fullPath}/-/choices?kind=branch&text=ma`;
  expect(await values(browser, branches)).toEqual(['main']);
  expect((await outsider.get(branches)).status).toBe(404);
});
