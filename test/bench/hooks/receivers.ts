import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/* Receivers of events: below /slow/ they answer after three seconds, below /dead/ never, and note elsewhere how late each event is. */
const SLOW = 3_000;
const delays: number[] = [];
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  if (request.url?.startsWith('/dead/')) return;
  if (request.url?.startsWith('/slow/')) await sleep(SLOW);
  response.end();
  if (request.url?.startsWith('/slow/')) return;
  const { object_attributes: issue } = JSON.parse(Buffer.concat(parts).toString());
  delays.push(Date.now() - Date.parse(issue.created_at));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.(delays));
process.send?.((server.address() as AddressInfo).port);
