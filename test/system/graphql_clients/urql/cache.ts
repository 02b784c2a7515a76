import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { CloseIssue, DeleteIssue, IssueList } from '../documents.ts';
import { endpoint, headers, introspect, newProject } from '../server.ts';

const warnings: string[] = [];
const cache = cacheExchange({
  schema: await introspect(),
  logger: (severity, message) => severity !== 'debug' && warnings.push(message),
  updates: {
    Mutation: {
      deleteIssue(result, _args, store) {
        const { deletedIssueId } = result.deleteIssue as { deletedIssueId: string };
        store.invalidate({ __typename: 'Issue', id: deletedIssueId });
      },
    },
  },
});
const client = new Client({
  url: endpoint,
  fetchOptions: { headers },
  preferGetMethod: false,
  exchanges: [cache, fetchExchange],
});
const project = await newProject(3);

/** The list, of the cache alone once it has been read. */
async function listed(requestPolicy: 'cache-only' | 'cache-first' = 'cache-only'): Promise<string[] | undefined> {
  const { data, error } = await client.query(IssueList, { project }, { requestPolicy });
  assert.equal(error, undefined);
  return data?.project?.issues.nodes.map(({ iid, title, state }) => `${iid} ${title} ${state}`);
}

assert.deepEqual(await listed('cache-first'), ['1 Issue 1 OPENED', '2 Issue 2 OPENED', '3 Issue 3 OPENED']);

const closed = await client.mutation(CloseIssue, { input: { project, iid: 2, title: 'Done', stateEvent: 'CLOSE' } });
assert.equal(closed.error, undefined);
assert.deepEqual(await listed(), ['1 Issue 1 OPENED', '2 Done CLOSED', '3 Issue 3 OPENED']);

const deleted = await client.mutation(DeleteIssue, { input: { project, iid: 1 } });
assert.equal(deleted.error, undefined);
// The list has a hole now, which no list of the schema may have: graphcache asks again by itself.
assert.equal(await listed(), undefined);
assert.deepEqual(await listed('cache-first'), ['2 Done CLOSED', '3 Issue 3 OPENED']);
assert.deepEqual(warnings, []);
console.log('walked');
