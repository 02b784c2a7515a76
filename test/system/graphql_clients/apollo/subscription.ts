import assert from 'node:assert/strict';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { filter, firstValueFrom } from 'rxjs';
import { IssueChanged, IssueList } from '../documents.ts';
import { endpoint, headers, newProject, renameIssue } from '../server.ts';

const socket = createClient({ url: endpoint.replace('http', 'ws'), connectionParams: headers });
const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(socket),
    new HttpLink({ uri: endpoint, headers }),
  ),
});

const project = await newProject(1);
const { data } = await client.query({ query: IssueList, variables: { project } });
assert.equal(data?.project?.issues.nodes[0]?.title, 'Issue 1');

// Whatever comes first, the subscription or the change: what changed from now on is told.
const after = new Date().toISOString();
const changes = client.subscribe({ query: IssueChanged, variables: { project, after } });
const renamed = firstValueFrom(changes.pipe(filter((one) => one.data?.issueChanged?.title === 'Renamed')));
await renameIssue(project, 1, 'Renamed');
await renamed;

// The query shows it as well, without a request.
const now = client.readQuery({ query: IssueList, variables: { project } });
assert.equal(now?.project?.issues.nodes[0]?.title, 'Renamed');
await socket.dispose();
console.log('walked');
