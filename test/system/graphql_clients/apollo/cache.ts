import assert from 'node:assert/strict';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { CloseIssue, DeleteIssue, IssueList } from '../documents.ts';
import { endpoint, headers, newProject } from '../server.ts';

const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri: endpoint, headers }) });
const project = await newProject(3);

/** What the cache makes of the list, without a request. */
function listed(): string[] | undefined {
  const data = client.readQuery({ query: IssueList, variables: { project } });
  return data?.project?.issues.nodes.map(({ iid, title, state }) => `${iid} ${title} ${state}`);
}

await client.query({ query: IssueList, variables: { project } });
assert.deepEqual(listed(), ['1 Issue 1 OPENED', '2 Issue 2 OPENED', '3 Issue 3 OPENED']);

await client.mutate({
  mutation: CloseIssue,
  variables: { input: { project, iid: 2, title: 'Done', stateEvent: 'CLOSE' } },
});
assert.deepEqual(listed(), ['1 Issue 1 OPENED', '2 Done CLOSED', '3 Issue 3 OPENED']);

await client.mutate({
  mutation: DeleteIssue,
  variables: { input: { project, iid: 1 } },
  update(cache, { data }) {
    const id = cache.identify({ __typename: 'Issue', id: data?.deleteIssue?.deletedIssueId });
    assert.ok(id && cache.evict({ id }), `the cache knows ${id}`);
  },
});
assert.deepEqual(listed(), ['2 Done CLOSED', '3 Issue 3 OPENED']);
console.log('walked');
