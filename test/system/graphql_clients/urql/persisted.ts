import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { ProjectPath } from '../documents.ts';
import { endpoint, followed, headers, newProject } from '../server.ts';

const sent: string[] = [];
const client = new Client({
  url: endpoint,
  fetchOptions: { headers },
  fetch: followed(sent),
  exchanges: [persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange],
});

const project = await newProject(0);
for (let time = 1; time <= 2; time++) {
  const { data, error } = await client.query(ProjectPath, { project });
  assert.equal(error, undefined);
  assert.equal(data?.project?.fullPath, project);
}
// Refused by its hash, sent with its text, and known by its hash from then on.
assert.deepEqual(sent, ['GET hash', 'GET text', 'GET hash']);
console.log('walked');
