import assert from 'node:assert/strict';
import {
  createOperationDescriptor,
  fetchQuery,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getRequest,
  getSingularSelector,
  graphql,
} from 'relay-runtime';
import { deleteIssue, newProject } from '../server.ts';
import type { pagingIssues_project$data } from './__generated__/pagingIssues_project.graphql.ts';
import type { pagingQuery } from './__generated__/pagingQuery.graphql.ts';
import { environment } from './environment.ts';

const query = graphql`
  query pagingQuery($project: ProjectRef!, $first: Int, $last: Int) {
    project(ref: $project) {
      ...pagingIssues_project @arguments(first: $first, last: $last)
    }
  }
`;
const fragment = graphql`
  fragment pagingIssues_project on Project
  @argumentDefinitions(first: { type: "Int" }, after: { type: "String" }, last: { type: "Int" }, before: { type: "String" })
  @refetchable(queryName: "pagingIssuesQuery") {
    issues(first: $first, after: $after, last: $last, before: $before, sort: ASC) @connection(key: "paging_issues") {
      edges { node { title } }
      pageInfo { startCursor endCursor hasPreviousPage hasNextPage }
    }
    id
  }
`;

/** A list from this first page on; `load` fetches as loadNext and loadPrevious of usePaginationFragment do. */
async function open(project: string, page: { first: number } | { last: number }) {
  const variables = { project, ...page };
  const operation = createOperationDescriptor(getRequest(query), variables);
  environment.retain(operation);
  await fetchQuery<pagingQuery>(environment, query, variables).toPromise();
  const { data } = environment.lookup(operation.fragment);
  const selector = getSingularSelector(getFragment(fragment), data?.project);
  assert.ok(selector);
  const read = () => environment.lookup(selector).data as unknown as pagingIssues_project$data;
  return {
    titles: () => read().issues.edges.map(({ node }) => node.title),
    pageInfo: () => read().issues.pageInfo,
    async load(direction: 'forward' | 'backward', count: number) {
      const { paginationRequest, paginationMetadata } = getPaginationMetadata(getFragment(fragment), 'paging');
      const { startCursor, endCursor } = read().issues.pageInfo;
      const cursor = direction === 'forward' ? endCursor : startCursor;
      const { id } = read();
      const given = getPaginationVariables(direction, count, cursor, selector.variables, { id }, paginationMetadata);
      await fetchQuery(environment, paginationRequest, given).toPromise();
    },
  };
}

const other = await newProject(5);
const project = await newProject(5);

const forward = await open(project, { first: 2 });
assert.deepEqual(forward.titles(), ['Issue 1', 'Issue 2']);
// What goes from the pages that were read moves nothing across the border of the next one.
await deleteIssue(project, 1);
for (const more of [['Issue 3', 'Issue 4'], ['Issue 5']]) {
  const before = forward.titles();
  assert.equal(forward.pageInfo().hasNextPage, true);
  await forward.load('forward', 2);
  assert.deepEqual(forward.titles(), [...before, ...more]);
}
assert.equal(forward.pageInfo().hasNextPage, false);

const backward = await open(other, { last: 2 });
assert.deepEqual(backward.titles(), ['Issue 4', 'Issue 5']);
for (const more of [['Issue 2', 'Issue 3'], ['Issue 1']]) {
  const behind = backward.titles();
  assert.equal(backward.pageInfo().hasPreviousPage, true);
  await backward.load('backward', 2);
  assert.deepEqual(backward.titles(), [...more, ...behind]);
}
assert.equal(backward.pageInfo().hasPreviousPage, false);
console.log('walked');
