import assert from 'node:assert/strict';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { filter, firstValueFrom } from 'rxjs';
import { IssuePages } from '../documents.ts';
import { deleteIssue, endpoint, headers, newProject } from '../server.ts';

const project = await newProject(5);

/** A list from this first page on, in a client whose cache joins its pages. */
async function open(page: { first: number } | { last: number }) {
  const typePolicies = { Project: { fields: { issues: relayStylePagination(['sort']) } } };
  const cache = new InMemoryCache({ typePolicies });
  const client = new ApolloClient({ cache, link: new HttpLink({ uri: endpoint, headers }) });
  const list = client.watchQuery({ query: IssuePages, variables: { project, ...page } });
  await firstValueFrom(list.pipe(filter(({ dataState }) => dataState === 'complete')));
  const issues = () => {
    const { data, dataState } = list.getCurrentResult();
    assert.ok(dataState === 'complete' && data.project);
    return data.project.issues;
  };
  return { list, issues, titles: () => issues().edges.map(({ node }) => node.title) };
}

const forward = await open({ first: 2 });
assert.deepEqual(forward.titles(), ['Issue 1', 'Issue 2']);
// What goes from the pages that were read moves nothing across the border of the next one.
await deleteIssue(project, 1);
for (const more of [['Issue 3', 'Issue 4'], ['Issue 5']]) {
  const before = forward.titles();
  const { endCursor, hasNextPage } = forward.issues().pageInfo;
  assert.equal(hasNextPage, true);
  await forward.list.fetchMore({ variables: { first: 2, after: endCursor } });
  assert.deepEqual(forward.titles(), [...before, ...more]);
}
assert.equal(forward.issues().pageInfo.hasNextPage, false);

const backward = await open({ last: 2 });
assert.deepEqual(backward.titles(), ['Issue 4', 'Issue 5']);
const { startCursor, hasPreviousPage } = backward.issues().pageInfo;
assert.equal(hasPreviousPage, true);
await backward.list.fetchMore({ variables: { last: 2, before: startCursor } });
assert.deepEqual(backward.titles(), ['Issue 2', 'Issue 3', 'Issue 4', 'Issue 5']);
assert.equal(backward.issues().pageInfo.hasPreviousPage, false);
console.log('walked');
