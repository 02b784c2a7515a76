import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateTypes, graphqlClients, runClient } from '../support/graphql_clients.ts';
import { printed, type ServerProcess, startServer } from '../support/server_process.ts';

const programs = [
  ['apollo/cache', 'shows what a mutation changed and deleted in a list that was read before'],
  ['apollo/paging', 'pages through a connection both ways, while it changes'],
  ['apollo/partial_errors', 'has the rest of an answer beside a record that is missing'],
  ['apollo/upload', 'uploads a file'],
  ['apollo/persisted', 'sends the hash of a document that the server knows'],
  ['apollo/subscription', 'shows what a subscription tells in a list that was read before, over WebSocket'],
  ['urql/cache', 'shows what a mutation changed and deleted in a list that was read before'],
  ['urql/paging', 'pages through a connection both ways, while it changes'],
  ['urql/partial_errors', 'has the rest of an answer beside a record that is missing'],
  ['urql/upload', 'uploads a file'],
  ['urql/persisted', 'sends the hash of a document that the server knows'],
  ['urql/subscription', 'shows what a subscription tells in a list that was read before, over Server-Sent Events'],
  ['relay/cache', 'shows what mutations added, changed and deleted in a connection'],
  ['relay/paging', 'pages through a connection both ways, while it changes'],
  ['relay/partial_errors', 'has the rest of an answer beside a record that is missing'],
] as const;

let server: ServerProcess;

beforeAll(async () => {
  await graphqlClients.install();
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  await generateTypes(server.url);
}, 480_000);

afterAll(async () => {
  await server?.end('SIGTERM');
});

describe('clients of GraphQL', () => {
  it.each(programs)('%s %s', async (program) => {
    const token = printed(server.output(), 'Private token') ?? '';
    expect(await runClient(program, server.url, token)).toEqual({ status: 0, stdout: 'walked\n', stderr: '' });
  });

  it('compile with the types that graphql-codegen and relay-compiler make of the schema', async () => {
    expect(await graphqlClients.checkTypes()).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
