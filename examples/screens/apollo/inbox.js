// The inbox with Apollo Client, live over WebSocket (Node 22 or later): GANTRY_URL=http://127.0.0.1:8080 TOKEN=… npm start
import { readFileSync } from 'node:fs';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';

const { GANTRY_URL = 'http://127.0.0.1:8080', TOKEN } = process.env;
const uri = `${GANTRY_URL}/graphql`;
const headers = { Authorization: `Bearer ${TOKEN}` };

const Inbox = gql(readFileSync(new URL('../inbox.graphql', import.meta.url), 'utf8'));
const TodoChanged = gql`subscription TodoChanged { todoChanged { id state } }`;

/** An error leaves what is around it (docs/graphql.md, Errors). */
const nullOnError = (url, init) =>
  fetch(url, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), onError: 'NULL' }) });

const client = new ApolloClient({
  cache: new InMemoryCache(),
  defaultOptions: { watchQuery: { errorPolicy: 'all' } },
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(createClient({ url: uri.replace('http', 'ws'), connectionParams: headers })),
    new HttpLink({ uri, headers, fetch: nullOnError }),
  ),
});

// What is known changes by its `id`; what is new is not in the list yet, which is read again.
client.subscribe({ query: TodoChanged }).subscribe(() => client.refetchQueries({ include: [Inbox] }));

client.watchQuery({ query: Inbox }).subscribe(({ data }) => {
  const titles = data?.todos?.nodes.map(({ issue, mergeRequest, body }) => (issue ?? mergeRequest)?.title ?? body);
  if (titles) console.log(`${data.todos.totalCount} to do: ${titles.join(', ')}`);
});
