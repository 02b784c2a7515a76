import { once } from 'node:events';
import { connect } from 'node:net';
import WebSocket from 'ws';

/** Opens idle subscriptions, one for each connection, tells the parent process when all are open, and ends with it. */
const [, , url = '', token = '', transport = 'sse', count = '0'] = process.argv;

const DOCUMENT = 'subscription { issueChanged(in: { viewer: true }) { id iid title state updatedAt } }';

async function openStream(index: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const query = encodeURIComponent(DOCUMENT);
  const headers = `Host: ${hostname}:${port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}${index}`;
  socket.write(`GET /graphql?query=${query} HTTP/1.1\r\n${headers}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  if (!first.toString().includes('200 OK')) throw new Error(first.toString());
  socket.resume();
}

async function openSocket(index: number): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}${index}` } }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: DOCUMENT } }));
  socket.send(JSON.stringify({ id: '2', type: 'subscribe', payload: { query: '{ __typename }' } }));
  await once(socket, 'message');
}

const open = transport === 'sse' ? openStream : openSocket;
let next = 0;
await Promise.all(
  Array.from({ length: 20 }, async () => {
    while (next < Number(count)) await open(next++);
  }),
);
process.once('disconnect', () => process.exit(0));
process.send?.('open');
