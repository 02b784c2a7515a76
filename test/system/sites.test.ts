import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import {
  gantry,
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const scratch = scratchDirectory();
const at = (...names: string[]) => path.join(scratch.directory, ...names);
const TIMEOUT = 300_000;
const HOST = 'pages.example.test';

let server: ServerProcess;
let local: string;
let env: NodeJS.ProcessEnv;
let token: string;
let runner: ChildProcess | undefined;

/** A port that was free a moment ago: the address of the server is known before it starts. */
async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  listening.close();
  await once(listening, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function api(method: string, route: string, body?: object) {
  const answer = await fetch(`${local}/api/v4${route}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

/** What curl gets at the host of a site, with these arguments. */
async function curl(host: string, route: string, ...args: string[]): Promise<string> {
  const where = ['--resolve', `${host}:${new URL(local).port}:127.0.0.1`];
  const { stdout } = await run('curl', ['-sS', ...where, ...args, `http://${host}:${new URL(local).port}${route}`], {
    env: { PATH: process.env.PATH },
  });
  return stdout;
}

beforeAll(async () => {
  const port = await freePort();
  local = `http://127.0.0.1:${port}`;
  env = settings(at('data'), { PORT: String(port), GANTRY_URL: local, GANTRY_PAGES_HOST: `${HOST}:${port}` });
  server = await startServer(env);
  token = printed(server.output(), 'Private token') ?? '';
}, TIMEOUT);

afterAll(async () => {
  if (runner && runner.exitCode === null) {
    const closed = once(runner, 'close');
    runner.kill('SIGTERM');
    await closed;
  }
  await server.end('SIGTERM');
  scratch.remove();
});

it('a job that gantry runner runs publishes a site, which curl reads, with its redirects and ranges', {
  timeout: TIMEOUT,
}, async () => {
  const content = [
    'pages:',
    '  script:',
    '    - mkdir -p public/docs',
    '    - echo "built for $CI_PAGES_URL" > public/index.html',
    '    - echo 0123456789 > public/docs/numbers.txt',
    '    - echo "/site/old /site/docs/numbers.txt 302" > public/_redirects',
  ].join('\n');
  const { body: project } = await api('POST', '/projects', { name: 'site', visibility: 'public' });
  const file = { branch: 'master', content, commit_message: 'Build a site' };
  await api('POST', `/projects/${project.id}/repository/files/%2Egitlab-ci%2Eyml`, file);
  const { body: own } = await api('GET', `/projects/${project.id}`);
  const config = at('runner.json');
  const args = ['--url', local, '--registration-token', own.runners_token, '--config', config];
  expect(await gantry(['runner', 'register', ...args], env)).toMatchObject({ status: 0 });
  runner = spawn(process.execPath, [packagePath('bin/gantry.js'), 'runner', 'run', '--config', config], {
    env: { PATH: process.env.PATH, HOME: scratch.directory },
    cwd: scratch.directory,
    stdio: 'ignore',
  });
  const { url } = await until(async () => {
    const { body } = await api('GET', `/projects/${project.id}/pages`);
    return body?.deployments?.[0];
  });
  const { hostname, port } = new URL(url);
  expect([hostname, port]).toEqual([`root.${HOST}`, new URL(local).port]);
  expect(await curl(hostname, '/site/')).toBe(`built for ${url}\n`);
  expect(await curl(hostname, '/site/docs/numbers.txt', '-r', '2-4')).toBe('234');
  expect(await curl(hostname, '/site/old', '-L')).toBe('0123456789\n');
  expect(await curl(hostname, '/site/nothing', '-o', at('out'), '-w', '%{http_code}')).toBe('404');
  expect(await curl(`nobody.${HOST}`, '/', '-w', '%{http_code}')).toBe('302');
  expect(await curl('other.example.test', '/api/v4/version', '-o', at('out'), '-w', '%{http_code}')).toBe('401');
});

it.each(['template: Pages/HTML.gitlab-ci.yml', 'template: Pages.gitlab-ci.yml'])(
  'a project with `%s` gets a site',
  {
    timeout: TIMEOUT,
  },
  async (template) => {
    const name = template.includes('HTML') ? 'html' : 'plain';
    const { body: project } = await api('POST', '/projects', { name, visibility: 'public' });
    // The runner of the project above takes its jobs, too.
    const { body: runners } = await api('GET', '/runners?type=project_type');
    expect((await api('POST', `/projects/${project.id}/runners`, { runner_id: runners[0].id })).status).toBe(201);
    const page = name === 'html' ? 'index.html' : 'site/index.html';
    const files = { '.gitlab-ci.yml': `include:\n  - ${template}\n`, [page]: `<p>${name}</p>` };
    const commit = await api('POST', `/projects/${project.id}/repository/commits`, {
      ...{ branch: 'master', commit_message: 'Begin a site' },
      actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
    });
    expect(commit.status).toBe(201);
    const { url } = await until(async () => {
      const { body } = await api('GET', `/projects/${project.id}/pages`);
      return body?.deployments?.[0];
    });
    const { hostname } = new URL(url);
    expect(await curl(hostname, `/${name}/`)).toBe(`<p>${name}</p>`);
    expect(await curl(hostname, `/${name}/.gitlab-ci.yml`, '-o', at('out'), '-w', '%{http_code}')).toBe('404');
  },
);

it('a server does not start whose sites could set its cookies', { timeout: TIMEOUT }, async () => {
  for (const host of ['example.test', 'git.example.test', 'pages.git.example.test']) {
    const wrong = { ...env, GANTRY_DATA: at('other'), GANTRY_URL: 'http://git.example.test', GANTRY_PAGES_HOST: host };
    const { status, stderr } = await gantry(['serve'], wrong);
    expect([host, status === 0]).toEqual([host, false]);
    expect(stderr).toContain('GANTRY_PAGES_HOST');
  }
});
