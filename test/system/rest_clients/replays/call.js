// What the replays have in common: a client without a library, and a project to work on.
import assert from 'node:assert/strict';

const [url, token] = process.argv.slice(2);

/**
 * Sends a request; `body` as a form where it is a URLSearchParams, otherwise as JSON.
 *
 * @returns the body of the answer: parsed if it is JSON, otherwise text
 * @throws AssertionError where the status is another one
 */
export async function call(method, path, { body, status = method === 'POST' ? 201 : 200, query } = {}) {
  const address = new URL(`${url}/api/v4${path}`);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.append(name, value);
  const isForm = body === undefined || body instanceof URLSearchParams;
  const answer = await fetch(address, {
    method,
    headers: { 'PRIVATE-TOKEN': token, ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path}: ${text}`);
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

/** Calls until the answer is what is waited for. */
export async function poll(done, method, path, options) {
  for (let round = 0; round < 300; round++) {
    const answer = await call(method, path, options);
    if (done(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} did not become what was waited for`);
}

/**
 * A project with a file of three lines, and branches that change each another line of it and have a merge request each.
 *
 * @returns `at`, the path of the project in the API; `path`, the full path of the project; its merge requests by branch
 */
export async function project(client, branches = ['topic', 'beside']) {
  const group = await call('POST', '/groups', { body: { name: client, path: `${client}-${process.pid}` } });
  const made = await call('POST', '/projects', { body: { name: 'code', namespace_id: group.id } });
  const at = `/projects/${encodeURIComponent(made.path_with_namespace)}`;
  const write = (branch, action, content) =>
    call('POST', `${at}/repository/commits`, {
      body: { branch, commit_message: `Write ${branch}`, actions: [{ action, file_path: 'a.txt', content }] },
    });
  const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
  await write('main', 'create', `${lines.join('\n')}\n`);
  const mergeRequests = {};
  for (const [index, branch] of branches.entries()) {
    await call('POST', `${at}/repository/branches`, { body: { branch, ref: 'main' } });
    await write(branch, 'update', `${lines.with(index * 4, branch).join('\n')}\n`);
    const body = { source_branch: branch, target_branch: 'main', title: `Change ${branch}` };
    mergeRequests[branch] = await call('POST', `${at}/merge_requests`, { body });
  }
  return { at, path: made.path_with_namespace, id: made.id, mergeRequests };
}

/** Says that the replay has come to its end. */
export function walked() {
  process.stdout.write('walked\n');
}
