import assert from 'node:assert/strict';
import { createClient, createConfig } from './generated/hey_api/client/index.ts';
import {
  createCommit,
  createIssue,
  createLabel,
  createProject,
  deleteProject,
  getRawFile,
  listProjectIssues,
  type Visibility,
} from './generated/hey_api/index.ts';

/* Works with a server by the functions that @hey-api/openapi-ts makes of the document. */
const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient(
  createConfig({ baseUrl, auth: ({ name }) => (name === 'PRIVATE-TOKEN' ? token : undefined) }),
);

const made = await createProject({ client, body: { name: `hey-api-${process.pid}`, visibility: 'internal' } });
assert(made.data, JSON.stringify(made.error));
const { id, visibility } = made.data;
assert.equal(visibility satisfies Visibility, 'internal');

const path = { id };
const opened = await createIssue({ client, path, body: { title: 'Walk', labels: 'a,b', due_date: null } });
assert.deepEqual(opened.data?.labels, ['a', 'b']);

const committed = await createCommit({
  client,
  path,
  body: {
    branch: 'master',
    commit_message: 'Add a file',
    actions: [{ action: 'create', file_path: 'folder/file.txt', content: 'walked' }],
  },
});
assert.equal(committed.data?.title, 'Add a file');

const file = await getRawFile({
  client,
  path: { id, file_path: 'folder/file.txt' },
  query: { ref: 'master' },
  parseAs: 'text',
});
assert.equal(file.data, 'walked');

const listed = await listProjectIssues({ client, path, query: { state: 'opened', 'iids[]': [1, 2], per_page: 5 } });
assert.deepEqual(
  listed.data?.map(({ title, milestone }) => [title, milestone]),
  [['Walk', null]],
);

const refused = await createLabel({ client, path, body: { name: '', color: 'red' } });
assert(refused.error && 'message' in refused.error && typeof refused.error.message === 'object');

const { response } = await deleteProject({ client, path });
assert.equal(response?.status, 202);
console.log('walked');
