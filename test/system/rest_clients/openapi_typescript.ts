import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi_typescript.ts';

/* Works with a server by openapi-fetch, whose calls are typed by what openapi-typescript makes of the document. */
const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'PRIVATE-TOKEN': token } });

const name = `openapi-typescript-${process.pid}`;
const made = await client.POST('/api/v4/projects', { body: { name, visibility: 'internal' } });
assert(made.data, JSON.stringify(made.error));
const { id, visibility } = made.data;
assert.equal(visibility satisfies components['schemas']['Visibility'], 'internal');

const at = { path: { id } };
const opened = await client.POST('/api/v4/projects/{id}/issues', {
  params: at,
  body: { title: 'Walk', labels: 'a,b', due_date: null },
});
assert.deepEqual(opened.data?.labels, ['a', 'b']);

const committed = await client.POST('/api/v4/projects/{id}/repository/commits', {
  params: at,
  body: {
    branch: 'master',
    commit_message: 'Add a file',
    actions: [{ action: 'create', file_path: 'folder/file.txt', content: 'walked' }],
  },
});
assert.equal(committed.data?.title, 'Add a file');

const file = await client.GET('/api/v4/projects/{id}/repository/files/{file_path}/raw', {
  params: { path: { id, file_path: 'folder/file.txt' }, query: { ref: 'master' } },
  parseAs: 'text',
});
assert.equal(file.data, 'walked');

const listed = await client.GET('/api/v4/projects/{id}/issues', {
  params: { ...at, query: { state: 'opened', 'iids[]': [1, 2], per_page: 5 } },
});
assert.deepEqual(
  listed.data?.map(({ title, milestone }) => [title, milestone]),
  [['Walk', null]],
);
assert.equal(listed.response.headers.get('X-Total'), '1');

const refused = await client.POST('/api/v4/projects/{id}/labels', { params: at, body: { name: '', color: 'red' } });
assert(typeof refused.error === 'object' && 'message' in refused.error && typeof refused.error.message === 'object');

const { response } = await client.DELETE('/api/v4/projects/{id}', { params: at });
assert.equal(response.status, 202);
console.log('walked');
