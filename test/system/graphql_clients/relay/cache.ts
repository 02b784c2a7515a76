import assert from 'node:assert/strict';
import {
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  type GraphQLTaggedNode,
  getRequest,
  graphql,
  type MutationParameters,
} from 'relay-runtime';
import { newProject } from '../server.ts';
import type { cacheCloseMutation } from './__generated__/cacheCloseMutation.graphql.ts';
import type { cacheCreateMutation } from './__generated__/cacheCreateMutation.graphql.ts';
import type { cacheDeleteMutation } from './__generated__/cacheDeleteMutation.graphql.ts';
import type { cacheQuery, cacheQuery$data } from './__generated__/cacheQuery.graphql.ts';
import { environment } from './environment.ts';

const query = graphql`
  query cacheQuery($project: ProjectRef!) {
    project(ref: $project) {
      id
      issues(first: 10, sort: ASC) @connection(key: "cache_issues", filters: []) {
        edges { node { iid title state } }
      }
    }
  }
`;
const create = graphql`
  mutation cacheCreateMutation($input: CreateIssueInput!, $connections: [ID!]!) {
    createIssue(input: $input) {
      issue @appendNode(connections: $connections, edgeTypeName: "IssueEdge") { iid title state }
    }
  }
`;
const close = graphql`
  mutation cacheCloseMutation($input: UpdateIssueInput!) {
    updateIssue(input: $input) {
      issue { title state }
    }
  }
`;
const remove = graphql`
  mutation cacheDeleteMutation($input: DeleteIssueInput!, $connections: [ID!]!) {
    deleteIssue(input: $input) { deletedIssueId @deleteEdge(connections: $connections) @deleteRecord }
  }
`;

const project = await newProject(2);
const operation = createOperationDescriptor(getRequest(query), { project });
environment.retain(operation);
await fetchQuery<cacheQuery>(environment, query, { project }).toPromise();
const read = () => environment.lookup(operation.fragment).data as unknown as cacheQuery$data;

/** The list as the store has it. */
const listed = () => read().project?.issues.edges.map(({ node }) => node && `${node.iid} ${node.title} ${node.state}`);

/** Sends a mutation; what is refused is thrown. */
function commit<Mutation extends MutationParameters>(mutation: GraphQLTaggedNode, variables: Mutation['variables']) {
  return new Promise<void>((resolve, reject) => {
    const onCompleted = (_data: unknown, errors: readonly unknown[] | null | undefined) =>
      errors?.length ? reject(new Error(JSON.stringify(errors))) : resolve();
    commitMutation<Mutation>(environment, { mutation, variables, onCompleted, onError: reject });
  });
}

assert.deepEqual(listed(), ['1 Issue 1 OPENED', '2 Issue 2 OPENED']);
const connections = [ConnectionHandler.getConnectionID(read().project?.id ?? '', 'cache_issues')];

await commit<cacheCreateMutation>(create, { input: { project, title: 'Issue 3' }, connections });
assert.deepEqual(listed(), ['1 Issue 1 OPENED', '2 Issue 2 OPENED', '3 Issue 3 OPENED']);

await commit<cacheCloseMutation>(close, { input: { project, iid: 2, title: 'Done', stateEvent: 'CLOSE' } });
assert.deepEqual(listed(), ['1 Issue 1 OPENED', '2 Done CLOSED', '3 Issue 3 OPENED']);

await commit<cacheDeleteMutation>(remove, { input: { project, iid: 1 }, connections });
assert.deepEqual(listed(), ['2 Done CLOSED', '3 Issue 3 OPENED']);
console.log('walked');
