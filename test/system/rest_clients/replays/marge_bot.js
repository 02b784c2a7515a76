// marge-bot: merge requests that are assigned to it are checked, rebased, approved again, and merged one after the other.
import assert from 'node:assert/strict';
import { call, poll, project, walked } from './call.js';

const { at, id, mergeRequests } = await project('marge-bot');
const { version } = await call('GET', '/version');
assert.match(version, /^\d+\.\d+\.\d+$/);
const me = await call('GET', '/user');
for (const mergeRequest of Object.values(mergeRequests)) {
  await call('PUT', `${at}/merge_requests/${mergeRequest.iid}`, { body: { assignee_ids: [me.id] } });
}
await call('POST', `${at}/repository/branches`, { body: { branch: 'nobody', ref: 'main' } });
await call('POST', `${at}/repository/files/b.txt`, { body: { branch: 'nobody', content: 'b', commit_message: 'Add' } });
await call('POST', `${at}/merge_requests`, {
  body: { source_branch: 'nobody', target_branch: 'main', title: 'Of nobody' },
});

const settings = await call('GET', `/projects/${id}`);
for (const key of ['only_allow_merge_if_pipeline_succeeds', 'only_allow_merge_if_all_discussions_are_resolved']) {
  assert.equal(typeof settings[key], 'boolean');
}
const candidates = await call('GET', `/projects/${id}/merge_requests`, {
  query: { state: 'opened', assignee_id: me.id, order_by: 'created_at', sort: 'asc', page: 1, per_page: 100 },
});
assert.deepEqual(
  candidates.map(({ source_branch }) => source_branch),
  ['topic', 'beside'],
);

for (const { iid } of candidates) {
  const one = `/projects/${id}/merge_requests/${iid}`;
  const candidate = await call('GET', one);
  assert.equal(candidate.blocking_discussions_resolved, true);
  assert.equal(candidate.draft, false);
  assert.equal(candidate.squash, false);
  assert.deepEqual(
    candidate.assignees.map(({ id: assignee }) => assignee),
    [me.id],
  );
  await call('POST', `${one}/approve`);
  const { approvals_left, approved_by } = await call('GET', `${one}/approvals`);
  assert.equal(approvals_left, 0);

  assert.deepEqual(await call('PUT', `${one}/rebase`, { status: 202 }), { rebase_in_progress: true });
  const rebased = await poll((answer) => !answer.rebase_in_progress, 'GET', one, {
    query: { include_rebase_in_progress: 'true' },
  });
  assert.equal(rebased.merge_error, null);
  const branch = await call('GET', `/projects/${id}/repository/branches/${rebased.source_branch}`);
  assert.equal(branch.commit.id, rebased.sha);

  // Approvals outlive the push here; it gives back those that are gone.
  const after = await call('GET', `${one}/approvals`);
  assert.deepEqual(
    after.approved_by.map(({ user }) => user.id),
    approved_by.map(({ user }) => user.id),
  );
  assert.deepEqual(await call('GET', `${one}/pipelines`), []);
  await poll(({ detailed_merge_status }) => detailed_merge_status === 'mergeable', 'GET', one);
  const merged = await call('PUT', `${one}/merge`, {
    body: { should_remove_source_branch: true, merge_when_pipeline_succeeds: false, sha: rebased.sha },
  });
  assert.equal(merged.state, 'merged');
  assert.equal(merged.merged_by.id, me.id);
}

// What it cannot merge goes back to its author, with a comment that says why.
const [left] = await call('GET', `/projects/${id}/merge_requests`, { query: { state: 'opened' } });
const one = `/projects/${id}/merge_requests/${left.iid}`;
await call('POST', `${one}/notes`, { body: { body: 'I cannot merge this: it is not assigned to me.' } });
await call('PUT', one, { body: { assignee_ids: [me.id] } });
assert.deepEqual((await call('PUT', one, { body: { assignee_ids: [0] } })).assignees, []);
await call('PUT', one, { body: { assignee_id: me.id } });
assert.equal((await call('PUT', one, { body: { assignee_id: 0 } })).assignee, null);
walked();
