// Woodpecker: a repository is enabled, builds of merge requests see what they change, and their state is shown at the commit.
import assert from 'node:assert/strict';
import { call, project, walked } from './call.js';

const { at, id, path, mergeRequests } = await project('woodpecker');
const user = await call('GET', '/user');
assert.ok(user.id && user.username && 'email' in user && 'avatar_url' in user);

const repository = await call('GET', `/projects/${id}`);
assert.equal(repository.path_with_namespace, path);
for (const key of ['default_branch', 'http_url_to_repo', 'ssh_url_to_repo', 'web_url', 'visibility', 'permissions']) {
  assert.ok(key in repository, key);
}
const token = 'a-token-of-several-hundred-characters'.repeat(10);
const body = {
  url: 'http://woodpecker.example.org/api/hook',
  token,
  push_events: true,
  tag_push_events: true,
  merge_requests_events: true,
  enable_ssl_verification: false,
};
const hook = await call('POST', `${at}/hooks`, { body });
assert.deepEqual(
  (await call('GET', `${at}/hooks`)).map(({ url }) => url),
  [body.url],
);

// What can be built: branches, and the merge requests that are open.
const branches = await call('GET', `${at}/repository/branches`, { query: { page: 1, per_page: 50 } });
assert.deepEqual(branches.map(({ name }) => name).sort(), ['beside', 'main', 'topic']);
const { commit } = await call('GET', `${at}/repository/branches/topic`);
assert.equal(commit.id, mergeRequests.topic.sha);
const opened = await call('GET', `${at}/merge_requests`, { query: { state: 'opened', page: 1, per_page: 50 } });
assert.deepEqual(
  opened.map(({ iid, title, draft, labels, milestone }) => [iid, title, draft, labels, milestone]),
  ['beside', 'topic'].map((branch) => [mergeRequests[branch].iid, `Change ${branch}`, false, [], null]),
);

// The files of a merge request decide which steps run.
const one = `${at}/merge_requests/${mergeRequests.topic.iid}`;
const { source_project_id, target_branch, source_branch, author } = await call('GET', one);
assert.deepEqual(
  [source_project_id, target_branch, source_branch, author.username],
  [id, 'main', 'topic', user.username],
);
const rows = await call('GET', `${one}/diffs`, { query: { page: 1, per_page: 100 } });
assert.deepEqual(
  rows.map(({ new_path, old_path, deleted_file }) => [new_path, old_path, deleted_file]),
  [['a.txt', 'a.txt', false]],
);
const file = await call('GET', `${at}/repository/files/a.txt/raw`, { query: { ref: commit.id } });
assert.match(file, /^topic\n/);

for (const state of ['pending', 'running', 'success']) {
  await call('POST', `${at}/statuses/${commit.id}`, {
    body: {
      state,
      name: 'ci/woodpecker/pr',
      description: `Pipeline is ${state}`,
      target_url: 'http://woodpecker.example.org/1',
    },
  });
}
const [status, ...others] = await call('GET', `${at}/repository/commits/${commit.id}/statuses`);
assert.deepEqual([status.status, status.name, others], ['success', 'ci/woodpecker/pr', []]);
await call('DELETE', `${at}/hooks/${hook.id}`, { status: 204 });
walked();
