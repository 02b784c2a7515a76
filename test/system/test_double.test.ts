import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { type Gantry, type SamplePerson, type StartOptions, startGantry } from '../../clients/testing/index.cjs';
import { blocksOf } from '../support/documentation.ts';
import { isAlive, run, scratchDirectory, until } from '../support/server_process.ts';

const scratch = scratchDirectory();
const temporary = path.join(scratch.directory, 'tmp');
mkdirSync(temporary);
const env = { TMPDIR: temporary, XDG_CACHE_HOME: path.join(scratch.directory, 'cache'), GANTRY_SSH_PORT: '0' };
const started = new Set<Gantry>();

async function seeded(options: StartOptions = {}): Promise<Gantry<SamplePerson>> {
  const server = await startGantry({ ...options, env: { ...env, ...options.env }, seed: true });
  started.add(server);
  return server;
}

afterEach(async () => {
  for (const server of started) await server.stop();
  started.clear();
});
afterAll(() => scratch.remove());

function ask(server: Gantry, target: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
  const { token = server.tokens.root, ...rest } = init;
  return fetch(`${server.url}/api/v4${target}`, { ...rest, headers: { 'private-token': token, ...rest.headers } });
}

async function json(server: Gantry, target: string, init: RequestInit & { token?: string } = {}) {
  const response = await ask(server, target, init);
  return { status: response.status, body: await response.json() };
}

const post = (body: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(body) });

/** Directories of servers that run, or were left. */
const directories = () => readdirSync(temporary).filter((name) => name.startsWith('gantry-ephemeral-'));

describe('startGantry', { timeout: 600_000 }, () => {
  test('starts a server with the documented sample data, each person with a token, and an empty one', async () => {
    const server = await seeded();
    const people = Object.entries(server.tokens).filter(([name]) => name !== 'hugo');
    expect(people).toHaveLength(8);
    for (const [username, token] of people)
      expect((await json(server, '/user', { token })).body).toMatchObject({ username });
    expect((await ask(server, '/user', { token: server.tokens.hugo })).status).toBe(401);
    expect((await json(server, '/projects/1')).body).toMatchObject({ path_with_namespace: 'orchard/apples' });

    const empty = await startGantry({ env });
    started.add(empty);
    expect((await json(empty, '/projects')).body).toEqual([]);
    expect((await json(empty, '/users')).body).toMatchObject([{ username: 'root' }]);
    expect(empty.tokens.root).not.toBe(server.tokens.root);
    const other = await startGantry({ env });
    started.add(other);
    expect(other.tokens.root).not.toBe(empty.tokens.root);
  });

  test('reset brings back records, files, repositories and sign-ins, on the same ports', async () => {
    const server = await seeded();
    const before = await json(server, '/projects/1/repository/branches');
    const address = (await json(server, '/projects/1')).body.ssh_url_to_repo;
    const commit = { branch: 'master', content: 'Pears', commit_message: 'Add pears' };
    expect((await ask(server, '/projects/1/repository/files/pears.txt', post(commit))).status).toBe(201);
    const made = await json(server, '/projects', post({ name: 'Later' }));
    expect(made.status).toBe(201);
    expect((await ask(server, '/projects/2', { method: 'DELETE' })).status).toBe(202);
    const token = await json(server, '/users/2/personal_access_tokens', post({ name: 'later', 'scopes[]': 'api' }));
    expect(token.status).toBe(201);
    expect((await ask(server, '/user', { token: token.body.token })).status).toBe(200);
    for (let round = 0; round < 3; round += 1) {
      await ask(server, '/projects/1/issues', post({ title: `Decoy ${round}` }));
      await server.reset();
      expect(await json(server, '/projects/1/repository/branches')).toEqual(before);
      expect((await ask(server, '/projects/1/repository/files/pears.txt?ref=master')).status).toBe(404);
      expect((await ask(server, `/projects/${made.body.id}`)).status).toBe(404);
      expect((await json(server, '/projects/2')).body).toMatchObject({ path_with_namespace: 'orchard/website' });
      expect((await ask(server, '/user', { token: token.body.token })).status).toBe(401);
      expect((await json(server, '/projects/1/issues?search=Decoy')).body).toEqual([]);
      expect((await json(server, '/projects/1')).body.ssh_url_to_repo).toBe(address);
      const fresh = await json(server, '/projects', post({ name: 'Fresh' }));
      expect(fresh.body).toMatchObject({ id: made.body.id });
    }
    // What git pushed is gone as well, and it can be pushed again.
    const clone = path.join(scratch.directory, 'clone');
    const remote = `${server.url.replace('//', `//ada:${server.tokens.ada}@`)}/orchard/apples.git`;
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
    expect(await run('git', ['clone', '--quiet', remote, clone], {})).toMatchObject({ status: 0 });
    await run('git', ['checkout', '--quiet', '-b', 'later'], { cwd: clone });
    await run('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'Later'], { cwd: clone });
    for (let round = 0; round < 2; round += 1) {
      const pushed = await run('git', ['push', '--quiet', 'origin', 'later'], { cwd: clone });
      expect(pushed, pushed.stderr).toMatchObject({ status: 0 });
      expect((await ask(server, '/projects/1/repository/branches/later')).status).toBe(200);
      await server.reset();
      expect((await ask(server, '/projects/1/repository/branches/later')).status).toBe(404);
    }
  });

  test('requests that come during a reset are answered after it', async () => {
    const server = await seeded();
    await ask(server, '/projects', post({ name: 'Before' }));
    const resetting = server.reset();
    const answers = await Promise.all(Array.from({ length: 20 }, () => json(server, '/projects?search=Decoy')));
    await resetting;
    for (const { status } of answers) expect(status).toBe(200);
    expect((await json(server, '/projects?search=Before')).body).toEqual([]);
  });

  test('webhooks reach the test itself, and none of before a reset comes after it', async () => {
    const server = await seeded();
    const heard: string[] = [];
    const receiver = createServer((request, response) => {
      heard.push(request.headers['x-gitlab-event'] as string);
      request.resume();
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as { port: number };
    const hook = () =>
      ask(server, '/projects/1/hooks', post({ url: `http://localhost:${port}/`, issues_events: 'true' }));
    expect((await hook()).status).toBe(201);
    await ask(server, '/projects/1/issues', post({ title: 'Told' }));
    await until(() => (heard.length > 0 ? true : undefined));
    await server.reset();
    heard.length = 0;
    await ask(server, '/projects/1/issues', post({ title: 'Told to nobody' }));
    expect((await hook()).status).toBe(201);
    await ask(server, '/projects/1/issues', post({ title: 'Told again' }));
    await until(() => (heard.length > 0 ? true : undefined));
    expect(heard).toEqual(['Issue Hook']);
    receiver.close();
  });

  test('workers that start at once, each with a cache that nobody has filled, get servers of their own', async () => {
    const cache = path.join(scratch.directory, 'new-cache');
    // What a process that was killed had begun.
    const [known = ''] = readdirSync(path.join(env.XDG_CACHE_HOME, 'gantry-prepared')).filter(
      (name) => !name.includes('.'),
    );
    mkdirSync(path.join(cache, 'gantry-prepared', `${known.replace(/^\w+/, 'seeded')}.new`, 'postgres'), {
      recursive: true,
      mode: 0o700,
    });
    const servers = await Promise.all([1, 2, 3].map(() => seeded({ env: { XDG_CACHE_HOME: cache } })));
    expect(new Set(servers.map(({ url }) => url)).size).toBe(3);
    const kept = readdirSync(path.join(cache, 'gantry-prepared')).filter((name) => !name.endsWith('.lock'));
    expect(kept).toEqual([expect.stringMatching(/^seeded-[0-9a-f]+$/)]);
    await ask(servers[0] as Gantry, '/projects/1', { method: 'DELETE' });
    expect((await ask(servers[1] as Gantry, '/projects/1')).status).toBe(200);

    // A clean-up of temporary files takes some of them: it is made anew.
    rmSync(path.join(cache, 'gantry-prepared', kept[0] ?? '', 'postgres', 'PG_VERSION'));
    const later = await seeded({ env: { XDG_CACHE_HOME: cache } });
    expect((await ask(later, '/projects/1')).status).toBe(200);
  });

  test('settings are those given, and none of the environment of the tests', async () => {
    const { GANTRY_URL } = process.env;
    process.env.GANTRY_URL = 'http://elsewhere.example';
    try {
      const server = await seeded({ env: { GANTRY_ROOT_TOKEN: 'chosen-token-of-root-1234' } });
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(server.tokens.root).toBe('chosen-token-of-root-1234');
      expect((await json(server, '/user')).body).toMatchObject({ username: 'root' });
      await server.reset();
      expect((await json(server, '/user')).body).toMatchObject({ username: 'root' });
    } finally {
      if (GANTRY_URL === undefined) delete process.env.GANTRY_URL;
      else process.env.GANTRY_URL = GANTRY_URL;
    }
    await expect(startGantry({ env: { ...env, GANTRY_MAX_SECONDS: 'many' } })).rejects.toThrow('GANTRY_MAX_SECONDS');
  });

  test('the program in docs/testing-clients.md runs as it is written', async () => {
    const program =
      blocksOf('docs/testing-clients.md').find(({ section }) => section === 'From JavaScript')?.text ?? '';
    const said = `${program}\nconsole.log((await answer.json()).length);`;
    const done = await run(process.execPath, ['--input-type=module', '--eval', said], {
      cwd: packageRoot,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    });
    expect(done).toEqual({ status: 0, stdout: expect.stringMatching(/^[1-9]\d*\n$/), stderr: '' });
  });

  test('stop waits until nothing is left, and may be called again', async () => {
    const server = await startGantry({ env });
    expect(directories()).toHaveLength(1);
    await Promise.all([server.stop(), server.stop()]);
    expect(directories()).toEqual([]);
    await expect(fetch(server.url)).rejects.toThrow();
    await expect(server.reset()).rejects.toThrow('stopped');
  });

  test.each(['SIGKILL', 'SIGTERM', 'exit'] as const)('a test process that ends by %s leaves no server', async (how) => {
    const program = `
      import { startGantry } from ${JSON.stringify(packagePath('clients/testing/index.cjs'))};
      const server = await startGantry({ env: ${JSON.stringify(env)} });
      console.log(server.url);
      if (${how === 'exit'}) throw new Error('A test failed');
      setInterval(() => {}, 1000);`;
    const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!child.stdout) throw new Error('No output');
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    if (how !== 'exit') child.kill(how);
    await until(() =>
      child.pid !== undefined && !isAlive(child.pid)
        ? true
        : child.exitCode !== null || child.signalCode !== null || undefined,
    );
    await until(async () => ((await isListening(new URL(url))) || directories().length > 0 ? undefined : true));
    expect(existsSync(temporary)).toBe(true);
  });
});

function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
