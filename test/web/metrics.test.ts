// One part in depth, which the long run has.
// @module-tag long
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listenForMetrics } from '#src/entrances/web/metrics.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { Collector } from '#src/platform/lifecycle/collect_metrics.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const member = await world.user();

/** The text of the metrics, as an administrator reads it. */
async function scrape(): Promise<string> {
  const { status, text } = await read(admin.token);
  expect(status).toBe(200);
  return text;
}

async function read(token?: string) {
  const response = await fetch(`${world.url}/-/metrics`, {
    headers: token === undefined ? {} : { 'PRIVATE-TOKEN': token },
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** The value of the sample with these labels among others; 0 when there is none. */
function sample(text: string, name: string, labels: Record<string, string> = {}): number {
  const line = text.split('\n').find((candidate) => {
    const known = candidate.startsWith(`${name}{`) || candidate.startsWith(`${name} `);
    return known && Object.entries(labels).every(([label, value]) => candidate.includes(`${label}="${value}"`));
  });
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
}

const COUNT = 'gantry_http_request_duration_seconds_count';

describe('The metrics are shown', () => {
  it('to administrators, in the text format of Prometheus', async () => {
    const { status, type, text } = await read(admin.token);
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toMatch(/^gantry_build_info\{version="[^"]+",revision="[^"]+",node="v\d+[^"]*"\} 1$/m);
  });

  it('for a token with the scope read_metrics, as long as it is an administrator’s', LONG, async () => {
    expect((await read(await world.token(admin, ['read_metrics']))).status).toBe(200);
    expect((await read(await world.token(member, ['read_metrics']))).status).toBe(404);
  });

  it('to nobody else, who does not learn that they are there', async () => {
    const others = [undefined, member.token, 'no such token', await world.token(admin, ['read_user'])];
    for (const token of others) {
      const { status, text } = await read(token);
      expect(status).toBe(404);
      expect(text).not.toContain('gantry_build_info');
    }
  });

  it('and a token with the scope read_metrics reaches nothing else', async () => {
    const token = await world.token(admin, ['read_metrics']);
    for (const path of ['/user', '/projects', '/users', '/application/settings']) {
      expect((await world.api(token).get(path)).status, path).toBe(403);
    }
  });

  it('at a port of their own by a process that works on jobs, to listed addresses', async () => {
    const listed = loadConfig({ GANTRY_METRICS_ADDRESSES: '10.1.2.3,127.0.0.0/8' }, '/nowhere');
    const unlisted = loadConfig({ GANTRY_METRICS_ADDRESSES: '10.1.2.3' }, '/nowhere');
    for (const [config, status] of [
      [listed, 200],
      [unlisted, 404],
    ] as const) {
      const listening = await listenForMetrics({ db: world.db, config, port: 0, report: console.error });
      expect((await fetch(`${listening.url}/-/metrics`)).status).toBe(status);
      expect((await fetch(`${listening.url}/api/v4/projects`)).status).toBe(404);
      await listening.close({ long: 0, others: 0 });
    }
  });

  it('to addresses as a trusted proxy tells them, and as no other does', async () => {
    for (const [trust, status] of [
      ['loopback', 200],
      ['false', 404],
    ] as const) {
      const settings = { GANTRY_METRICS_ADDRESSES: '192.0.2.0/24', TRUST_PROXY: trust };
      const listening = await listenForMetrics({
        db: world.db,
        config: loadConfig(settings, '/nowhere'),
        port: 0,
        report: console.error,
      });
      const headers = { 'X-Forwarded-For': '192.0.2.7' };
      expect((await fetch(`${listening.url}/-/metrics`, { headers })).status).toBe(status);
      await listening.close({ long: 0, others: 0 });
    }
  });
});

describe('The metrics count', () => {
  it('requests by the template of their route, whatever their paths are', LONG, async () => {
    const project = await world.project({ owner: member });
    const labels = { method: 'GET', route: '/api/v4/projects/:id/issues', status: '200' };
    const before = sample(await scrape(), COUNT, labels);
    await world.api(member).get(`/projects/${project.id}/issues`);
    await world.api(member).get(`/projects/${encodeURIComponent(project.fullPath)}/issues`);
    await world.until(async () => sample(await scrape(), COUNT, labels) - before >= 2);
    const text = await scrape();
    expect(sample(text, COUNT, labels) - before).toBe(2);
    expect(text).not.toContain(project.path);
  });

  it('under one name whatever is nowhere, so that clients make no series', LONG, async () => {
    await fetch(`${world.url}/warm-${Date.now()}`);
    await fetch(`${world.url}/api/v4/warm-${Date.now()}`);
    const series = async () => (await scrape()).split('\n').filter((line) => line.startsWith(`${COUNT}{`)).length;
    await scrape();
    const before = await series();
    for (let n = 0; n < 20; n += 1) {
      await fetch(`${world.url}/no-such-${n}`);
      await fetch(`${world.url}/api/v4/no-such-${n}`);
      await fetch(`${world.url}/no/such-${n}.git/info/refs?service=git-upload-pack`);
    }
    expect((await series()) - before).toBeLessThanOrEqual(1);
  });

  it('GraphQL operations by type and outcome, with their costs', async () => {
    await world.graphql('query Named { viewer { username } }', {}, member);
    await world.graphql('mutation { deleteIssue(input: { projectRef: 1, iid: 1 }) { clientMutationId } }', {}, member);
    await world.graphql('query { project(ref: 999999999) { name } }', {}, member);
    const text = await scrape();
    const name = 'gantry_graphql_operation_duration_seconds_count';
    expect(sample(text, name, { type: 'query', outcome: 'ok' })).toBeGreaterThan(0);
    expect(sample(text, name, { type: 'query', outcome: 'error' })).toBeGreaterThan(0);
    expect(sample(text, 'gantry_graphql_operation_cost_sum', { type: 'query' })).toBeGreaterThan(1);
    // Names are told of users' programs alone, which are counted; a visitor's are of any number.
    await world.graphql('query Nameless { metadata: version { version } }', {});
    expect(await scrape()).not.toContain('Nameless');
  });

  it('statements, connections, sessions and listeners of the database', async () => {
    const before = sample(await scrape(), 'gantry_sql_statement_duration_seconds_count', { outcome: 'ok' });
    await world.api(member).get('/projects');
    const text = await scrape();
    expect(sample(text, 'gantry_sql_statement_duration_seconds_count', { outcome: 'ok' })).toBeGreaterThan(before);
    expect(sample(text, 'gantry_sql_pool_connections', { state: 'limit' })).toBeGreaterThanOrEqual(4);
    expect(sample(text, 'gantry_database_sessions', { state: 'idle' })).toBeGreaterThan(0);
    expect(sample(text, 'gantry_database_listeners')).toBe(1);
    expect(sample(text, 'gantry_database_up')).toBe(1);
  });

  it('git programs that were started, and those that run', LONG, async () => {
    const project = await world.project({ owner: member });
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
    const body = { branch: 'main', commit_message: 'First', actions };
    expect((await world.api(member).post(`/projects/${project.id}/repository/commits`, body)).status).toBe(201);
    const archive = await fetch(`${world.url}/api/v4/projects/${project.id}/repository/archive`, {
      headers: { 'PRIVATE-TOKEN': member.token },
    });
    await archive.arrayBuffer();
    const refs = `${world.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    const credential = Buffer.from(`${member.username}:${member.token}`).toString('base64');
    const labels = { route: 'git info/refs', status: '200' };
    // Other files of tests may have counted in this process.
    const before = sample(await scrape(), COUNT, labels);
    const answer = await fetch(refs, { headers: { Authorization: `Basic ${credential}` } });
    expect(answer.status).toBe(200);
    await answer.text();
    // A request counts when its answer has ended at the server's end of the connection, too.
    await world.until(async () => sample(await scrape(), COUNT, labels) > before);
    const text = await scrape();
    expect(sample(text, COUNT, labels)).toBe(before + 1);
    expect(text).toMatch(/^gantry_git_programs_running \d+$/m);
    expect(text).toMatch(/^gantry_git_programs_started_total\{command="[a-z-]+"\} [1-9]/m);
  });

  it('background jobs by name and outcome', LONG, async () => {
    const project = await world.project({ owner: member });
    expect((await world.api(member).delete(`/projects/${project.id}`)).status).toBe(202);
    await world.idle();
    const labels = { job: 'projects.remove', outcome: 'succeeded' };
    await world.until(async () => sample(await scrape(), 'gantry_job_duration_seconds_count', labels) > 0);
  });

  it('what the process itself tells: event loop, heap, garbage collection', async () => {
    const text = await scrape();
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'process_resident_memory_bytes',
    ]) {
      expect(sample(text, name), name).toBeGreaterThan(0);
    }
    expect(text).toContain('nodejs_gc_duration_seconds');
  });
});

describe('Many scrapes at once', () => {
  it('ask the database once', async () => {
    const collector = new Collector(world.db);
    const asked = async () => {
      const statements = await world.statements(() =>
        Promise.all(Array.from({ length: 20 }, () => collector.collect())),
      );
      return statements.filter((text) => text.includes('pg_stat_activity')).length;
    };
    expect(await asked()).toBe(1);
    // What it told is told again for a few seconds.
    expect(await asked()).toBe(0);
  });
});

describe('The dashboard for Grafana', () => {
  it('asks for metrics that there are', async () => {
    const { panels } = JSON.parse(readFileSync(packagePath('docs/grafana-dashboard.json'), 'utf8'));
    const expressions: string[] = panels.flatMap((panel: { targets: { expr: string }[] }) =>
      panel.targets.map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(20);
    const asked = new Set(
      expressions.flatMap((expression) => expression.match(/\b(?:gantry|nodejs|process)_\w+/g) ?? []),
    );
    const shown = await scrape();
    const types = new Map(
      [...shown.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    const known = (name: string) =>
      types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
    expect([...asked].filter((name) => !known(name))).toEqual([]);
  });

  it('and docs/operating.md names every one of our own', async () => {
    const manual = readFileSync(packagePath('docs/operating.md'), 'utf8');
    const own = [...(await scrape()).matchAll(/^# TYPE (gantry_\w+) /gm)].map(([, name = '']) => name);
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });
});
