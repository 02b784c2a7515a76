// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();

/** A project with a merge request from `topic` into `master`, and the address of its page. */
async function mergeable(owner: TestUser, input: Parameters<typeof opened>[3] = {}) {
  const project = await world.project({ owner, visibility: 'public' });
  await withTopic(world, project, owner);
  const { iid } = await opened(world, project, owner, input);
  await world.idle();
  return { project, iid, address: `/${project.fullPath}/-/merge_requests/${iid}` };
}

const stateOf = async (owner: TestUser, project: { id: number }, iid: number) =>
  (await world.api(owner).get(`/projects/${project.id}/merge_requests/${iid}`)).body;

it('shows a merge request with its people, labels and text, in which nothing that users wrote is markup', async () => {
  const owner = await world.user();
  const reviewer = await world.user();
  const { address, project, iid } = await mergeable(owner, {
    title: '<script>alert(1)</script> & more',
    description: '**Bold** <script>alert(2)</script> Closes #1',
    labels: ['<i>label</i>'],
    assigneeIds: [owner.id],
    reviewerIds: [reviewer.id],
  });
  await world.issue(project, owner, { title: 'Broken <b>link</b>' });
  const browser = await signedIn(world, reviewer);
  await browser.get(address);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('<strong>Bold</strong>');
  expect(browser.page).toContain('&lt;i&gt;label&lt;/i&gt;');
  expect(browser.page).toContain('Broken &lt;b&gt;link&lt;/b&gt;');
  expect(browser.page).toContain('not reviewed yet');
  expect(browser.page).toContain(`Name of ${owner.username}`);
  expect(browser.page).not.toMatch(/<script>|<i>label/);
  expect(browser.page).not.toContain(`${address}/merge"`);
  expect(browser.page).toMatch(/Nobody has approved it yet/);
  expect((await browser.get(`/${project.fullPath}/merge_requests/${iid}`)).headers.location).toBe(address);
});

it('shows visitors a merge request of a public project, and tells others of a private one nothing', async () => {
  const owner = await world.user();
  const { address, project } = await mergeable(owner);
  const visitor = new Browser(world.send);
  await visitor.get(address);
  expect(visitor.answer.status).toBe(200);
  expect(visitor.page).not.toContain(`${address}/merge"`);
  await world.api(owner).put(`/projects/${project.id}`, { visibility: 'private' });
  const stranger = await signedIn(world, await world.user());
  expect((await stranger.get(address)).status).toBe(404);
  await stranger.get('/');
  expect((await stranger.submit(`${address}/merge`, {})).status).toBe(404);
});

it('approves and merges with the options of the form', async () => {
  const owner = await world.user();
  const { address, project, iid } = await mergeable(owner);
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toContain('Ready to merge');
  const { sha } = await stateOf(owner, project, iid);
  expect((await browser.submit(`${address}/approve`, { sha })).headers.location).toBe(address);
  await browser.follow();
  expect(browser.page).toMatch(/Approved by/);
  expect((await browser.submit(`${address}/unapprove`)).headers.location).toBe(address);
  await browser.follow();
  expect(browser.page).toMatch(/Nobody has approved it yet/);
  const fields = { sha, removeSourceBranch: 'true', message: 'Bring the topic' };
  expect((await browser.submit(`${address}/merge`, fields)).headers.location).toBe(address);
  await browser.follow();
  expect(browser.page).toContain('data-status="merged"');
  expect(browser.page).not.toContain(`${address}/merge"`);
  const { body: commits } = await world.api(owner).get(`/projects/${project.id}/repository/commits?ref_name=master`);
  expect(commits[0].message).toBe('Bring the topic');
  await world.idle();
  expect((await world.api(owner).get(`/projects/${project.id}/repository/branches/topic`)).status).toBe(404);
});

it('counts changes that are not counted to the end', async () => {
  const owner = await world.user();
  const { address, project } = await mergeable(owner);
  const where = { mergeRequest: { targetProjectId: project.id } };
  await world.db.mergeRequestVersion.updateMany({ where, data: { realSize: '3000+' } });
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toContain('<span class="count">3,000+</span>');
});

it('merges nothing that has changed since the page was shown, and says so', async () => {
  const owner = await world.user();
  const { address, project, iid } = await mergeable(owner);
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const { sha } = await stateOf(owner, project, iid);
  await commitTo(world, project, owner, 'topic', 'c.txt');
  await browser.submit(`${address}/merge`, { sha, message: 'Kept <text>' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/role="alert">SHA does not match/);
  expect(browser.page).toContain('Kept &lt;text&gt;</textarea>');
  expect((await stateOf(owner, project, iid)).state).toBe('opened');
});

it('says what to do about drafts and conflicts, and offers to close and reopen', async () => {
  const owner = await world.user();
  const { address, project, iid } = await mergeable(owner, { title: 'Draft: Not yet' });
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toContain('data-status="draft"');
  expect(browser.page).not.toContain(`${address}/merge"`);
  await browser.submit(`${address}/state`, { draft: 'false' });
  await browser.follow();
  expect((await stateOf(owner, project, iid)).title).toBe('Not yet');
  expect(browser.page).toContain('data-status="open"');
  await browser.submit(`${address}/state`, { draft: 'true' });
  expect((await stateOf(owner, project, iid)).title).toBe('Draft: Not yet');
  await browser.submit(`${address}/state`, { draft: 'false' });
  await commitTo(world, project, owner, 'master', 'b.txt', 'something else\n');
  await world.idle();
  await browser.get(address);
  expect(browser.page).toContain('conflicts with the target branch');
  expect(browser.page).toContain('git pull --no-rebase origin master');
  await browser.submit(`${address}/state`, { event: 'close' });
  await browser.follow();
  expect(browser.page).toContain('Closed without being merged');
  await browser.submit(`${address}/state`, { event: 'reopen' });
  expect((await stateOf(owner, project, iid)).state).toBe('opened');
});

it('quotes names of branches in the commands that resolve conflicts', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const sourceBranch = "it's$(touch-x)";
  await withTopic(world, project, owner, sourceBranch);
  const { iid } = await opened(world, project, owner, { sourceBranch });
  await commitTo(world, project, owner, 'master', 'b.txt', 'something else\n');
  await world.idle();
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/merge_requests/${iid}`);
  expect(browser.page).toContain('git switch &#39;it&#39;\\&#39;&#39;s$(touch-x)&#39;');
});

it('offers members without the right to push nothing but a to-do, which can be asked for twice', async () => {
  const owner = await world.user();
  const reporter = await world.user();
  const { address, project } = await mergeable(owner);
  await world.member(project, reporter, 'reporter');
  const browser = await signedIn(world, reporter);
  await browser.get(address);
  for (const name of ['merge', 'approve', 'state', 'rebase', 'subscribe', 'edit']) {
    expect(browser.page).not.toContain(`${address}/${name}"`);
  }
  expect((await browser.submit(`${address}/merge`)).status).toBe(422);
  expect(browser.page).toMatch(/role="alert">You are not allowed to merge/);
  expect((await browser.submit(`${address}/todo`)).headers.location).toBe(address);
  expect((await browser.submit(`${address}/todo`)).headers.location).toBe(address);
  expect((await world.api(reporter).get('/todos')).body).toHaveLength(1);
});

it('subscribes and unsubscribes', async () => {
  const owner = await world.user();
  const { address, project, iid } = await mergeable(owner);
  const browser = await signedIn(world, owner);
  await browser.get(address);
  await browser.submit(`${address}/unsubscribe`);
  expect((await stateOf(owner, project, iid)).subscribed).toBe(false);
  await browser.follow();
  await browser.submit(`${address}/subscribe`);
  expect((await stateOf(owner, project, iid)).subscribed).toBe(true);
});

it('merges when the pipeline succeeds, unless that is cancelled, and rebases', async () => {
  const owner = await world.user();
  const { address, project, iid } = await mergeable(owner);
  const { sha } = await stateOf(owner, project, iid);
  await world.api(owner).post(`/projects/${project.id}/statuses/${sha}`, { state: 'running', ref: 'topic' });
  await commitTo(world, project, owner, 'master', 'other.txt');
  await world.idle();
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toContain('data-status="running"');
  expect(browser.page).toContain('Merge when pipeline succeeds');
  expect(browser.page).toContain('1 commit behind the target branch');
  await browser.submit(`${address}/merge`, { sha, whenPipelineSucceeds: 'true' });
  await browser.follow();
  expect(await stateOf(owner, project, iid)).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
  expect(browser.page).toContain('merged when the pipeline succeeds');
  await browser.submit(`${address}/cancel_merge`);
  expect((await stateOf(owner, project, iid)).merge_when_pipeline_succeeds).toBe(false);
  expect((await browser.submit(`${address}/rebase`)).headers.location).toBe(address);
  await world.idle();
  await browser.follow();
  expect(browser.page).not.toContain('behind the target branch');
  expect((await stateOf(owner, project, iid)).sha).not.toBe(sha);
});
