// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { Browser } from '../support/browser.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

it('lists merge requests by state, text and filters, with counts that follow them, in a constant number of statements', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  const reviewer = await world.user();
  await withTopic(world, project, owner);
  await opened(world, project, owner, { title: 'Wanted <b>one</b>', labels: ['bug'], reviewerIds: [reviewer.id] });
  const address = `/${project.fullPath}/-/merge_requests`;
  const browser = await signedIn(world, reviewer);
  await browser.get(address);
  const few = await world.statements(() => browser.get(address));
  for (const iid of [2, 3, 4]) await world.mergeRequest(project, owner, { iid, title: `Decoy ${iid}` });
  const gone = await world.mergeRequest(project, owner, { iid: 5, title: 'Draft: Gone' });
  await world.db.mergeRequest.update({ where: { id: gone.id }, data: { state: 'closed' } });
  const many = await world.statements(() => browser.get(address));
  expect(many.length).toBe(few.length);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('Wanted &lt;b&gt;one&lt;/b&gt;');
  expect(browser.page).toContain('Decoy 3');
  expect(browser.page).not.toContain('Draft: Gone');
  expect(browser.page).toMatch(
    /Open <span class="count">4<.*\n.*Merged <span class="count">0<.*\n.*Closed <span class="count">1</,
  );
  for (const query of ['search=wanted', 'labels=bug', `reviewer=${reviewer.username}`]) {
    await browser.get(`${address}?${query}`);
    expect(browser.page).toContain('Wanted &lt;b&gt;');
    expect(browser.page).not.toContain('Decoy');
    expect(browser.page).toMatch(/Open <span class="count">1</);
  }
  await browser.get(`${address}?state=all&draft=true`);
  expect(browser.page).toContain('Draft: Gone');
  expect(browser.page).not.toContain('Wanted &lt;b&gt;');
  await browser.get(`${address}?author=${reviewer.username}`);
  expect(browser.page).toContain('No merge requests match');
  const visitor = new Browser(world.send);
  await visitor.get(address);
  expect([visitor.answer.status, visitor.page.includes('Decoy 3')]).toEqual([200, true]);
  expect((await visitor.get(`${address}/new`)).headers.location).toMatch(/^\/users\/sign_in/);
});

it('says what is wrong with a branch that the form of a new merge request does not show', async () => {
  const project = await world.project({ owner });
  await withTopic(world, project, owner);
  const address = `/${project.fullPath}/-/merge_requests`;
  const query = 'merge_request[source_branch]=topic&merge_request[target_branch]=master';
  const browser = await signedIn(world, owner);
  await browser.get(`${address}/new?${query}`);
  const fields = { sourceBranch: 'topic', targetProjectId: project.fullPath, targetBranch: 'gone', title: 'Topic' };
  expect((await browser.submit(`${address}?${query}`, fields)).status).toBe(422);
  expect(browser.page).toContain('target branch does not exist');
});

it('opens a merge request from the address that names its branches, with the text of the only commit', async () => {
  const project = await world.project({ owner });
  const reviewer = await world.user();
  await world.member(project, reviewer, 'developer');
  await withTopic(world, project, owner);
  const label = await world.label(project, owner);
  const milestone = await world.milestone(project, owner);
  const address = `/${project.fullPath}/-/merge_requests`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}/new`);
  expect(browser.page).toContain('name="merge_request[source_branch]"');
  await browser.get(`${address}/new?merge_request%5Bsource_branch%5D=topic`);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('value="Change b.txt"');
  expect(browser.page).toContain('1 commit, 1 file changed');
  const fields = {
    sourceBranch: 'topic',
    targetBranch: 'master',
    targetProjectId: project.fullPath,
    description: 'Closes #1',
    draft: 'true',
    squash: 'true',
    labels: label.title,
    assigneeUsernames: '',
    reviewerUsernames: reviewer.username,
    milestone: milestone.title,
  };
  const query = '?merge_request[source_branch]=topic&merge_request[target_branch]=master';
  await browser.submit(`${address}${query}`, { ...fields, title: 'x'.repeat(300) });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/field-problem[^>]*>Title is too long/);
  expect(browser.page).toContain('Closes #1</textarea>');
  expect(browser.page).toContain(`name="labels" type="text" value="${label.title}"`);
  await browser.submit(`${address}${query}`, { ...fields, title: 'Bring b' });
  expect(browser.answer.headers.location).toBe(`${address}/1`);
  const { body } = await world.api(owner).get(`/projects/${project.id}/merge_requests/1`);
  expect(body).toMatchObject({ title: 'Draft: Bring b', squash: true, labels: [label.title], assignees: [] });
  expect(body.force_remove_source_branch).toBe(false);
  expect(body.reviewers[0].username).toBe(reviewer.username);
  expect(body.milestone.title).toBe(milestone.title);
  await browser.get(`${address}/new${query}`);
  expect(browser.page).toContain('is open already');
  await browser.get(`${address}/new?merge_request[source_branch]=missing`);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('can’t be compared');
});

it('opens a merge request from a fork into the project that it is a fork of', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  await withTopic(world, project, owner, 'other');
  const contributor = await world.user();
  const { body: fork } = await world.api(contributor).post(`/projects/${project.id}/fork`);
  await world.idle();
  await createBranch(world.as(contributor), fork.id, 'fix-two_things', 'master');
  await commitTo(world, fork, contributor, 'fix-two_things', 'one.txt');
  await commitTo(world, fork, contributor, 'fix-two_things', 'two.txt');
  const browser = await signedIn(world, contributor);
  const address = `/${fork.path_with_namespace}/-/merge_requests`;
  await browser.get(`${address}/new?merge_request[source_branch]=fix-two_things`);
  expect(browser.page).toContain('value="Fix two things"');
  expect(browser.page).toContain('2 commits, 2 files changed');
  expect(browser.page).not.toContain('name="labels"');
  const fields = { sourceBranch: 'fix-two_things', targetBranch: 'master', targetProjectId: project.fullPath };
  await browser.submit(address, { ...fields, title: 'From a fork' });
  expect(browser.answer.headers.location).toBe(`/${project.fullPath}/-/merge_requests/1`);
  await browser.follow();
  expect(browser.page).toContain(`${fork.path_with_namespace}:fix-two_things`);
  await browser.get(`/${project.fullPath}/-/merge_requests/1/commits`);
  expect(browser.page).toContain('Change one.txt');
  expect(browser.page).toContain('Change two.txt');
  await browser.get(`/${project.fullPath}/-/merge_requests/1/pipelines`);
  expect(browser.page).toContain('No pipeline has run for it');
  expect((await browser.get(`/${project.fullPath}/-/merge_requests/new`)).status).toBe(404);
});

it('edits a merge request for those who may, and clears what is no longer chosen', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  await withTopic(world, project, owner);
  const author = await world.user();
  const { iid } = await opened(world, project, owner, { labels: ['bug'], assigneeIds: [owner.id] });
  const address = `/${project.fullPath}/-/merge_requests/${iid}`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}/edit`);
  expect(browser.page).toContain('name="labels" type="text" value="bug"');
  const fields = {
    title: 'Renamed',
    description: '',
    labels: '',
    assigneeUsernames: '',
    reviewerUsernames: '',
    milestone: '',
  };
  await browser.submit(`${address}/edit`, { ...fields, targetBranch: 'missing' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/role="alert"[^>]*>[^<]*does not exist/);
  await browser.submit(`${address}/edit`, { ...fields, targetBranch: 'master' });
  expect(browser.answer.headers.location).toBe(address);
  const { body } = await world.api(owner).get(`/projects/${project.id}/merge_requests/${iid}`);
  expect(body).toMatchObject({ title: 'Renamed', labels: [], assignees: [], target_branch: 'master' });
  const other = await signedIn(world, author);
  expect((await other.get(`${address}/edit`)).status).toBe(404);
  await other.get(address);
  expect((await other.submit(`${address}/edit`, fields)).status).not.toBe(303);
});

it('comments, answers and resolves threads on the page, and says that unresolved ones keep it from being merged', async () => {
  const project = await world.project({ owner });
  const wishes = { only_allow_merge_if_all_discussions_are_resolved: true };
  await world.api(owner).put(`/projects/${project.id}`, wishes);
  await withTopic(world, project, owner);
  const { iid } = await opened(world, project, owner);
  await world.idle();
  const address = `/${project.fullPath}/-/merge_requests/${iid}`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const on = /name="on" value="([^"]*)"/.exec(browser.page)?.[1] ?? '';
  await browser.submit(`${address}/notes`, { on, body: ' ' });
  expect(browser.answer.status).toBe(422);
  await browser.submit(`${address}/notes`, { on, body: 'Why <script>x</script>?', startDiscussion: 'true' });
  expect(browser.answer.headers.location).toMatch(new RegExp(`^${address}#note_\\d+$`));
  await browser.get(address);
  expect(browser.page).not.toContain('<script>x');
  expect(browser.page).toContain('0 of 1 thread resolved');
  expect(browser.page).toContain('All threads must be resolved');
  expect(browser.page).not.toContain(`action="${address}/merge"`);
  const resolve = /action="([^"]*\/resolve)"/.exec(browser.page)?.[1] ?? '';
  await browser.submit(resolve, { resolved: 'true' });
  await browser.get(address);
  expect(browser.page).toContain('Ready to merge');
});
