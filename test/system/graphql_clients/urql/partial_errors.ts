import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { graphql } from '../generated/gql.ts';
import { endpoint, headers, introspect, newProject } from '../server.ts';

const Two = graphql(`
  query UrqlPartialErrors($here: ProjectRef!, $gone: ProjectRef!) {
    here: project(ref: $here) {
      id
      fullPath
      first: issue(iid: 1) { id title }
      missing: issue(iid: 99) { id title }
    }
    gone: project(ref: $gone) { id fullPath }
  }
`);

const cache = cacheExchange({ schema: await introspect() });
const client = new Client({ url: endpoint, fetchOptions: { headers }, exchanges: [cache, fetchExchange] });
const here = await newProject(1);

const { data, error } = await client.query(Two, { here, gone: 'root/never-was' });
assert.equal(data?.here?.fullPath, here);
assert.equal(data.here.first?.title, 'Issue 1');
assert.equal(data.here.missing, null);
assert.equal(data.gone, null);
assert.deepEqual(
  new Map(error?.graphQLErrors.map(({ path, extensions }) => [path?.join('.'), extensions.code])),
  new Map([
    ['gone', 'NOT_FOUND'],
    ['here.missing', 'NOT_FOUND'],
  ]),
);
console.log('walked');
