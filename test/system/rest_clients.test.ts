import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientPackage } from '../support/client_package.ts';
import { printed, run, type ServerProcess, startServer } from '../support/server_process.ts';

const clients = new ClientPackage('rest_clients');
let server: ServerProcess;

beforeAll(async () => {
  await clients.install();
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  const generated = path.join(clients.directory, 'generated');
  mkdirSync(generated, { recursive: true });
  const document = await fetch(`${server.url}/api/v4/openapi.json`);
  writeFileSync(path.join(generated, 'openapi.json'), await document.text());
  const types = ['generated/openapi.json', '--output', 'generated/openapi_typescript.ts'];
  // What has a default may be left out of a request.
  await clients.generate('openapi-typescript', [...types, '--default-non-nullable=false']);
  await clients.generate('openapi-ts', ['--file', 'hey_api.config.js']);
}, 480_000);

afterAll(async () => {
  await server?.end('SIGTERM');
});

describe('Clients generated from the OpenAPI document', () => {
  it.each(['openapi_typescript', 'hey_api'])(
    'create a project, an issue and a commit, read a file, page through issues and meet refusals (%s)',
    async (program) => {
      const token = printed(server.output(), 'Private token') ?? '';
      expect(await clients.run(program, server.url, token)).toEqual({ status: 0, stdout: 'walked\n', stderr: '' });
    },
  );

  it('compile as strictly as tsc can', async () => {
    expect(await clients.checkTypes()).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

/** Requests of clients that cannot be installed here, as their sources send them, and what these read of the answers. */
describe('Replays of clients', () => {
  it.each(['glab', 'atlantis', 'woodpecker', 'marge_bot', 'reviewdog', 'ansible'])(
    'of %s do what the client is for',
    async (name) => {
      const token = printed(server.output(), 'Private token') ?? '';
      const program = path.join(clients.directory, 'replays', `${name}.js`);
      expect(await run(process.execPath, [program, server.url, token], {})).toEqual({
        status: 0,
        stdout: 'walked\n',
        stderr: '',
      });
    },
  );
});
