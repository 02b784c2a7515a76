import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { graphql } from '../generated/gql.ts';
import { endpoint, headers, newProject } from '../server.ts';

const Name = graphql(`
  query UrqlPersisted($project: ProjectRef!) {
    project(ref: $project) { id fullPath }
  }
`);

const sent: string[] = [];
/** Notes how a document was sent, and whether by its text or by its hash alone. */
function follow(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const text = `${input}${init?.body ?? ''}`;
  sent.push(`${init?.method} ${/query(%20|\+| )UrqlPersisted/.test(text) ? 'text' : 'hash'}`);
  return fetch(input, init);
}
const client = new Client({
  url: endpoint,
  fetchOptions: { headers },
  fetch: follow,
  exchanges: [persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange],
});

const project = await newProject(0);
for (let time = 1; time <= 2; time++) {
  const { data, error } = await client.query(Name, { project });
  assert.equal(error, undefined);
  assert.equal(data?.project?.fullPath, project);
}
// Refused by its hash, sent with its text, and known by its hash from then on.
assert.deepEqual(sent, ['GET hash', 'GET text', 'GET hash']);
console.log('walked');
