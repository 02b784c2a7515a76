import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { isInstalled, postgresPrograms, startCluster, startPooler, startStandby, urlOf } from '../support/engines.ts';
import { clone, commitFile, run } from '../support/git_client.ts';
import {
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function ended<T extends { end(): Promise<void> }>(engine: T): T {
  endings.push(() => engine.end());
  return engine;
}

function directories(): (name: string) => string {
  const { directory, remove } = scratchDirectory();
  endings.push(remove);
  return (name) => path.join(directory, name);
}

async function serve(env: NodeJS.ProcessEnv): Promise<{ server: ServerProcess; token: string }> {
  const server = await startServer(env);
  endings.push(() => server.end('SIGTERM'));
  return { server, token: printed(server.output(), 'Private token') ?? '' };
}

function api({ server, token }: { server: ServerProcess; token: string }) {
  return async (method: string, at: string, body?: object) => {
    const headers = { 'PRIVATE-TOKEN': token, ...(body && { 'Content-Type': 'application/json' }) };
    const answer = await fetch(`${server.url}/api/v4${at}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
}

type Send = ReturnType<typeof api>;

/** A primary whose commits wait for its standby. */
async function replicated(at: (name: string) => string) {
  const primary = ended(await startCluster(at('primary'), { max_wal_senders: '5', wal_level: 'replica' }));
  const standby = ended(await startStandby(at('standby'), primary));
  const administrator = new pg.Client(`postgresql://postgres@127.0.0.1:${primary.port}/postgres`);
  administrator.on('error', () => undefined);
  await administrator.connect();
  await administrator.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await administrator.query('SELECT pg_reload_conf()');
  await administrator.end();
  return { primary, standby };
}

async function projectWithCommit(send: Send, name: string): Promise<number> {
  const { id } = (await send('POST', '/projects', { name })).body;
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'one' }];
  await send('POST', `/projects/${id}/repository/commits`, { branch: 'main', commit_message: 'One', actions });
  return id;
}

/** Four who open issues without a break. */
function openIssues(send: Send, project: number) {
  const acknowledged: string[] = [];
  const statuses = new Map<number, number>();
  const stop = new AbortController();
  let onNext = (): void => undefined;
  const writer = async (name: string) => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const title = `${name} ${n}`;
      const { status } = await send('POST', `/projects/${project}/issues`, { title });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 201) continue;
      acknowledged.push(title);
      onNext();
    }
  };
  const writers = ['a', 'b', 'c', 'd'].map(writer);
  return {
    acknowledged,
    statuses,
    /** Resolves when the next issue is acknowledged. */
    next: () => new Promise<void>((resolve) => (onNext = resolve)),
    async stop(): Promise<void> {
      stop.abort();
      await Promise.all(writers);
    },
  };
}

async function titlesOf(send: Send, project: number): Promise<Set<string>> {
  const titles = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { body } = await send('GET', `/projects/${project}/issues?per_page=100&page=${page}`);
    for (const { title } of body) titles.add(title);
    if (body.length < 100) return titles;
  }
}

/** Forks a project, which the queue does, and waits for its branch. */
async function fork(send: Send, project: number): Promise<void> {
  await send('POST', '/groups', { name: 'copies', path: 'copies' });
  const copy = (await send('POST', `/projects/${project}/fork`, { namespace: 'copies' })).body;
  const branch = `/projects/${copy.id}/repository/branches/main`;
  await until(async () => (await send('GET', branch)).status === 200 || undefined);
}

describe.runIf(postgresPrograms !== null)('On PostgreSQL with a synchronous standby', () => {
  test('nothing that was acknowledged is lost when the standby is promoted under load, and it serves again', {
    timeout: 300_000,
  }, async () => {
    const at = directories();
    const { primary, standby } = await replicated(at);
    const send = api(await serve(settings(at('data'), { DATABASE_URL: urlOf([standby, primary], 'gantry') })));
    const project = await projectWithCommit(send, 'kept');
    const writers = openIssues(send, project);
    await sleep(2_000);
    expect(writers.acknowledged.length).toBeGreaterThan(0);

    await primary.end('SIGKILL');
    standby.promote();
    await writers.next();
    await sleep(1_000);
    await writers.stop();
    const { acknowledged, statuses } = writers;
    expect([...statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([]);

    const kept = await titlesOf(send, project);
    expect(acknowledged.filter((title) => !kept.has(title))).toEqual([]);
    // The queue has gone on as well.
    await fork(send, project);
  });
});

describe.runIf(postgresPrograms !== null && isInstalled('pgbouncer'))(
  'Behind PgBouncer that lends sessions by the transaction',
  () => {
    test('everything works, with what needs a session on a URL of its own', { timeout: 300_000 }, async () => {
      const at = directories();
      const cluster = ended(await startCluster(at('cluster'), { timezone: 'Asia/Tokyo' }));
      const pooler = ended(await startPooler(at('pooler'), cluster));
      const started = await serve(
        settings(at('data'), {
          DATABASE_URL: urlOf([pooler], 'gantry'),
          DATABASE_DIRECT_URL: urlOf([cluster], 'gantry'),
          // Debian's PgBouncer is of before it kept prepared statements.
          DATABASE_PREPARED_STATEMENTS: 'off',
        }),
      );
      const send = api(started);
      const created = (await send('POST', '/projects', { name: 'pooled' })).body;
      expect(Math.abs(Date.parse(created.created_at) - Date.now())).toBeLessThan(60_000);
      const project = `/projects/${created.id}`;
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, n) => send('POST', `${project}/issues`, { title: `Issue ${n}` })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 201));
      expect(new Set(answers.map(({ body }) => body.iid)).size).toBe(60);
      const lists = await Promise.all(Array.from({ length: 60 }, () => send('GET', `${project}/issues?per_page=100`)));
      for (const { body } of lists) expect(body).toHaveLength(60);

      const actions = [{ action: 'create', file_path: 'a.txt', content: 'one' }];
      await send('POST', `${project}/repository/commits`, { branch: 'main', commit_message: 'One', actions });
      const remote = `${started.server.url.replace('://', `://oauth2:${started.token}@`)}/root/pooled.git`;
      const copy = await clone(remote);
      const hash = await commitFile(copy, 'a.txt', 'two');
      await run(copy, 'push', '--quiet', 'origin', 'HEAD:main');
      expect((await send('GET', `${project}/repository/branches/main`)).body.commit.id).toBe(hash);
      await fork(send, created.id);
      expect(
        (await send('PUT', '/application/settings', { default_projects_limit: 9 })).body.default_projects_limit,
      ).toBe(9);
      expect(started.server.output()).not.toMatch(/prepared statement|"level":50/);

      const others = new pg.Client(urlOf([cluster], 'gantry'));
      await others.connect();
      const { rows } = await others.query(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'gantry' AND application_name NOT LIKE 'gantry %' AND pid <> pg_backend_pid()",
      );
      await others.end();
      expect(rows[0].n).toBeLessThanOrEqual(5);
    });
  },
);
