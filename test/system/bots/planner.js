// What an agent does with the tools of mcp-gitlab for work items, which ask GraphQL: it plans, links, talks and closes.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [url, token, project_id] = process.argv.slice(2);
const client = new Client({ name: 'a planner', version: '1.0.0' });
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
  return JSON.parse(text);
}

const plan = await tool('create_work_item', { title: 'Plan the beds', description: 'All of them', labels: ['later'] });
const task = await tool('create_work_item', { title: 'Dig', type: 'task', parent_iid: plan.iid });
const other = await tool('create_work_item', { title: 'Buy a spade' });
assert.deepEqual([plan.type, task.type], ['Issue', 'Task']);
await tool('update_work_item', {
  iid: Number(plan.iid),
  title: 'Plan all beds',
  due_date: '2031-05-06',
  linked_items_to_add: [{ project_id, iid: Number(other.iid), link_type: 'BLOCKED_BY' }],
});
const shown = await tool('get_work_item', { iid: Number(plan.iid) });
assert.deepEqual(
  [shown.title, shown.dueDate, shown.labels, shown.children.map(({ iid }) => iid)],
  ['Plan all beds', '2031-05-06', ['later'], [task.iid]],
);
await tool('create_work_item_note', { iid: Number(plan.iid), body: 'Who digs?' });
const { discussions } = await tool('list_work_item_notes', { iid: Number(plan.iid) });
assert.ok(discussions.some(({ notes }) => notes.some(({ body }) => body === 'Who digs?')));
await tool('convert_work_item_type', { iid: Number(other.iid), new_type: 'task' });
await tool('update_work_item', { iid: Number(task.iid), state_event: 'close' });
const { items } = await tool('list_work_items', { types: ['task'], state: 'closed' });
assert.deepEqual(
  items.map(({ iid }) => iid),
  [task.iid],
);
await client.close();
process.stdout.write('planned\n');
