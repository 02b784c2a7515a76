import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { HAS_HAPROXY, startHaproxy } from '../support/haproxy.ts';
import { freePort, type OwnPostgres, ownPostgres } from '../support/own_postgres.ts';
import { type ServerProcess, scratchDirectory, settings, startServer, until } from '../support/server_process.ts';

const TOKEN = 'rolling-token-0123456789';
const HEADERS = { 'private-token': TOKEN, 'content-type': 'application/json' };
const SERVERS = 3;
const git = promisify(execFile);

let postgres: OwnPostgres;
let project: number;
const scratch = scratchDirectory();
const ports: number[] = [];
const servers: (ServerProcess | undefined)[] = [];

beforeAll(async () => {
  postgres = await ownPostgres();
  for (let number = 0; number < SERVERS; number += 1) {
    ports.push(await freePort());
    servers.push(await start(number));
  }
  project = await createProject('rolling');
  const actions = [{ action: 'create', file_path: 'file', content: 'first' }];
  const body = JSON.stringify({ branch: 'master', commit_message: 'First', actions });
  const url = `${urlOf(0)}/api/v4/projects/${project}/repository/commits`;
  expect((await fetch(url, { method: 'POST', headers: HEADERS, body })).status).toBe(201);
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server?.end('SIGTERM')));
  await postgres?.remove();
  scratch.remove();
});

/** A server with a data directory of its own, and repositories, secret and database that all have in common. */
function start(number: number): Promise<ServerProcess> {
  const env = {
    DATABASE_URL: postgres.url,
    GANTRY_SECRET: 'a secret that all of the servers know',
    GANTRY_STORAGES: `default=${path.join(scratch.directory, 'repositories')}`,
    GANTRY_ROOT_TOKEN: TOKEN,
    GANTRY_DRAIN_SECONDS: '2',
    PORT: String(ports[number]),
  };
  return startServer(settings(path.join(scratch.directory, `data-${number}`), env));
}

const urlOf = (number: number) => `http://127.0.0.1:${ports[number]}`;

/** Ends the servers one after the other, each back before the next ends. */
async function roll(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const number = time % SERVERS;
    expect(await servers[number]?.end('SIGTERM')).toBe(0);
    servers[number] = undefined;
    servers[number] = await start(number);
    await until(async () => ((await fetch(`${urlOf(number)}/-/readiness`)).ok ? true : undefined));
    // As long as the balancer takes to see it.
    await sleep(1_200);
  }
}

/** Load of all kinds; what failed, and how much was done. */
function load(url: string, directory: string) {
  const failed: string[] = [];
  const done: Record<string, number> = {};
  let stopping = false;
  const count = (what: string) => {
    done[what] = (done[what] ?? 0) + 1;
  };
  const ask = async (what: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, { headers: HEADERS, ...init }).catch((error: Error) => error);
    const text = response instanceof Error ? '' : await response.text().catch((error: Error) => error.message);
    if (response instanceof Error) failed.push(`${what}: ${response.message} ${response.cause}`);
    else if (response.ok) count(what);
    else failed.push(`${what}: ${response.status} ${text.slice(0, 200)}`);
  };
  const again = async (work: (round: number) => Promise<void>, pause = 100) => {
    for (let round = 0; !stopping; round += 1) {
      await work(round);
      await sleep(pause);
    }
  };
  const remote = `${url.replace('//', `//root:${TOKEN}@`)}/root/rolling.git`;
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const clone = async (round: number) => {
    const target = path.join(directory, `clone-${round}`);
    await git('git', ['clone', '-q', remote, target], { env }).then(
      () => count('clone'),
      (error: Error) => failed.push(`clone: ${error.message}`),
    );
  };
  const work = path.join(directory, 'work');
  const push = async (round: number) => {
    writeFileSync(path.join(work, 'file'), String(round));
    await git('git', ['-C', work, 'commit', '-qam', `round ${round}`], { env });
    await git('git', ['-C', work, 'push', '-q', 'origin', `HEAD:refs/heads/${path.basename(directory)}`], { env }).then(
      () => count('push'),
      (error: Error) => failed.push(`push: ${error.message}`),
    );
  };
  const issue = (round: number) =>
    ask('write', `/api/v4/projects/${project}/issues`, {
      method: 'POST',
      body: JSON.stringify({ title: `n${round}` }),
    });
  const query = JSON.stringify({ query: '{ viewer { username } }' });
  const prepared = (async () => {
    mkdirSync(directory, { recursive: true });
    await git('git', ['clone', '-q', remote, work], { env });
    for (const [name, value] of [
      ['user.email', 'r@example.com'],
      ['user.name', 'R'],
    ] as const) {
      await git('git', ['-C', work, 'config', name, value]);
    }
  })();
  const lanes = prepared.then(() =>
    Promise.all([
      again(issue),
      again(issue),
      again(() => ask('list', `/api/v4/projects/${project}/issues`)),
      again(() => ask('list', '/api/v4/projects')),
      again(() => ask('graphql', '/graphql', { method: 'POST', body: query })),
      again(clone, 300),
      again(push, 300),
    ]),
  );
  return {
    failed,
    done,
    prepared,
    async stop() {
      stopping = true;
      await lanes;
    },
  };
}

async function createProject(name: string): Promise<number> {
  const body = JSON.stringify({ name });
  const response = await fetch(`${urlOf(0)}/api/v4/projects`, { method: 'POST', headers: HEADERS, body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
}

async function failsNothing(start: (urls: readonly string[]) => Promise<Balancer>, times: number, name: string) {
  const balancer = await start(ports.map((_, number) => urlOf(number)));
  const { failed, done, stop, prepared } = load(balancer.url, path.join(scratch.directory, name));
  await prepared;
  await roll(times);
  await stop();
  await balancer.close();
  console.log(`${name}: ${times} restarts, ${failed.length} failed`, done);
  expect(failed).toEqual([]);
  for (const kind of ['write', 'list', 'graphql', 'clone', 'push']) expect(done[kind]).toBeGreaterThan(times);
}

describe('A rolling restart', () => {
  test('of three servers behind a balancer, twenty times, fails no request, clone or push', {
    timeout: 1_200_000,
  }, async () => {
    await failsNothing(HAS_HAPROXY ? startHaproxy : startBalancer, 20, 'twenty');
  });

  test.runIf(HAS_HAPROXY)('fails nothing behind a simple balancer either', { timeout: 600_000 }, async () => {
    await failsNothing(startBalancer, 3, 'simple');
  });
});

describe('A server that was told to end', () => {
  test('is not ready at once, goes on to answer for the time that is set, and keeps no connection', async () => {
    const server = servers[0];
    const ended = server?.end('SIGTERM');
    const begun = performance.now();
    await until(async () => ((await fetch(`${urlOf(0)}/-/readiness`)).status === 503 ? true : undefined));
    const answer = await fetch(`${urlOf(0)}/api/v4/projects`, { headers: HEADERS });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await (await fetch(`${urlOf(0)}/-/readiness`)).json()).toEqual({ status: 'stopping' });
    expect(await ended).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    servers[0] = await start(0);
  });

  test('ends at once at a second signal', async () => {
    const server = servers[0];
    const ended = server?.end('SIGTERM');
    await sleep(700);
    server?.child.kill('SIGTERM');
    expect(await ended).toBe(128 + 15);
    servers[0] = await start(0);
  });

  test('lets a clone that has begun come to its end, for longer than it waits for others', async () => {
    const { hostname, port } = new URL(urlOf(0));
    const body = 'x'.repeat(8);
    const post = (target: string) =>
      request({
        hostname,
        port,
        method: 'POST',
        path: target,
        headers: {
          authorization: `Basic ${Buffer.from(`root:${TOKEN}`).toString('base64')}`,
          'content-type': 'application/x-git-upload-pack-request',
          'content-length': body.length,
        },
      });
    const clone = post('/root/rolling.git/git-upload-pack');
    const other = post('/api/v4/projects');
    for (const each of [clone, other]) {
      each.write(body.slice(0, 1));
      each.on('error', () => undefined);
    }
    await sleep(500);
    const ended = servers[0]?.end('SIGTERM');
    const closed = (asked: ClientRequest, name: string) =>
      new Promise<string>((resolve) => asked.once('close', () => resolve(name)));
    const first = await Promise.race([closed(clone, 'clone'), closed(other, 'other')]);
    expect(first).toBe('other');
    clone.end(body.slice(1));
    const [response] = await once(clone, 'response');
    response.resume();
    // It makes no sense to git, which says so: the server waited for all of it.
    expect(response.statusCode).toBeLessThan(500);
    expect(await ended).toBe(0);
    servers[0] = await start(0);
  });
});

test('the configuration of HAProxy in docs/operating.md is the one that was tried', () => {
  const text = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  for (const line of ['option httpchk GET /-/readiness', 'option redispatch', 'check inter 500ms fall 2 rise 1']) {
    expect(text).toContain(line);
  }
});
