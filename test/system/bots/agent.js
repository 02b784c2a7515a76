// What an agent does with the tools of mcp-gitlab: it reads a merge request, reviews it, settles the thread and merges.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [url, token, project_id, merge_request_iid] = process.argv.slice(2);
const client = new Client({ name: 'an agent', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(import.meta.resolve('@zereight/mcp-gitlab/build/index.js'))],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GITLAB_API_URL: `${url}/api/v4`,
      GITLAB_PERSONAL_ACCESS_TOKEN: token,
      GITLAB_DISABLE_VERSION_CHECK: 'true',
      GITLAB_TOOLSETS: 'all',
    },
    stderr: 'ignore',
  }),
);

/** Calls a tool on the project; what it answered. */
async function tool(name, args = {}) {
  const { content, isError } = await client.callTool({ name, arguments: { project_id, ...args } });
  const text = content[0]?.text ?? '';
  assert.ok(!isError, `${name}: ${text}`);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const it = { merge_request_iid };
const opened = await tool('list_merge_requests', { state: 'opened', source_branch: 'topic' });
assert.deepEqual(
  opened.map(({ iid, title }) => [iid, title]),
  [[merge_request_iid, 'Count']],
);
const shown = await tool('get_merge_request', it);
assert.equal(shown.draft, false);
const { base_sha, head_sha, start_sha } = shown.diff_refs;
const diffs = await tool('get_merge_request_diffs', it);
assert.deepEqual(
  diffs.map(({ new_path }) => new_path),
  ['a.txt'],
);
await tool('list_merge_request_diffs', it);

const position = {
  base_sha,
  head_sha,
  start_sha,
  position_type: 'text',
  new_path: 'a.txt',
  old_path: 'a.txt',
  new_line: 2,
};
const thread = await tool('create_merge_request_thread', { ...it, body: 'Why a digit?', position });
await tool('create_merge_request_discussion_note', { ...it, discussion_id: thread.id, body: 'It is shorter.' });
await tool('create_merge_request_note', { ...it, body: 'Thank you.' });
const before = await tool('mr_discussions', it);
const open = (before.items ?? before).filter(({ notes }) => notes[0].resolvable && !notes[0].resolved);
assert.deepEqual(
  open.map(({ id }) => id),
  [thread.id],
);
await tool('resolve_merge_request_thread', { ...it, discussion_id: thread.id, resolved: true });

const issue = await tool('create_issue', { title: 'Count to four', labels: ['later'] });
const issues = await tool('list_issues', { scope: 'all', labels: ['later'] });
assert.deepEqual(
  issues.map(({ iid }) => iid),
  [issue.iid],
);
await tool('create_issue_note', { issue_iid: issue.iid, body: 'After the merge.' });

await tool('approve_merge_request', it);
const merged = await tool('merge_merge_request', { ...it, sha: head_sha });
assert.equal(merged.state, 'merged');
await client.close();
process.stdout.write('walked\n');
