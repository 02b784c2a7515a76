import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { HereAndGone } from '../documents.ts';
import { endpoint, headers, introspect, newProject } from '../server.ts';

const cache = cacheExchange({ schema: await introspect() });
const client = new Client({ url: endpoint, fetchOptions: { headers }, exchanges: [cache, fetchExchange] });
const here = await newProject(1);

const { data, error } = await client.query(HereAndGone, { here, gone: 'root/never-was' });
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
