import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { graphqlClients } from '../support/graphql_clients.ts';
import { printed, type ServerProcess, startServer } from '../support/server_process.ts';

/* docs/graphql-clients.md: the screens of examples/screens with the clients that apps have, run as they are beside the packages that are installed for tests. */

const CLIENTS = { apollo: 'inbox.js', urql: 'inbox.js', relay: 'main.js' } as const;
const screens = path.join(graphqlClients.directory, 'generated/screens');
const started: ChildProcess[] = [];
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  await graphqlClients.install();
  cpSync(packagePath('examples/screens'), screens, { recursive: true });
  cpSync(packagePath('schema/schema.graphql'), path.join(screens, 'relay/schema.graphql'));
  await graphqlClients.generate('relay-compiler', ['relay.config.json'], {}, path.join(screens, 'relay'));
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  token = printed(server.output(), 'Private token') ?? '';
}, 480_000);

afterAll(async () => {
  for (const program of started) program.kill();
  await server?.end('SIGTERM');
});

async function post(place: string, body: object): Promise<Record<string, never>> {
  const response = await fetch(`${server.url}/api/v4${place}`, {
    method: 'POST',
    headers: { 'Private-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Record<string, never>;
}

/** Starts a program, and returns what it has printed so far. */
function start(client: keyof typeof CLIENTS): () => string {
  const env = { ...process.env, GANTRY_URL: server.url, TOKEN: token };
  const program = spawn(process.execPath, [CLIENTS[client]], { cwd: path.join(screens, client), env });
  started.push(program);
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (part) => (output += part));
  return () => output;
}

it.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])(
  'The inbox with %s shows what comes while it is open',
  async (client) => {
    const { id } = await post('/projects', { name: `inbox-${client}` });
    const mark = async (title: string) => {
      const { iid } = await post(`/projects/${id}/issues`, { title });
      await post(`/projects/${id}/issues/${iid}/todo`, {});
    };
    await mark(`First with ${client}`);
    const output = start(client);
    const wait = { timeout: 30_000, interval: 100 };
    await expect.poll(output, wait).toMatch(new RegExp(`^\\d+ to do: .*First with ${client}`, 'm'));
    // The subscription may begin later than the list is there: one of these is told.
    let more = 0;
    await expect
      .poll(
        async () => {
          await mark(`Further ${++more} with ${client}`);
          return output();
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toMatch(new RegExp(`^\\d+ to do: .*Further \\d+ with ${client}`, 'm'));
  },
  90_000,
);

it('The packages of the examples are those that are tried here', () => {
  const { dependencies: tried } = JSON.parse(readFileSync(path.join(graphqlClients.directory, 'package.json'), 'utf8'));
  for (const client of Object.keys(CLIENTS)) {
    const file = packagePath(`examples/screens/${client}/package.json`);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    const named = Object.entries({ ...dependencies, ...devDependencies });
    expect(named.length).toBeGreaterThan(2);
    for (const [name, version] of named) expect([name, tried[name]]).toEqual([name, version]);
  }
});
