import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printed, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

// V8 documents nowhere that function literals assigned to properties, getters in object literals and values of WeakMaps keep what they
// refer to from being collected with other young objects (docs/performance.md, Garbage). So what requests leave behind is measured.

const { directory, remove } = scratchDirectory();
let server: ServerProcess;
let token = '';

beforeAll(async () => {
  server = await startServer(settings(directory));
  token = printed(server.output(), 'Private token') ?? '';
  const { id } = await (await send('POST', '/api/v4/projects', { name: 'Large' })).json();
  const description = 'Something happened, and nobody knows what. '.repeat(250);
  for (let n = 0; n < 20; n++)
    await send('POST', `/api/v4/projects/${id}/issues`, { title: `Issue ${n}`, description });
});

afterAll(async () => {
  await server?.end('SIGTERM');
  remove();
});

async function send(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'private-token': token, 'content-type': 'application/json' };
  const answer = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return answer;
}

/** Bytes of old objects, and how often they were collected. */
async function old(): Promise<{ bytes: number; collections: number }> {
  const text = await (await send('GET', '/-/metrics')).text();
  const number = (line: RegExp) => Number(line.exec(text)?.[1] ?? 0);
  return {
    bytes:
      number(/^nodejs_heap_space_size_used_bytes\{space="old"\} (\S+)$/m) +
      number(/^nodejs_heap_space_size_used_bytes\{space="large_object"\} (\S+)$/m),
    collections: number(/^nodejs_gc_duration_seconds_count\{kind="major"\} (\S+)$/m),
  };
}

/** How many bytes each of some requests leaves to the collection of old objects, if there was none meanwhile. */
async function leftBehind(request: () => Promise<Response>): Promise<number> {
  const times = 150;
  const run = async () => {
    for (let n = 0; n < times; n++) await (await request()).arrayBuffer();
  };
  await run();
  for (;;) {
    const before = await old();
    await run();
    const after = await old();
    if (after.collections === before.collections) return (after.bytes - before.bytes) / times;
  }
}

describe('Requests leave little behind that only a collection of old objects finds:', () => {
  test('lists over REST', async () => {
    const list = () => send('GET', '/api/v4/issues?scope=all');
    expect((await (await list()).arrayBuffer()).byteLength).toBeGreaterThan(200_000);
    expect(await leftBehind(list)).toBeLessThan(50_000);
  });

  test('lists below lists over GraphQL', async () => {
    const query = '{ projects { nodes { issues { nodes { description } } } } }';
    const list = () => send('POST', '/graphql', { query });
    expect((await (await list()).arrayBuffer()).byteLength).toBeGreaterThan(200_000);
    expect(await leftBehind(list)).toBeLessThan(50_000);
  });
});
