import assert from 'node:assert/strict';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { IssuePages } from '../documents.ts';
import { deleteIssue, endpoint, headers, introspect, newProject } from '../server.ts';

const project = await newProject(5);
const schema = await introspect();

/** Reads pages of the list into one cache, which joins them. */
function open() {
  const cache = cacheExchange({ schema, resolvers: { Project: { issues: relayPagination() } } });
  const client = new Client({ url: endpoint, fetchOptions: { headers }, exchanges: [cache, fetchExchange] });
  return async (page: { first: number; after?: string | null } | { last: number; before?: string | null }) => {
    const { data, error } = await client.query(IssuePages, { project, ...page });
    assert.equal(error, undefined);
    assert.ok(data?.project);
    const { edges, pageInfo } = data.project.issues;
    return { titles: edges.map(({ node }) => node.title), pageInfo };
  };
}

const forward = open();
let shown = await forward({ first: 2 });
assert.deepEqual(shown.titles, ['Issue 1', 'Issue 2']);
// What goes from the pages that were read moves nothing across the border of the next one.
await deleteIssue(project, 1);
for (const more of [['Issue 3', 'Issue 4'], ['Issue 5']]) {
  assert.equal(shown.pageInfo.hasNextPage, true);
  const next = await forward({ first: 2, after: shown.pageInfo.endCursor });
  assert.deepEqual(next.titles, [...shown.titles, ...more]);
  shown = next;
}
assert.equal(shown.pageInfo.hasNextPage, false);

const backward = open();
const end = await backward({ last: 2 });
assert.deepEqual(end.titles, ['Issue 4', 'Issue 5']);
assert.equal(end.pageInfo.hasPreviousPage, true);
const whole = await backward({ last: 2, before: end.pageInfo.startCursor });
assert.deepEqual(whole.titles, ['Issue 2', 'Issue 3', 'Issue 4', 'Issue 5']);
assert.equal(whole.pageInfo.hasPreviousPage, false);
console.log('walked');
