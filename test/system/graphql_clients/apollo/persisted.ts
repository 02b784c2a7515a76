import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { ProjectPath } from '../documents.ts';
import { endpoint, followed, headers, newProject } from '../server.ts';

const sent: string[] = [];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: true });
const http = new HttpLink({ uri: endpoint, headers, fetch: followed(sent) });
const client = new ApolloClient({ cache: new InMemoryCache(), link: persisted.concat(http) });

const project = await newProject(0);
for (let time = 1; time <= 2; time++) {
  const { data } = await client.query({ query: ProjectPath, variables: { project }, fetchPolicy: 'network-only' });
  assert.equal(data?.project?.fullPath, project);
}
// Refused by its hash, sent with its text, and known by its hash from then on.
assert.deepEqual(sent, ['GET hash', 'POST text', 'GET hash']);
console.log('walked');
