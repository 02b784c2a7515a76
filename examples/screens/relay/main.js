// The inbox with Relay, live over Server-Sent Events:
//
//   curl -o schema.graphql "$GANTRY_URL/graphql/schema.graphql"
//   npm run generate
//   GANTRY_URL=http://127.0.0.1:8080 TOKEN=… npm start
import { createClient } from 'graphql-sse';
import relay from 'relay-runtime';
import InboxQuery from './__generated__/InboxQuery.graphql.js';
import InboxSubscription from './__generated__/InboxSubscription.graphql.js';

const { createOperationDescriptor, Environment, fetchQuery, Network, Observable } = relay;
const { getRequest, RecordSource, requestSubscription, Store } = relay;
const { GANTRY_URL = 'http://127.0.0.1:8080', TOKEN } = process.env;
const url = `${GANTRY_URL}/graphql`;
const headers = { Authorization: `Bearer ${TOKEN}` };
const events = createClient({ url, headers });

const environment = new Environment({
  network: Network.create(
    // `onError: "NULL"`: an error leaves what is around it (docs/graphql.md, Errors).
    async ({ text }, variables) => {
      const body = JSON.stringify({ query: text, variables, onError: 'NULL' });
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
      });
      return answer.json();
    },
    ({ text }, variables) => Observable.create((sink) => events.subscribe({ query: text, variables }, sink)),
  ),
  store: new Store(new RecordSource()),
});

function show({ todos }) {
  const titles = todos?.nodes.map(({ issue, mergeRequest, body }) => (issue ?? mergeRequest)?.title ?? body);
  if (titles) console.log(`${todos.totalCount} to do: ${titles.join(', ')}`);
}

// The store keeps what is shown, and tells of its changes.
const operation = createOperationDescriptor(getRequest(InboxQuery), {});
environment.retain(operation);
environment.subscribe(environment.lookup(operation.fragment), ({ data }) => data && show(data));

// What is known changes by its `id`; what is new is not in the list yet, which is read again.
const read = () => fetchQuery(environment, InboxQuery, {}).toPromise();
requestSubscription(environment, { subscription: InboxSubscription, variables: {}, onNext: () => void read() });
await read();
