import { Environment, type FetchFunction, Network, RecordSource, Store } from 'relay-runtime';
import { endpoint, headers } from '../server.ts';

const fetchQuery: FetchFunction = async ({ text }, variables) => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  return await response.json();
};

/** Relay's store, and the network beside it. */
export const environment = new Environment({
  network: Network.create(fetchQuery),
  store: new Store(new RecordSource()),
});
