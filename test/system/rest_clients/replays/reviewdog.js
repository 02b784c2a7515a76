// reviewdog: findings of a linter become threads on lines of a merge request, each once, as forms with the tip of the target branch.
import assert from 'node:assert/strict';
import { call, project, walked } from './call.js';

const { at, mergeRequests } = await project('reviewdog');
const { iid } = mergeRequests.topic;
const one = `${at}/merge_requests/${iid}`;
const FINDINGS = [
  { path: 'a.txt', line: 1, message: 'No words in place of numbers.' },
  { path: 'a.txt', line: 3, message: 'This line was here before.' },
];

/** Posts what is not there yet; how many that were. */
async function report() {
  const known = [];
  for (let page = 1; ; page++) {
    const threads = await call('GET', `${one}/discussions`, { query: { page, per_page: 100 } });
    for (const { notes } of threads) {
      for (const { body, position } of notes)
        if (position) known.push(`${position.new_path}:${position.new_line}:${body}`);
    }
    if (threads.length < 100) break;
  }
  const mergeRequest = await call('GET', one);
  const target = await call('GET', `${at}/repository/branches/${mergeRequest.target_branch}`);
  let posted = 0;
  for (const { path, line, message } of FINDINGS) {
    if (known.includes(`${path}:${line}:${message}`)) continue;
    const form = new URLSearchParams({
      body: message,
      'position[base_sha]': target.commit.id,
      'position[start_sha]': target.commit.id,
      'position[head_sha]': mergeRequest.sha,
      'position[position_type]': 'text',
      'position[new_path]': path,
      'position[new_line]': String(line),
    });
    await call('POST', `${one}/discussions`, { body: form });
    posted += 1;
  }
  return posted;
}

// The target branch has gone on meanwhile: its tip is no commit that the merge request starts from.
await call('POST', `${at}/repository/files/b.txt`, { body: { branch: 'main', content: 'b', commit_message: 'Go on' } });
assert.equal(await report(), 2);
assert.equal(await report(), 0);
const threads = await call('GET', `${one}/discussions`);
assert.deepEqual(
  threads.map(({ notes: [note] }) => [note.type, note.position.new_line, note.resolvable, note.body]),
  FINDINGS.map(({ line, message }) => ['DiffNote', line, true, message]),
);

// Another reporter comments on the commit itself, and a third one tells the state of the check.
const comment = { note: FINDINGS[0].message, path: 'a.txt', line: 1, line_type: 'new' };
await call('POST', `${at}/repository/commits/${mergeRequests.topic.sha}/comments`, { body: comment });
const comments = await call('GET', `${at}/repository/commits/${mergeRequests.topic.sha}/comments`);
assert.deepEqual(
  comments.map(({ note, path, line }) => [note, path, line]),
  [[comment.note, 'a.txt', 1]],
);
for (const { id } of threads) await call('PUT', `${one}/discussions/${id}`, { query: { resolved: 'true' } });
assert.equal((await call('GET', one)).blocking_discussions_resolved, true);
walked();
