// glab: merge requests are found by the branch one is on, listed, reviewed, rebased and merged from a terminal.
import assert from 'node:assert/strict';
import { call, poll, project, walked } from './call.js';

const { at, path, mergeRequests } = await project('glab');
const user = await call('GET', '/user');
await call('GET', at);

// `glab mr create --draft` sends what it was given, and the title with the prefix of a draft.
await call('POST', `${at}/repository/branches`, { body: { branch: 'idea', ref: 'topic' } });
const draft = await call('POST', `${at}/merge_requests`, {
  body: {
    title: 'Draft: An idea',
    source_branch: 'idea',
    target_branch: 'main',
    labels: 'later',
    assignee_ids: [user.id],
    reviewer_ids: [user.id],
    remove_source_branch: true,
    squash: true,
  },
});
assert.equal(draft.draft, true);
assert.equal(draft.squash, true);

// `glab mr list` and its flags: every row is printed with its full reference.
const list = (query) => call('GET', `${at}/merge_requests`, { query: { per_page: 30, page: 1, ...query } });
const branches = (rows) => rows.map(({ source_branch }) => source_branch);
const all = await list({ state: 'opened' });
assert.deepEqual(
  all.map(({ references }) => references.full),
  [draft, mergeRequests.beside, mergeRequests.topic].map(({ iid }) => `${path}!${iid}`),
);
assert.deepEqual(branches(await list({ state: 'opened', wip: 'yes' })), ['idea']);
assert.deepEqual(branches(await list({ state: 'opened', wip: 'no' })), ['beside', 'topic']);
assert.deepEqual(branches(await list({ state: 'opened', labels: 'later' })), ['idea']);
assert.deepEqual(branches(await list({ state: 'opened', 'not[labels]': 'later' })), ['beside', 'topic']);
assert.deepEqual(branches(await list({ state: 'opened', reviewer_id: user.id })), ['idea']);
assert.deepEqual(branches(await list({ state: 'opened', search: 'beside', in: 'title' })), ['beside']);
const ofGroup = await call('GET', `/groups/${encodeURIComponent(path.split('/')[0])}/merge_requests`, {
  query: { state: 'opened', source_branch: 'topic' },
});
assert.deepEqual(branches(ofGroup), ['topic']);

// On a branch, the one that is opened from it is meant, and no other.
const [mine, ...others] = await list({ state: 'opened', source_branch: 'topic', scope: 'all' });
assert.deepEqual([mine.iid, others], [mergeRequests.topic.iid, []]);
assert.deepEqual(await list({ state: 'opened', source_branch: 'nothing' }), []);
const one = `${at}/merge_requests/${mine.iid}`;

// `glab mr view --comments`, `mr diff`, `mr issues`, `mr note`.
const shown = await call('GET', one, { query: { include_diverged_commits_count: true, render_html: false } });
assert.equal(shown.diverged_commits_count, 0);
assert.equal(shown.user.can_merge, true);
assert.equal(shown.head_pipeline, null);
await call('POST', `${one}/notes`, { body: { body: 'Looks good.' } });
const notes = await call('GET', `${one}/notes`, { query: { sort: 'asc', order_by: 'created_at', per_page: 20 } });
assert.deepEqual(
  notes.filter(({ system }) => !system).map(({ body }) => body),
  ['Looks good.'],
);
assert.match(await call('GET', `${one}/raw_diffs`), /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*^\+topic$/m);
assert.deepEqual(await call('GET', `${one}/closes_issues`), []);
assert.deepEqual(await call('GET', `${one}/pipelines`), []);

// `glab mr approve`, `mr approvers`, `mr revoke`.
const approvals = await call('POST', `${one}/approve`, { body: { sha: shown.sha } });
assert.deepEqual(
  approvals.approved_by.map(({ user: { username } }) => username),
  [user.username],
);
assert.deepEqual(await call('GET', `${one}/approval_state`), { approval_rules_overwritten: false, rules: [] });
await call('POST', `${one}/unapprove`);

// `glab mr merge` of the one beside; then `glab mr rebase` of this one, and the merge with a squashed commit.
const beside = `${at}/merge_requests/${mergeRequests.beside.iid}`;
assert.equal((await call('PUT', `${beside}/merge`, { body: { sha: mergeRequests.beside.sha } })).state, 'merged');
assert.deepEqual(await call('PUT', `${one}/rebase`, { status: 202 }), { rebase_in_progress: true });
const rebased = await poll((answer) => !answer.rebase_in_progress, 'GET', one, {
  query: { include_rebase_in_progress: true },
});
assert.equal(rebased.merge_error, null);
assert.notEqual(rebased.sha, shown.sha);
const ready = await poll(({ detailed_merge_status }) => detailed_merge_status === 'mergeable', 'GET', one);
const body = {
  sha: ready.sha,
  squash: true,
  squash_commit_message: 'Change the first line',
  should_remove_source_branch: true,
};
const merged = await call('PUT', `${one}/merge`, { body });
assert.equal(merged.state, 'merged');
assert.match(merged.squash_commit_sha, /^[0-9a-f]{40}$/);
await poll((left) => left.every(({ name }) => name !== 'topic'), 'GET', `${at}/repository/branches`);
walked();
