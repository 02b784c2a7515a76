import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { parse as parseYaml } from 'yaml';
import { packagePath } from '#src/platform/package_root.ts';
import {
  gantry,
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

const scratch = scratchDirectory();
const data = path.join(scratch.directory, 'data');
const running = new Set<ServerProcess>();

async function serve(args: string[], more: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer(settings(data, more), args);
  running.add(server);
  return server;
}

afterEach(async () => {
  for (const server of running) await server.end('SIGTERM');
  running.clear();
});
afterAll(() => scratch.remove());

const EPHEMERAL = ['--ephemeral', '--seed'];
const ROOT = 'seed-private-token-root';

/** What the REST API says of the sample data, without what is the server's own: its address and the random tokens. */
async function everything({ url }: ServerProcess): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const read = async (target: string) => {
    const separator = target.includes('?') ? '&' : '?';
    const response = await fetch(`${url}/api/v4${target}${separator}per_page=100`, {
      headers: { 'private-token': ROOT },
    });
    const text = await response.text();
    answers[target] = `${response.status} ${text}`
      .replaceAll(new URL(url).host, 'host')
      .replaceAll(/"runners_token":"\w+"/g, '')
      // That of a running job grows.
      .replaceAll(/"duration":[\d.]+/g, '');
    return JSON.parse(text);
  };
  for (const user of await read('/users')) {
    for (const part of ['', '/keys', '/emails', '/events', '/impersonation_tokens'])
      await read(`/users/${user.id}${part}`);
  }
  for (const group of await read('/groups')) {
    for (const part of ['', '/members', '/projects', '/access_requests']) await read(`/groups/${group.id}${part}`);
  }
  for (const project of await read('/projects')) {
    for (const part of PARTS) await read(`/projects/${project.id}/${part}`);
    for (const { id } of await read(`/projects/${project.id}/pipelines`)) {
      await read(`/projects/${project.id}/pipelines/${id}`);
    }
  }
  await read('/snippets/public');
  return answers;
}

const PARTS = [
  ...['issues', 'labels', 'milestones', 'members', 'events', 'snippets', 'access_requests', 'users'],
  ...['repository/branches', 'repository/tags', 'repository/commits?all=true', 'repository/tree?recursive=true'],
  ...['repository/contributors', 'jobs', 'environments', 'deployments', 'variables', 'triggers'],
  'merge_requests',
];

describe('serve --ephemeral --seed', () => {
  it('says the same each time', async () => {
    const [one, other] = [await serve(EPHEMERAL), await serve(EPHEMERAL)];
    const first = await everything(one);
    expect(Object.keys(first).length).toBeGreaterThan(200);
    expect(Object.values(first).filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(180);
    expect(await everything(other)).toEqual(first);
    expect(printed(one.output(), 'Private token')).toBe(ROOT);
  }, 300_000);

  it('listens where other machines are only if that is said', async () => {
    const { status, stderr } = await gantry(['serve', ...EPHEMERAL], settings(data, { HOST: '0.0.0.0' }));
    expect(status).toBe(1);
    expect(stderr).toContain('HOST is 0.0.0.0');
    expect(stderr).toContain('--expose-known-tokens');
    const server = await serve([...EPHEMERAL, '--expose-known-tokens'], { HOST: '0.0.0.0' });
    expect(server.output()).toContain('Whoever reaches this server knows them.');
    const response = await fetch(`${server.url.replace('0.0.0.0', '127.0.0.1')}/api/v4/user`, {
      headers: { 'private-token': ROOT, origin: 'https://elsewhere.example' },
    });
    expect(response.status).toBe(200);
  });

  it('answers no page of another site, which would know its tokens', async () => {
    const server = await serve(EPHEMERAL);
    const { port } = new URL(server.url);
    const ask = (headers: Record<string, string>) => status(port, { 'private-token': ROOT, ...headers });
    expect(await ask({})).toBe(200);
    expect(await ask({ host: `localhost:${port}`, origin: 'http://localhost:3000' })).toBe(200);
    expect(await ask({ host: 'rebound.example' })).toBe(403);
    expect(await ask({ origin: 'https://elsewhere.example' })).toBe(403);
    expect(await ask({ origin: 'null' })).toBe(403);
    const upgraded = (origin: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { origin });
        socket.on('open', () => resolve('open')).on('error', (error) => resolve(error.message));
        socket.on('open', () => socket.close());
      });
    expect(await upgraded('http://localhost:3000')).toBe('open');
    expect(await upgraded('https://elsewhere.example')).toContain('403');
  });

  it.each([
    [['--seed'], '--seed needs --ephemeral'],
    [['--ephemeral', '--expose-known-tokens'], '--expose-known-tokens needs --seed'],
    [['--port', '8089'], '--port needs --ephemeral'],
    [['--ephemeral', '--port', 'http'], '--port: "http" is not a port number'],
  ])('%j is a wrong command line', async (args, message) => {
    const { status, stderr } = await gantry(['serve', ...args], settings(data));
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('gantry seed', { timeout: 300_000 }, () => {
  it('fills a server that runs, with random passwords and tokens, once', async () => {
    const server = await serve([]);
    const root = printed(server.output(), 'Private token') ?? '';
    const { status, stdout, stderr } = await gantry(['seed'], settings(data));
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const rows = stdout.trim().split('\n').slice(-8);
    const [username, password, token] = rows[0]?.split(/\s+/) ?? [];
    expect(username).toBe('ada');
    const ask = (target: string, by: string) =>
      fetch(`${server.url}/api/v4${target}`, { headers: { 'private-token': by } });
    expect(await (await ask('/user', token ?? '')).json()).toMatchObject({ username: 'ada', is_admin: false });
    const session = new URLSearchParams({ login: 'ada', password: password ?? '' });
    expect((await fetch(`${server.url}/api/v4/session`, { method: 'POST', body: session })).status).toBe(201);
    for (const known of ['seed-private-token-ada', 'seed-api-token-ada', ROOT]) {
      expect((await ask('/user', known)).status).toBe(401);
    }
    expect(await (await ask('/projects/orchard%2Fapples/pipelines', root)).json()).toHaveLength(13);
    const again = await gantry(['seed'], settings(data));
    expect(again).toMatchObject({ status: 1, stdout: '' });
    expect(again.stderr).toContain('names already');
  });

  it('refuses a server that is in use, unless it is to be filled all the same', async () => {
    const used = settings(path.join(scratch.directory, 'used'));
    const user = ['--username', 'zoe', '--email', 'zoe@example.net', '--name', 'Zoe', '--password', 'correct horse 1'];
    expect((await gantry(['migrate'], used)).status).toBe(0);
    expect((await gantry(['user', 'create', ...user], used)).status).toBe(0);
    const refused = await gantry(['seed'], used);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('(users beside root: 1, groups: 0, projects: 0). Nothing was written.');
    expect(refused.stderr).toContain('--beside');
    expect(await gantry(['seed', '--beside'], used)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('The snippets of docs/testing-clients.md', () => {
  it('run as they are written', async () => {
    const document = readFileSync(packagePath('docs/testing-clients.md'), 'utf8');
    const port = String(await freePort());
    const [start = '', ...more] = snippets(document, 'sh', port);
    const places = scratchDirectory();
    const installed = path.join(places.directory, 'node_modules');
    mkdirSync(path.join(installed, '.bin'), { recursive: true });
    for (const name of readdirSync(packagePath('node_modules')).filter((one) => !one.startsWith('.')))
      symlinkSync(packagePath(path.join('node_modules', name)), path.join(installed, name));
    // Instead of the installed package.
    const gantry = `#!/bin/sh\nexec "${process.execPath}" "${packagePath('bin/gantry.js')}" "$@"\n`;
    writeFileSync(path.join(installed, '.bin', 'gantry'), gantry, { mode: 0o755 });
    const files = { 'client.py': 'python', 'client.mjs': 'js', 'client.rb': 'ruby' };
    for (const [name, language] of Object.entries(files)) {
      const [text = ''] = snippets(document, language, port);
      expect(text).toContain(`http://127.0.0.1:${port}`);
      writeFileSync(path.join(places.directory, name), text);
    }
    const clients = ['/usr/bin/python3 client.py', `"${process.execPath}" client.mjs`, '/usr/bin/ruby client.rb'];
    const script = ['set -e', start, ...clients, more[0], 'echo walked'].join('\n');
    const finished = await run('/bin/bash', ['-c', script], { env: settings(data), cwd: places.directory });
    places.remove();
    expect(finished.stderr).toBe('');
    expect(finished.stdout).toMatch(/walked\n$/);
    expect(finished.status).toBe(0);
  });
});

describe('The jobs for CI in docs/testing-clients.md', () => {
  const [, chapter = ''] = readFileSync(packagePath('docs/testing-clients.md'), 'utf8').split('\n## In CI\n');
  const files = [...chapter.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => parseYaml(text));
  const scripts: [string, string[]][] = [
    ['GitHub Actions', files[0].jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? [])],
    ['.gitlab-ci.yml', files[1].test.script],
  ];

  it.each(scripts)('%s: runs against a server that is there', { timeout: 300_000 }, async (_name, commands) => {
    const port = String(await freePort());
    const places = scratchDirectory();
    // Instead of installing the package, which test/system/package.test.ts does; and the tests of the project.
    const gantry = `while [ "$1" != gantry ]; do shift; done; shift\nexec "${process.execPath}" "${packagePath('bin/gantry.js')}" "$@"`;
    const make = `curl --fail --silent --header 'PRIVATE-TOKEN: ${ROOT}' http://127.0.0.1:${port}/api/v4/user`;
    for (const [name, text] of Object.entries({ npx: gantry, make }))
      writeFileSync(path.join(places.directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const script = ['set -e', "trap 'kill $!' EXIT", ...commands].join('\n').replaceAll('8089', port);
    const env = { ...settings(data), PATH: `${places.directory}:${process.env.PATH}` };
    const finished = await run('/bin/bash', ['-c', script], { env, cwd: places.directory });
    places.remove();
    expect(finished).toMatchObject({ status: 0, stdout: expect.stringContaining('"username":"root"') });
  });
});

/** The snippets in a language before the chapter on CI, for a server on that port. */
function snippets(document: string, language: string, port: string): string[] {
  const [before = ''] = document.split('\n## In CI\n');
  const found = [...before.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))];
  return found.map(([, text = '']) => text.replaceAll('8089', port));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** The status of an answer to a request whose headers, `Host` too, are as given. */
function status(port: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: '/api/v4/user', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });
}
