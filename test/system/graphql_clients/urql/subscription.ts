import assert from 'node:assert/strict';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { createClient } from 'graphql-sse';
import { IssueChanged, IssueList } from '../documents.ts';
import { endpoint, headers, introspect, newProject, renameIssue } from '../server.ts';

const events = createClient({ url: endpoint, headers });
const client = new Client({
  url: endpoint,
  fetchOptions: { headers },
  exchanges: [
    cacheExchange({ schema: await introspect() }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: events.subscribe({ query, variables: { ...variables } }, sink) }),
      }),
    }),
  ],
});

const project = await newProject(1);
const { data } = await client.query(IssueList, { project });
assert.equal(data?.project?.issues.nodes[0]?.title, 'Issue 1');

// Whatever comes first, the subscription or the change: what changed from now on is told.
const after = new Date().toISOString();
const renamed = new Promise<void>((resolve, reject) => {
  const { unsubscribe } = client.subscription(IssueChanged, { project, after }).subscribe(({ data, error }) => {
    if (error) reject(error);
    if (data?.issueChanged?.title !== 'Renamed') return;
    unsubscribe();
    resolve();
  });
});
await renameIssue(project, 1, 'Renamed');
await renamed;

// The query shows it as well, without a request.
const now = await client.query(IssueList, { project }, { requestPolicy: 'cache-only' });
assert.equal(now.data?.project?.issues.nodes[0]?.title, 'Renamed');
console.log('walked');
