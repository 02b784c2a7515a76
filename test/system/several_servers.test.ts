import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { clone, commitFile, run } from '../support/git_client.ts';
import { startObjectStore } from '../support/s3.ts';
import {
  gantry,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

let directory: string;
let databaseUrl: string;
const endings: (() => unknown)[] = [];

beforeEach(async () => {
  const scratch = scratchDirectory();
  directory = scratch.directory;
  endings.push(scratch.remove);
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(directory, 'database'), log: quiet });
  endings.push(() => postgres.stop());
  databaseUrl = postgres.url;
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function serve(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const server = await startServer(env);
  endings.push(() => server.end('SIGTERM'));
  return server;
}

/** The private token of the administrator, which one of the servers has made. */
function tokenOf(servers: ServerProcess[]): string {
  const tokens = servers.flatMap((server) => printed(server.output(), 'Private token') ?? []);
  expect(tokens).toHaveLength(1);
  return tokens[0] ?? '';
}

function api(token: string) {
  return async ({ url }: ServerProcess, method: string, at: string, body?: object) => {
    const headers = { 'PRIVATE-TOKEN': token, ...(body && { 'Content-Type': 'application/json' }) };
    const answer = await fetch(`${url}/api/v4${at}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
}

/** Uploads a file; its address below the server. */
async function upload({ url }: ServerProcess, token: string, projectId: number, content: string): Promise<string> {
  const form = new FormData();
  form.append('file', new File([content], 'notes.txt'));
  const headers = { 'PRIVATE-TOKEN': token };
  const answer = await fetch(`${url}/api/v4/projects/${projectId}/uploads`, { method: 'POST', headers, body: form });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { url: string }).url;
}

describe('Three servers that start at once on an empty database', () => {
  test('share a data directory: one administrator, one secret, one state of everything', {
    timeout: 300_000,
  }, async () => {
    const env = settings(path.join(directory, 'data'), { DATABASE_URL: databaseUrl });
    const servers = await Promise.all([serve(env), serve(env), serve(env)]);
    const token = tokenOf(servers);
    const [one, two, three] = servers as [ServerProcess, ServerProcess, ServerProcess];
    const send = api(token);
    const project = (await send(one, 'POST', '/projects', { name: 'shared' })).body;
    const at = `/projects/${project.id}`;
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'one' }];
    const change = { branch: 'main', commit_message: 'One', actions };
    expect((await send(two, 'POST', `${at}/repository/commits`, change)).status).toBe(201);

    // What one server wrote, the next ones read at once, by the API and by git.
    const remote = ({ url }: ServerProcess) => `${url.replace('://', `://oauth2:${token}@`)}/root/shared.git`;
    const copy = await clone(remote(three));
    for (let n = 0; n < 10; n += 1) {
      const hash = await commitFile(copy, 'a.txt', `${n}`);
      const [writer, reader] = n % 2 === 0 ? [one, two] : [three, one];
      await run(copy, 'push', '--quiet', remote(writer), 'HEAD:main');
      expect((await send(reader, 'GET', `${at}/repository/branches/main`)).body.commit.id).toBe(hash);
      expect((await send(reader, 'GET', `${at}/repository/commits`)).body[0].id).toBe(hash);
    }
    const file = await upload(one, token, project.id, 'some text');
    const headers = { 'PRIVATE-TOKEN': token };
    expect(await (await fetch(`${two.url}/root/shared${file}`, { headers })).text()).toBe('some text');
    expect((await send(one, 'PUT', '/application/settings', { default_projects_limit: 7 })).status).toBe(200);
    await until(async () => {
      const limits = await Promise.all(servers.map((server) => send(server, 'GET', '/application/settings')));
      return limits.every(({ body }) => body.default_projects_limit === 7) || undefined;
    });

    // What one server encrypted, another one can read.
    await send(one, 'POST', `${at}/variables`, { key: 'NAME', value: 'secret value' });
    expect((await send(three, 'GET', `${at}/variables/NAME`)).body.value).toBe('secret value');

    const user = await gantry(
      ['user', 'create', '--username', 'pia', '--email', 'pia@example.com', '--name', 'Pia'],
      env,
    );
    expect([user.status, user.stderr]).toEqual([0, '']);
    expect(await one.end('SIGTERM')).toBe(0);
    const later = await serve(env);
    expect((await send(later, 'GET', '/users?username=pia')).body).toHaveLength(1);
  });

  test('or have one each, beside shared storages, uploads and a secret', { timeout: 300_000 }, async () => {
    const store = await startObjectStore();
    endings.push(() => store.stop());
    const shared = {
      DATABASE_URL: databaseUrl,
      GANTRY_SECRET: 'shared by all servers of this test',
      GANTRY_STORAGES: `default=${path.join(directory, 'repositories')}`,
      ...store.environment,
    };
    const servers = await Promise.all(
      ['one', 'two', 'three'].map((name) => serve(settings(path.join(directory, name), shared))),
    );
    const token = tokenOf(servers);
    const [one, two, three] = servers as [ServerProcess, ServerProcess, ServerProcess];
    const send = api(token);
    const project = (await send(one, 'POST', '/projects', { name: 'shared' })).body;
    const file = await upload(one, token, project.id, '0123456789');
    const headers = { 'PRIVATE-TOKEN': token };
    const whole = await fetch(`${two.url}/root/shared${file}`, { headers });
    expect(await whole.text()).toBe('0123456789');
    const part = await fetch(`${three.url}/root/shared${file}`, { headers: { ...headers, Range: 'bytes=3-5' } });
    expect([part.status, await part.text()]).toEqual([206, '345']);
    for (const name of ['one', 'two', 'three']) expect(existsSync(path.join(directory, name, 'uploads'))).toBe(false);

    await store.stop();
    const away = await fetch(`${two.url}/root/shared${file}`, { headers });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '30']);
  });
});

describe('A data directory', () => {
  test('with an embedded database is for one server, whatever others want there', { timeout: 300_000 }, async () => {
    const data = path.join(directory, 'own');
    const alone = await serve(settings(data));
    const second = await gantry(['serve'], settings(data, { DATABASE_URL: databaseUrl }));
    expect([second.status, second.stderr]).toEqual([
      1,
      expect.stringContaining(`in use by process ${alone.child.pid}`),
    ]);
    await alone.end('SIGTERM');
    const sharing = await serve(settings(data, { DATABASE_URL: databaseUrl }));
    const third = await gantry(['serve'], settings(data));
    expect([third.status, third.stderr]).toEqual([
      1,
      expect.stringContaining(`in use by process ${sharing.child.pid}`),
    ]);
    // Nothing is left of it but what the next start needs.
    await sharing.end('SIGTERM');
    expect(readdirSync(data).filter((name) => name.startsWith('holder') || /secret\./.test(name))).toEqual([]);
  });
});
