// Atlantis: plans are posted to merge requests, older ones are hidden, and only what can be merged is applied and merged.
import assert from 'node:assert/strict';
import { call, poll, project, walked } from './call.js';

const { at, mergeRequests } = await project('atlantis');
const { iid } = mergeRequests.topic;
const one = `${at}/merge_requests/${iid}`;
const api = await call('GET', '/version');
assert.ok(Number(api.version.split('.')[0]) >= 9);

// Which files are planned: it waits until the changes are counted, then pages through them.
const counted = await poll(({ changes_count }) => changes_count !== null && changes_count !== '', 'GET', one);
assert.equal(counted.changes_count, '1');
const files = [];
for (let page = 1; ; page++) {
  const rows = await call('GET', `${one}/diffs`, { query: { page, per_page: 100 } });
  files.push(...rows.flatMap(({ new_path, old_path }) => [new_path, old_path]));
  if (rows.length < 100) break;
}
assert.deepEqual([...new Set(files)], ['a.txt']);

// A plan is a comment; the next one folds the former away.
const plan = (text) => call('POST', `${one}/notes`, { body: { body: text } });
await plan('Ran Plan for dir: `.`\n\nNo changes.');
const me = await call('GET', '/user');
for (const note of await call('GET', `${one}/notes`, { query: { sort: 'asc', order_by: 'created_at' } })) {
  if (note.system || note.author.username !== me.username || !/^Ran Plan/.test(note.body)) continue;
  const body = `<details>\n<summary>Superseded</summary>\n\n${note.body}\n</details>`;
  await call('PUT', `${one}/notes/${note.id}`, { body: { body } });
}
await plan('Ran Plan for dir: `.`\n\n1 to add.');
const bodies = (await call('GET', `${one}/notes`)).filter(({ system }) => !system).map(({ body }) => body);
assert.deepEqual(bodies.map((body) => body.split('\n')[0]).sort(), ['<details>', 'Ran Plan for dir: `.`']);

// The state of a plan is a status of the head, on the pipeline that the commit has.
const { sha } = counted;
const status = (state, more = {}) =>
  call('POST', `${at}/statuses/${sha}`, { body: { state, context: 'atlantis/plan', ref: 'topic', ...more } });
await status('running', { description: 'Plan in progress', target_url: 'http://atlantis.example.org/1' });
await status('success', { description: '1 planned' });
const statuses = await call('GET', `${at}/repository/commits/${sha}/statuses`);
assert.deepEqual(
  statuses.map(({ name, status: state }) => [name, state]),
  [['atlantis/plan', 'success']],
);

// May it be applied? Approved, mergeable, all threads resolved; a draft is none of it.
assert.equal((await call('GET', `${one}/approvals`)).approved, false);
await call('POST', `${one}/approve`);
const { approved, approvals_left } = await call('GET', `${one}/approvals`);
assert.deepEqual([approved, approvals_left], [true, 0]);
const isMergeable = async () => {
  const mergeRequest = await call('GET', one);
  const settings = await call('GET', at);
  assert.equal(typeof settings.only_allow_merge_if_all_discussions_are_resolved, 'boolean');
  assert.equal(typeof mergeRequest.head_pipeline.status, 'string');
  return (
    mergeRequest.detailed_merge_status === 'mergeable' &&
    mergeRequest.blocking_discussions_resolved &&
    !mergeRequest.draft &&
    !mergeRequest.work_in_progress
  );
};
assert.equal(await isMergeable(), true);
await call('PUT', one, { body: { title: 'Draft: Change topic' } });
assert.equal(await isMergeable(), false);
await call('PUT', one, { body: { title: 'Change topic' } });
await call('PUT', at, { body: { only_allow_merge_if_all_discussions_are_resolved: true } });
const thread = await call('POST', `${one}/discussions`, { body: { body: 'Is this needed?' } });
assert.equal(await isMergeable(), false);
await call('PUT', `${one}/discussions/${thread.id}`, { body: { resolved: true } });
assert.equal(await isMergeable(), true);

// Labels gate what is allowed; an emoji tells that a command was read.
await call('PUT', one, { body: { labels: ['apply'] } });
assert.deepEqual((await call('GET', one)).labels, ['apply']);
const command = await call('POST', `${one}/notes`, { body: { body: 'atlantis apply' } });
await call('POST', `${one}/notes/${command.id}/award_emoji`, { body: { name: 'eyes' } });

const merged = await call('PUT', `${one}/merge`, {
  body: { merge_commit_message: `[Atlantis] Merge !${iid}`, should_remove_source_branch: true },
});
assert.equal(merged.state, 'merged');
walked();
