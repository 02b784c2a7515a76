import assert from 'node:assert/strict';
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { HereAndGone } from '../documents.ts';
import { endpoint, headers, newProject } from '../server.ts';

const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri: endpoint, headers }) });
const here = await newProject(1);

const { data, error } = await client.query({
  query: HereAndGone,
  variables: { here, gone: 'root/never-was' },
  errorPolicy: 'all',
});
assert.equal(data?.here?.fullPath, here);
assert.equal(data.here.first?.title, 'Issue 1');
assert.equal(data.here.missing, null);
assert.equal(data.gone, null);
assert.ok(CombinedGraphQLErrors.is(error), String(error));
assert.deepEqual(
  new Map(error.errors.map(({ path, extensions }) => [path?.join('.'), extensions?.code])),
  new Map([
    ['gone', 'NOT_FOUND'],
    ['here.missing', 'NOT_FOUND'],
  ]),
);
console.log('walked');
