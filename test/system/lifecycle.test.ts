import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heapOptions, heapSettings } from '../../bin/heap.cjs';
import {
  gantry,
  isAlive,
  postgresPid,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

let data: string;
let remove: () => void;
const running = new Set<ServerProcess>();

beforeEach(() => {
  const scratch = scratchDirectory();
  data = path.join(scratch.directory, 'data');
  remove = scratch.remove;
});

afterEach(async () => {
  for (const server of running) {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.end('SIGTERM');
  }
  running.clear();
  remove();
});

async function serve(more: Record<string, string> = {}, args: string[] = []): Promise<ServerProcess> {
  const server = await startServer(settings(data, more), args);
  running.add(server);
  return server;
}

const version = (server: ServerProcess, token: string) =>
  fetch(`${server.url}/api/v4/version`, { headers: { 'private-token': token } });

describe('start', () => {
  test('the first start prints where everything is and how the administrator signs in', async () => {
    const server = await serve();
    const token = printed(server.output(), 'Private token') ?? '';
    expect(printed(server.output(), 'Data')).toBe(data);
    expect(printed(server.output(), 'Password')).toMatch(/^.{16,}$/);
    expect((await version(server, token)).status).toBe(200);
    expect((await version(server, `${token}x`)).status).toBe(401);
    expect((await fetch(`${server.url}/-/liveness`)).status).toBe(200);
    expect((await fetch(`${server.url}/-/readiness`)).status).toBe(200);
  });

  test.runIf(existsSync('/proc/self/cmdline'))(
    'the heap of the process that was started is bounded, unless somebody else says how large it may be',
    async () => {
      const optionsOf = ({ child }: ServerProcess) => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0');
      const first = await serve();
      expect(optionsOf(first)).toContain(heapOptions[0]);
      await first.end('SIGTERM');
      const second = await serve({ NODE_OPTIONS: '--max-semi-space-size=32' });
      expect(optionsOf(second).filter((option) => option.startsWith('--max'))).toEqual([]);
    },
  );

  test.runIf(existsSync('/proc/self/environ'))(
    'how the C library keeps memory is set for the server, not for PostgreSQL',
    async () => {
      const server = await serve();
      const settingsOf = (pid = 0) =>
        readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .filter((setting) => /^MALLOC_/.test(setting));
      expect(settingsOf(server.child.pid).length).toBe(Object.keys(heapSettings).length);
      expect(settingsOf(postgresPid(data))).toEqual([]);
    },
  );

  test('a later start names the file of mode 600 that keeps the credentials, and prints none of them', async () => {
    const first = await serve();
    const token = printed(first.output(), 'Private token') ?? '';
    const password = printed(first.output(), 'Password') ?? '';
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await serve();
    const file = path.join(data, 'credentials');
    expect(printed(second.output(), 'Credentials')).toBe(file);
    expect(second.output()).not.toContain(token);
    expect(second.output()).not.toContain(password);
    expect(readFileSync(file, 'utf8')).toContain(token);
    for (const name of ['credentials', 'secret']) expect(statSync(path.join(data, name)).mode & 0o777).toBe(0o600);
    expect((await version(second, token)).status).toBe(200);
  });

  test('the settings choose the administrator’s credentials at the first start', async () => {
    const token = 'chosen-token-0123456789';
    const server = await serve({ GANTRY_ROOT_TOKEN: token, GANTRY_ROOT_PASSWORD: 'a chosen password' });
    expect((await version(server, token)).status).toBe(200);
    expect(printed(server.output(), 'Username')).toBe('root');
    for (const secret of [token, 'a chosen password']) expect(server.output()).not.toContain(secret);
    expect(existsSync(path.join(data, 'credentials'))).toBe(false);
  });

  test('credentials that the settings give are neither printed nor kept, beside those that are made', async () => {
    const server = await serve({ GANTRY_ROOT_PASSWORD: 'a chosen password' });
    const token = printed(server.output(), 'Private token') ?? '';
    expect((await version(server, token)).status).toBe(200);
    expect(server.output()).not.toContain('a chosen password');
    expect(readFileSync(path.join(data, 'credentials'), 'utf8').split('\n').slice(1)).toEqual([
      'username: root',
      `private_token: ${token}`,
      '',
    ]);
    const session = await fetch(`${server.url}/api/v4/session`, {
      method: 'POST',
      body: new URLSearchParams({ login: 'root', password: 'a chosen password' }),
    });
    expect(await session.json()).toMatchObject({ private_token: token });
  });

  test('each wrong setting is named at once', async () => {
    const wrong = {
      HOST: 'a b',
      PORT: '70000',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      GANTRY_URL: 'ftp://x',
      GANTRY_SECRET: 'short',
    };
    const more = {
      GANTRY_ROOT_PASSWORD: 'short',
      GANTRY_ROOT_TOKEN: 'a b',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: '10.0.0.0/99',
    };
    const { status, stderr, stdout } = await gantry(['serve'], settings(data, { ...wrong, ...more }));
    expect(status).toBe(1);
    for (const name of Object.keys({ ...wrong, ...more })) expect(stderr).toContain(`  ${name}: `);
    expect(stderr + stdout).not.toContain('hunter2');
    expect(existsSync(data)).toBe(false);
  });

  test('a port in use is said clearly, and nothing is left running', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { status, stderr } = await gantry(['serve'], settings(data, { PORT: String(port) }));
    other.close();
    expect(status).toBe(1);
    expect(stderr).toBe(`gantry: Port ${port} on 127.0.0.1 is in use by another program. Set PORT to another one.\n`);
    expect(existsSync(data)).toBe(false);
  });

  test('where the usual port of SSH is taken, the greeting says so, and no address of SSH is handed out', async () => {
    // Another program may have it already.
    const other = createServer().listen(2222, '127.0.0.1');
    await Promise.race([once(other, 'listening'), once(other, 'error')]).catch(() => undefined);
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const { GANTRY_SSH_PORT: _, ...env } = settings(data, { PORT: String(port) });
    const server = await startServer(env);
    running.add(server);
    other.close();
    expect(server.output()).toContain('SSH:            not available: port 2222 is in use by another program');
    const answer = await fetch(`${server.url}/api/v4/projects`, {
      method: 'POST',
      headers: { 'private-token': printed(server.output(), 'Private token') ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'p' }),
    });
    expect(await answer.json()).toMatchObject({ ssh_url_to_repo: '', http_url_to_repo: `${server.url}/root/p.git` });
  });

  test('a data directory that cannot be used is said clearly, and nothing is set up', async () => {
    writeFileSync(data, 'a file in the way');
    const places = [path.join(data, 'data'), ...(existsSync('/proc/self') ? ['/proc/gantry/data'] : [])];
    for (const place of places) {
      for (const command of [['serve'], ['migrate']]) {
        const { status, stderr, stdout } = await gantry(command, settings(place));
        expect([status, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(
          /^gantry: The directory .* cannot be used: .*\. Set GANTRY_DATA to another directory\.\n$/,
        );
      }
    }
  });

  test('names that are no settings are warned of, once', async () => {
    const server = await serve({ GANTRY_PORT: '1' });
    const warning = 'gantry: GANTRY_PORT is not a setting of Gantry and is ignored. Did you mean PORT?\n';
    expect(server.output().split(warning)).toHaveLength(2);
  });

  test('the block comes last and alone, and the log of the first start holds what is wrong only', async () => {
    const server = await serve();
    expect(server.output()).toMatch(/^\n {2}Gantry .* is running\.\n[^{]*Stop with Ctrl\+C\.\n\n$/);
  });

  test('a database that cannot be reached is said clearly, without its password', async () => {
    const env = settings(data, { DATABASE_URL: 'postgresql://user:hunter2@127.0.0.1:1/none' });
    const { status, stderr, stdout } = await gantry(['serve'], env);
    expect(status).toBe(1);
    expect(stderr).toContain('The database of DATABASE_URL cannot be used');
    expect(stderr + stdout).not.toContain('hunter2');
  });

  test('a second server on the data directory is refused by the name of the first', async () => {
    const first = await serve();
    const { status, stderr } = await gantry(['serve'], settings(data));
    expect(status).toBe(1);
    expect(stderr).toContain(`in use by process ${first.child.pid} (gantry serve)`);
    expect((await fetch(`${first.url}/-/readiness`)).status).toBe(200);
  });
});

describe('stop', () => {
  test('the program that was started ends when the server has: nobody answers at its port then', async () => {
    const server = await serve();
    expect((await fetch(`${server.url}/-/liveness`)).status).toBe(200);
    const answering = fetch(`${server.url}/-/liveness`).catch(() => null);
    expect(await server.end('SIGTERM')).toBe(0);
    await answering;
    await expect(fetch(`${server.url}/-/liveness`)).rejects.toThrow();
    expect(existsSync(`${data}/postgres/postmaster.pid`)).toBe(false);
  });

  test('SIGTERM finishes the running request, refuses new ones and exits with 0', async () => {
    const server = await serve();
    const pid = postgresPid(data);
    const body = Buffer.alloc(64, 'x');
    const { hostname, port } = new URL(server.url);
    // A request whose body has not arrived yet is running; it ends when the rest has been sent.
    const slow = request({
      hostname,
      port,
      method: 'POST',
      path: '/api/v4/session',
      headers: { 'content-length': body.length, 'content-type': 'application/json' },
    });
    const answered = once(slow, 'response');
    slow.write(body.subarray(0, 32));
    await until(async () => ((await fetch(`${server.url}/-/liveness`)).ok ? true : undefined));

    const ended = server.end('SIGTERM');
    await until(async () =>
      fetch(`${server.url}/-/liveness`).then(
        () => undefined,
        () => true,
      ),
    );
    expect(isAlive(pid)).toBe(true);
    slow.end(body.subarray(32));
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(await ended).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  test('after kill -9 no PostgreSQL stays behind, what was answered is kept, and the next start works', async () => {
    const first = await serve();
    const pid = postgresPid(data);
    const made = await gantry(['token', 'create', '--user', 'root', '--scopes', 'api'], settings(data));
    await first.end('SIGKILL');
    const second = await serve();
    expect(isAlive(pid)).toBe(false);
    expect(postgresPid(data)).not.toBe(pid);
    expect((await version(second, made.stdout.trim())).status).toBe(200);
  });

  test('kill -9 alone, without a next start, ends PostgreSQL', async () => {
    const server = await serve();
    const pid = postgresPid(data);
    await server.end('SIGKILL');
    await until(() => (isAlive(pid) ? undefined : true));
  });

  test('an interrupted first start leaves nothing that hinders the next', async () => {
    for (const moment of [150, 400, 700]) await gantryKilledAfter(moment);
    const server = await serve();
    const token = /^private_token: (.+)$/m.exec(readFileSync(path.join(data, 'credentials'), 'utf8'))?.[1] ?? '';
    expect((await version(server, token)).status).toBe(200);
  });

  test('an ephemeral server prints its token and removes its directory, on failure too', async () => {
    const temporary = scratchDirectory();
    const more = { TMPDIR: temporary.directory };
    const server = await serve(more, ['--ephemeral']);
    expect((await version(server, printed(server.output(), 'Private token') ?? '')).status).toBe(200);
    expect(existsSync(data)).toBe(false);
    expect(await server.end('SIGINT')).toBe(0);
    const failed = await gantry(['serve', '--ephemeral'], settings(data, { ...more, HOST: '192.0.2.1' }));
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('This machine has no address 192.0.2.1');
    expect(readdirSync(temporary.directory).filter((name) => name.startsWith('gantry-'))).toEqual([]);
    temporary.remove();
  });
});

describe.runIf(process.platform === 'linux')('an ephemeral server that was killed', () => {
  test('leaves nothing that the next one does not clear away, beside those that live', async () => {
    const temporary = scratchDirectory();
    const more = { TMPDIR: temporary.directory };
    const found = () => readdirSync(temporary.directory).filter((name) => name.startsWith('gantry-ephemeral-'));
    const [killed, living] = [await serve(more, ['--ephemeral']), await serve(more, ['--ephemeral'])];
    const left = printed(killed.output(), 'Data') ?? '';
    const postgres = postgresPid(left);
    // The watcher, whose work it is to end PostgreSQL, dies as well.
    const watcher = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${postgres}/status`, 'utf8'))?.[1]);
    const watchers = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === watcher);
    killed.child.kill('SIGSTOP');
    for (const pid of watchers.map(Number)) if (pid !== postgres) process.kill(pid, 'SIGKILL');
    process.kill(watcher, 'SIGKILL');
    await killed.end('SIGKILL');
    expect(isAlive(postgres)).toBe(true);

    const next = await serve(more, ['--ephemeral']);
    expect(existsSync(left)).toBe(false);
    expect(isAlive(postgres)).toBe(false);
    expect(found()).toHaveLength(2);
    expect((await fetch(`${living.url}/-/readiness`)).status).toBe(200);
    for (const server of [living, next]) expect(await server.end('SIGTERM')).toBe(0);
    expect(found()).toEqual([]);
    temporary.remove();
  });
});

/** The process that started another one; undefined where that is gone. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

describe('commands', () => {
  const ada = [
    'user',
    'create',
    '--username',
    'ada',
    '--email',
    'ada@example.com',
    '--name',
    'Ada L',
    '--password',
    'correct horse 1',
  ];
  const token = ['token', 'create', '--user', 'ada', '--scopes', 'api,read_user', '--expires', '2099-12-31'];

  test('users and tokens are created while the server is stopped', async () => {
    const env = settings(data);
    const migrated = await gantry(['migrate'], env);
    expect(migrated).toMatchObject({ status: 0, stderr: '' });
    expect((await gantry(['migrate'], env)).stdout).toBe('The database is up to date.\n');
    expect(await gantry(ada, env)).toMatchObject({ status: 0, stderr: '' });
    const created = await gantry(token, env);
    expect(created).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(path.join(data, 'postgres', 'postmaster.pid'))).toBe(false);
    const server = await serve();
    expect((await version(server, created.stdout.trim())).status).toBe(200);
  });

  test('users and tokens are created while the server runs', async () => {
    const server = await serve();
    const env = settings(data);
    expect(await gantry(ada, env)).toMatchObject({ status: 0, stderr: '' });
    const created = await gantry(token, env);
    expect((await version(server, created.stdout.trim())).status).toBe(200);
    const generated = await gantry(
      ['user', 'create', '--username', 'bob', '--email', 'bob@example.com', '--name', 'Bob'],
      env,
    );
    expect(generated.stdout).toMatch(/^Created user bob with ID \d+\.\nPassword: \S{16,}\n$/);
    const again = await gantry(ada, env);
    expect(again).toMatchObject({ status: 1, stdout: '' });
    expect(again.stderr).toMatch(/^gantry: /);
    expect((await fetch(`${server.url}/-/readiness`)).status).toBe(200);
  });

  test('users are locked out and let in again, and tokens listed and revoked, while the server runs', async () => {
    const server = await serve();
    const env = settings(data);
    await gantry(ada, env);
    const made = (await gantry(token, env)).stdout.trim();
    expect((await gantry(['user', 'block', '--username', 'Ada', '--directory'], env)).stdout).toMatch(/blocked/);
    expect((await version(server, made)).status).toBe(401);
    expect((await gantry(['user', 'block', '--username', 'ada'], env)).stdout).toMatch(/^Nothing to do/);
    expect(await gantry(['user', 'unblock', '--username', 'ada'], env)).toMatchObject({ status: 0 });
    expect((await version(server, made)).status).toBe(200);
    const listed = (await gantry(['token', 'list', '--user', 'ada'], env)).stdout;
    expect(listed).toMatch(
      /^ID\s+STATE\s+EXPIRES\s+KIND\s+SCOPES\s+NAME\n\d+\s+active\s+2099-12-31\s+personal\s+api,read_user\s/,
    );
    expect(listed).not.toContain(made);
    const id = /^(\d+)/m.exec(listed)?.[1] ?? '';
    expect(await gantry(['token', 'revoke', '--user', 'ada', '--id', id], env)).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect((await version(server, made)).status).toBe(401);
    expect((await gantry(['token', 'list', '--user', 'ada'], env)).stdout).toContain('revoked');
    expect(await gantry(['token', 'revoke', '--user', 'ada', '--id', '99999'], env)).toMatchObject({ status: 1 });
    expect(await gantry(['user', 'block', '--username', 'nobody'], env)).toMatchObject({
      status: 1,
      stderr: 'gantry: There is no user nobody.\n',
    });
  });

  test.each([[[]], [['fly']], [['serve', '--fast']], [['user', 'create']], [[...token.slice(0, -1), '2099-02-30']]])(
    'wrong use explains itself and exits with 2: %j',
    async (args) => {
      const { status, stderr } = await gantry(args, settings(data));
      expect(status).toBe(2);
      expect(stderr).toMatch(/^gantry: .+\n.*`gantry help.*`.*\n$/);
    },
  );
});

test('no secret reaches the log', async () => {
  const server = await serve({ LOG_LEVEL: 'trace' });
  const token = printed(server.output(), 'Private token') ?? '';
  const greeted = server.output().length;
  const password = readFileSync(path.join(data, 'credentials'), 'utf8').match(/^password: (.+)$/m)?.[1] ?? '';
  const secret = readFileSync(path.join(data, 'secret'), 'utf8').trim();
  await fetch(`${server.url}/api/v4/version?private_token=${token}&private%5Ftoken=${token}&access_token=${token}`);
  await fetch(`${server.url}/api/v4/version`, {
    headers: { authorization: `Bearer ${token}`, cookie: `session=${token}` },
  });
  const body = new URLSearchParams({ login: 'root', password });
  const response = await fetch(`${server.url}/api/v4/session`, {
    method: 'POST',
    body,
    headers: { 'x-request-id': 'my-own.id_1' },
  });
  expect(response.headers.get('x-request-id')).toBe('my-own.id_1');
  const variables = { input: { login: 'root', currentPassword: password, newPassword: `${password}\u0000new` } };
  const mutation = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { user { username } } }';
  const inline = `mutation { signIn(input: {login: "root", password: "${password}", nonsense: 1}) { viewer { id } } }`;
  for (const sent of [
    { query: mutation, variables },
    { query: inline },
    { query: mutation, variables: { input: password } },
  ]) {
    const headers = { 'content-type': 'application/json' };
    await fetch(`${server.url}/graphql`, { method: 'POST', body: JSON.stringify(sent), headers });
  }
  const odd = await fetch(`${server.url}/-/liveness`, { headers: { 'x-request-id': 'a b"c' } });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  await server.end('SIGTERM');

  const log = server.output().slice(greeted);
  expect(log).toContain('"id":"my-own.id_1"');
  for (const hidden of [token, password, secret]) expect(log).not.toContain(hidden);
  for (const line of log.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});

async function gantryKilledAfter(milliseconds: number): Promise<void> {
  const { spawn } = await import('node:child_process');
  const { packagePath } = await import('#src/platform/package_root.ts');
  const child = spawn(process.execPath, [packagePath('bin/gantry.js'), 'serve'], {
    env: settings(data),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  await ended;
  clearTimeout(timer);
}
