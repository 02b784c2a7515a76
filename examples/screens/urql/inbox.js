// The inbox with urql and Graphcache, live over Server-Sent Events: GANTRY_URL=http://127.0.0.1:8080 TOKEN=… npm start
import { readFileSync } from 'node:fs';
import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { createClient } from 'graphql-sse';

const { GANTRY_URL = 'http://127.0.0.1:8080', TOKEN } = process.env;
const url = `${GANTRY_URL}/graphql`;
const headers = { Authorization: `Bearer ${TOKEN}` };

const Inbox = gql(readFileSync(new URL('../inbox.graphql', import.meta.url), 'utf8'));
const TodoChanged = gql`subscription TodoChanged { todoChanged { id state } }`;

/** An error leaves what is around it (docs/graphql.md, Errors). */
const nullOnError = (to, init) =>
  fetch(to, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), onError: 'NULL' }) });

const events = createClient({ url, headers });
const client = new Client({
  url,
  fetch: nullOnError,
  fetchOptions: { headers },
  preferGetMethod: false,
  exchanges: [
    cacheExchange({
      updates: {
        Subscription: {
          // What is known changes by its `id`; what is new is not in the list yet, which is read again.
          todoChanged: (_result, _args, cache) => cache.invalidate('Query', 'todos', { first: 50 }),
        },
      },
    }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: events.subscribe({ query, variables: { ...variables } }, sink) }),
      }),
    }),
  ],
});

client.subscription(TodoChanged, {}).subscribe(() => {});

client.query(Inbox, {}).subscribe(({ data }) => {
  const titles = data?.todos?.nodes.map(({ issue, mergeRequest, body }) => (issue ?? mergeRequest)?.title ?? body);
  if (titles) console.log(`${data.todos.totalCount} to do: ${titles.join(', ')}`);
});
