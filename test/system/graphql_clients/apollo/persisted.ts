import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { graphql } from '../generated/gql.ts';
import { endpoint, headers, newProject } from '../server.ts';

const Name = graphql(`
  query ApolloPersisted($project: ProjectRef!) {
    project(ref: $project) { id fullPath }
  }
`);

const sent: string[] = [];
/** Notes how a document was sent, and whether by its text or by its hash alone. */
function follow(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const text = `${input}${init?.body ?? ''}`;
  sent.push(`${init?.method} ${/query(%20| )ApolloPersisted/.test(text) ? 'text' : 'hash'}`);
  return fetch(input, init);
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
const http = new HttpLink({ uri: endpoint, headers, fetch: follow });
const client = new ApolloClient({ cache: new InMemoryCache(), link: persisted.concat(http) });

const project = await newProject(0);
for (let time = 1; time <= 2; time++) {
  const { data } = await client.query({ query: Name, variables: { project }, fetchPolicy: 'network-only' });
  assert.equal(data?.project?.fullPath, project);
}
// Refused by its hash, sent with its text, and known by its hash from then on.
assert.deepEqual(sent, ['GET hash', 'POST text', 'GET hash']);
console.log('walked');
