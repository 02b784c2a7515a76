import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { renderChart } from '../support/chart.ts';
import { type ComposeService, readCompose } from '../support/compose.ts';
import { isInstalled, postgresPrograms } from '../support/engines.ts';
import { gitClient } from '../support/git_client.ts';
import type { Json } from '../support/http.ts';
import { freePort } from '../support/own_postgres.ts';
import { type ObjectStore, startObjectStore } from '../support/s3.ts';
import { scratchDirectory, until } from '../support/server_process.ts';

/*
 * The processes that deploy/compose/scaled.yaml and the Helm chart start, with the commands and variables that stand there. Each
 * service has an address of its own on this machine, as it has in the network of Compose; ports are such that are free.
 */
const PASSWORD = 'databasePassword123';
const TOKEN = 'deployed-token-0123456789abcdef';
const scratch = scratchDirectory();
const at = (...names: string[]) => path.join(scratch.directory, ...names);
const mounted = at('data');
const endings: (() => unknown)[] = [];
const IMAGE_PORTS = ['5432', '8080', '2222', '9090'];
const ports = new Map<string, string>();
let store: ObjectStore;

const isPossible =
  process.platform === 'linux' &&
  postgresPrograms !== null &&
  ['pgbouncer', 'haproxy', 'ssh', 'ssh-keygen'].every(isInstalled);
if (!isPossible)
  console.warn('PostgreSQL, PgBouncer, HAProxy or OpenSSH is not installed: the set of processes is not tried.');

const given = {
  GANTRY_DATABASE_PASSWORD: PASSWORD,
  GANTRY_SECRET: 'the secret of all processes of this test',
  GANTRY_URL: 'http://balancer:8080',
  // What the store of the tests takes.
  GANTRY_S3_KEY: 'S3RVER',
  GANTRY_S3_SECRET: 'S3RVER',
  // The balancer is on this machine here.
  TRUST_PROXY: 'loopback',
};
const compose = readCompose('deploy/compose/scaled.yaml', given);
const names = Object.keys(compose.services);

/** Where a client is that a balancer forwards requests of. */
const CLIENT = '198.51.100.7';

/** The address of a service. */
const addressOf = (service: string) => `127.0.1.${names.indexOf(service) + 10}`;
const urlOf = (service: string, port = '8080') => `http://${addressOf(service)}:${ports.get(port)}`;

/** A text of the files with addresses and ports of this machine in place of names of services and ports of images. */
function here(text: string): string {
  return text
    .replaceAll('http://store:9000', () => store.settings.endpoint)
    .replaceAll(/\b([a-z]+\d?):(\d{4})\b/g, (whole, name, port) =>
      names.includes(name) && ports.has(port) ? `${addressOf(name)}:${ports.get(port)}` : whole,
    );
}

function service(name: string): Required<Pick<ComposeService, 'environment'>> & ComposeService {
  const found = compose.services[name];
  if (!found) throw new Error(`There is no service ${name}`);
  return { ...found, environment: found.environment ?? {} };
}

interface Started {
  child: ChildProcess;
  output(): string;
}

/** Starts a process that is ended after the tests. */
function start(command: string, args: string[], env: NodeJS.ProcessEnv, account: object = {}): Started {
  const child = spawn(command, args, { env, cwd: scratch.directory, stdio: ['ignore', 'pipe', 'pipe'], ...account });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part));
  const closed = once(child, 'close');
  endings.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await closed;
    clearTimeout(late);
  });
  return { child, output: () => text };
}

/** PostgreSQL and PgBouncer refuse to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })));
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}

/** A directory of the account. */
function owned(name: string): string {
  mkdirSync(at(name), { mode: 0o700 });
  chmodSync(scratch.directory, 0o711);
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) chownSync(at(name), uid, gid);
  return at(name);
}

const programs = { PATH: `${postgresPrograms}:/usr/sbin:${process.env.PATH}` };

/** Starts what the image postgres starts: it makes the cluster, runs the scripts of the first start, and then the command. */
async function startPrimary(): Promise<void> {
  const { environment, command = [], configs = [] } = service('postgres');
  const cluster = path.join(owned('primary'), 'cluster');
  const secret = at('primary', 'password');
  writeFileSync(secret, `${environment.POSTGRES_PASSWORD}\n`);
  chmodSync(secret, 0o644);
  const version = Number(/(\d+)\.\d+/.exec(execFileSync('postgres', ['-V'], { encoding: 'utf8', env: programs }))?.[1]);
  const more = version < 17 ? [] : (environment.POSTGRES_INITDB_ARGS ?? '').split(' ');
  const made = [
    '-D',
    cluster,
    '-U',
    environment.POSTGRES_USER ?? '',
    `--pwfile=${secret}`,
    '-A',
    'scram-sha-256',
    ...more,
  ];
  const options = { ...account(), env: { ...programs, PGDATA: cluster }, stdio: 'pipe' as const };
  execFileSync('initdb', made, options);
  // Of the image.
  appendFileSync(path.join(cluster, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  appendFileSync(path.join(cluster, 'postgresql.conf'), "unix_socket_directories = ''\n");
  for (const { source } of configs) {
    execFileSync('sh', ['-c', here(compose.configs[source]?.content ?? '')], options);
  }
  const [program = '', ...args] = command;
  const own = ['-D', cluster, '-c', `listen_addresses=${addressOf('postgres')}`, '-p', ports.get('5432') ?? ''];
  start(program, [...args, ...own], options.env, account());
  await untilReady('postgres');
  await ask('postgres', `CREATE DATABASE ${environment.POSTGRES_DB}`, 'postgres');
}

function untilReady(name: string): Promise<true> {
  const args = ['-h', addressOf(name), '-p', ports.get('5432') ?? '', '-U', 'gantry', '-d', 'gantry'];
  return until(() => spawnSync('pg_isready', args, { env: programs }).status === 0 || undefined);
}

async function startStandby(): Promise<void> {
  const { environment, entrypoint = [], command = [] } = service('standby');
  const env = {
    ...programs,
    ...environment,
    PGHOST: addressOf(environment.PGHOST ?? ''),
    PGPORT: ports.get('5432'),
    PGDATA: path.join(owned('standby'), 'cluster'),
  };
  const [program = '', ...args] = [...entrypoint, ...command];
  const own = args.map((arg) => arg.replace('listen_addresses=*', `listen_addresses=${addressOf('standby')}`));
  start(program, own, env, account());
  await untilReady('standby');
}

/** Starts what the image of PgBouncer starts, which writes its settings from the environment. */
async function startPooler(): Promise<void> {
  const { environment } = service('pgbouncer');
  const { DB_HOST = '', DB_NAME, DB_USER, DB_PASSWORD, MAX_PREPARED_STATEMENTS, ...rest } = environment;
  const directory = owned('pooler');
  writeFileSync(path.join(directory, 'users.txt'), `"${DB_USER}" "${DB_PASSWORD}"\n`);
  const lines = [
    '[databases]',
    `${DB_NAME} = host=${addressOf(DB_HOST)} port=${ports.get('5432')} user=${DB_USER}`,
    '[pgbouncer]',
    `listen_addr = ${addressOf('pgbouncer')}`,
    `listen_port = ${ports.get('5432')}`,
    'unix_socket_dir =',
    `auth_file = ${path.join(directory, 'users.txt')}`,
    // For the test, which asks it for its connections.
    `admin_users = ${DB_USER}`,
    ...Object.entries(rest).map(([name, value]) => `${name.toLowerCase()} = ${value}`),
    ...(keepsStatements() ? [`max_prepared_statements = ${MAX_PREPARED_STATEMENTS}`] : []),
  ];
  writeFileSync(path.join(directory, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  const pooler = start('pgbouncer', [path.join(directory, 'pgbouncer.ini')], programs, account());
  await until(() => /process up|listening on/.test(pooler.output()) || undefined);
}

/** Whether PgBouncer is of version 1.21 or later: only those keep prepared statements. */
function keepsStatements(): boolean {
  const [, minor] =
    /PgBouncer 1\.(\d+)/.exec(execFileSync('pgbouncer', ['-V'], { encoding: 'utf8', env: programs })) ?? [];
  return Number(minor) >= 21;
}

/** What the image of Gantry sets, and runs where no command is given. */
const dockerfile = readFileSync(packagePath('Dockerfile'), 'utf8');
const imageSettings = (/^ENV (NODE_ENV.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((one) => one.split('='));
const imageCommand: string[] = JSON.parse(/^CMD (\["serve"\])$/m.exec(dockerfile)?.[1] ?? '[]');

/** Starts a container of the image on an address. */
function startContainer(address: string, environment: Record<string, string>, command: string[] | undefined): Started {
  const image: Record<string, string> = Object.fromEntries(imageSettings);
  const metrics = environment.GANTRY_METRICS_PORT;
  const env = {
    PATH: process.env.PATH,
    HOME: scratch.directory,
    ...image,
    HOST: address,
    PORT: ports.get(image.PORT ?? ''),
    GANTRY_DATA: mounted,
    GANTRY_SSH_PORT: ports.get('2222'),
    ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, here(value)])),
    ...(metrics !== undefined && { GANTRY_METRICS_PORT: ports.get(metrics) }),
    ...(!keepsStatements() && { DATABASE_PREPARED_STATEMENTS: 'off' }),
    GANTRY_ROOT_TOKEN: TOKEN,
  };
  return start(process.execPath, [packagePath('bin/gantry.js'), ...(command ?? imageCommand)], env);
}

const startService = (name: string) =>
  startContainer(addressOf(name), service(name).environment, service(name).command);

/** Starts HAProxy with the configuration of the file, which here asks no server of names. */
function startBalancer(): Started {
  const text = here(compose.configs.haproxy?.content ?? '')
    .replace(/^resolvers docker\n(?: .*\n?)+/m, '')
    .replaceAll(' resolvers docker init-addr none', '')
    .replaceAll(/port (\d{4})/g, (whole, port) => `port ${ports.get(port) ?? whole}`)
    .replaceAll(/bind :(\d{4})/g, (_whole, port) => `bind ${addressOf('balancer')}:${ports.get(port)}`);
  writeFileSync(at('haproxy.cfg'), text);
  const checked = spawnSync('haproxy', ['-c', '-f', at('haproxy.cfg')], { env: programs, encoding: 'utf8' });
  expect(checked.status, checked.stderr).toBe(0);
  return start('haproxy', ['-db', '-f', at('haproxy.cfg')], programs);
}

async function ask(service: string, sql: string, database = 'gantry'): Promise<Json[]> {
  const client = new pg.Client({
    host: addressOf(service),
    port: Number(ports.get('5432')),
    user: 'gantry',
    password: PASSWORD,
    database,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function call(url: string, method: string, target: string, body?: object | FormData): Promise<Json> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/api/v4${target}`, {
    method,
    headers: { 'private-token': TOKEN, ...(body && !isForm && { 'content-type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => null);
  expect([method, target, response.status < 300, answer]).toEqual([method, target, true, answer]);
  return answer;
}

const untilOk = (url: string) =>
  until(
    () =>
      fetch(url).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    300,
  );

/** How many statements on the table of projects the standby has been asked. */
async function readsThere(): Promise<number> {
  const [row] = await ask(
    'standby',
    "SELECT (seq_scan + COALESCE(idx_scan, 0))::int AS count FROM pg_stat_user_tables WHERE relname = 'projects'",
  );
  return row?.count ?? 0;
}

/** Waits until reads that a server is asked go to the standby. */
async function untilReadsThere(url: string): Promise<void> {
  await until(async () => {
    const before = await readsThere();
    await call(url, 'GET', '/projects?per_page=1');
    await sleep(1_100);
    return (await readsThere()) > before || undefined;
  });
}

async function upload(url: string, projectId: number, content: string): Promise<string> {
  const form = new FormData();
  form.append('file', new File([content], 'notes.txt'));
  return (await call(url, 'POST', `/projects/${projectId}/uploads`, form)).full_path;
}

const contentOf = async (url: string, file: string) =>
  (await fetch(`${url}${file}`, { headers: { 'private-token': TOKEN } })).text();

/** The address that the audit events have of someone whose request says that it is forwarded. */
async function addressBehind(url: string): Promise<string> {
  const name = `from-${randomUUID()}`;
  const answer = await fetch(`${url}/api/v4/groups`, {
    method: 'POST',
    headers: { 'private-token': TOKEN, 'content-type': 'application/json', 'x-forwarded-for': CLIENT },
    body: JSON.stringify({ name, path: name }),
  });
  expect(answer.status).toBe(201);
  const events: Json[] = await call(url, 'GET', `/groups/${(await answer.json()).id}/audit_events`);
  return events[0].details.ip_address;
}

/** Whether a process has logged what is only worth knowing. */
const hasSaidMore = ({ output }: Started) => /"level":(30|"info")/.test(output());

describe.runIf(isPossible)('The scaled set of Compose', { timeout: 300_000 }, () => {
  const containers = new Map<string, Started>();
  let balancer = '';
  let project: Json;

  beforeAll(async () => {
    for (const port of IMAGE_PORTS) ports.set(port, String(await freePort()));
    store = await startObjectStore();
    endings.push(() => store.stop());
    mkdirSync(mounted, { mode: 0o700 });
    await startPrimary();
    await startStandby();
    await startPooler();
    for (const name of names.filter((one) => compose.services[one]?.build)) containers.set(name, startService(name));
    startBalancer();
    balancer = urlOf('balancer');
    for (const name of ['server1', 'server2', 'server3']) await untilOk(`${urlOf(name)}/-/readiness`);
    await untilOk(`${balancer}/-/readiness`);
    project = await call(balancer, 'POST', '/projects', { name: 'deployed', initialize_with_readme: true });
  }, 600_000);

  afterAll(async () => {
    for (const end of endings.splice(0).reverse()) await end();
    scratch.remove();
  });

  test('has one address for all, which is that of the balancer', async () => {
    expect(project.web_url).toBe(`${balancer}/root/deployed`);
    for (const name of ['server1', 'server2', 'server3']) {
      expect((await call(urlOf(name), 'GET', `/projects/${project.id}`)).name).toBe('deployed');
    }
  });

  test('takes the secret from the settings, and files to the bucket', async () => {
    const file = await upload(urlOf('server1'), project.id, 'in the bucket');
    expect(await contentOf(urlOf('server2'), file)).toBe('in the bucket');
    expect(existsSync(path.join(mounted, 'uploads'))).toBe(false);
    expect(existsSync(path.join(mounted, 'secret'))).toBe(false);
    expect(existsSync(path.join(mounted, 'repositories'))).toBe(true);
  });

  test('has a standby that keeps up and answers reads of each server', async () => {
    expect(await ask('standby', 'SELECT pg_is_in_recovery() AS is')).toEqual([{ is: true }]);
    expect(await ask('postgres', 'SELECT usename, state FROM pg_stat_replication')).toEqual([
      { usename: 'gantry', state: 'streaming' },
    ]);
    expect(await ask('postgres', 'SHOW wal_keep_size')).toEqual([{ wal_keep_size: '1GB' }]);
    for (const name of ['server1', 'server2', 'server3']) await untilReadsThere(urlOf(name));
  });

  test('asks PostgreSQL through PgBouncer, which holds few sessions', async () => {
    await Promise.all(Array.from({ length: 60 }, () => call(balancer, 'GET', '/user')));
    const limit = Number(service('pgbouncer').environment.DEFAULT_POOL_SIZE);
    const client = new pg.Client({
      host: addressOf('pgbouncer'),
      port: Number(ports.get('5432')),
      user: 'gantry',
      password: PASSWORD,
      database: 'pgbouncer',
    });
    await client.connect();
    try {
      const of = async (what: 'CLIENTS' | 'SERVERS') =>
        (await client.query(`SHOW ${what}`)).rows.filter(({ database }) => database === 'gantry').length;
      const [clients, sessions] = [await of('CLIENTS'), await of('SERVERS')];
      expect(clients).toBeGreaterThan(0);
      expect(sessions).toBeGreaterThan(0);
      expect(sessions).toBeLessThanOrEqual(limit);
    } finally {
      await client.end();
    }
  });

  test('leaves jobs to the workers, whose metrics can be read', async () => {
    const pids = ['worker1', 'worker2'].map((name) => containers.get(name)?.child.pid);
    const { processes } = await until(async () => {
      const found = await call(balancer, 'GET', '/bgjobs/compound_metrics');
      return found.processes.length === 2 ? found : undefined;
    });
    expect(processes.map(({ pid }: Json) => pid).sort()).toEqual(pids.sort());
    const fork = await call(balancer, 'POST', `/projects/${project.id}/fork`, { path: 'forked', name: 'Forked' });
    const branch = `${balancer}/api/v4/projects/${fork.id}/repository/branches/${project.default_branch}`;
    await until(async () => (await fetch(branch, { headers: { 'private-token': TOKEN } })).ok || undefined);
    for (const name of ['worker1', 'worker2']) {
      const url = `${urlOf(name, '9090')}/-/metrics`;
      expect((await fetch(url)).status).toBe(404);
      const answer = await fetch(url, { headers: { 'private-token': TOKEN } });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('gantry_database_up 1')]);
    }
  });

  test('takes git over SSH through the balancer, with one host key', async () => {
    const key = at('key');
    execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', key]);
    await call(balancer, 'POST', '/user/keys', { title: 'deployed', key: readFileSync(`${key}.pub`, 'utf8') });
    const options = `-F none -i ${key} -o BatchMode=yes -o IdentitiesOnly=yes -o UserKnownHostsFile=${at('known')}`;
    const remote = `ssh://git@${addressOf('balancer')}:${ports.get('2222')}/root/deployed.git`;
    for (const checking of ['accept-new', 'yes', 'yes', 'yes']) {
      const command = `core.sshCommand=ssh ${options} -o StrictHostKeyChecking=${checking}`;
      const { code, output, said } = await gitClient(scratch.directory, '-c', command, 'ls-remote', remote, 'HEAD');
      expect([code, said]).toEqual([0, expect.not.stringContaining('changed')]);
      expect(output).toMatch(/^[0-9a-f]{40}\tHEAD/);
    }
  });

  test('believes the balancer, as `TRUST_PROXY` says, who asks, and logs as much as `LOG_LEVEL` says', async () => {
    expect(await addressBehind(urlOf('server1'))).toBe(CLIENT);
    expect(hasSaidMore(containers.get('server1') as Started)).toBe(true);
    // The variables as they are left out, and as someone sets them.
    const { TRUST_PROXY: _left, ...others } = given;
    const { environment, command } = readCompose('deploy/compose/scaled.yaml', { ...others, LOG_LEVEL: 'warn' })
      .services.server1 as ComposeService;
    const quiet = startContainer('127.0.2.12', environment ?? {}, command);
    const url = `http://127.0.2.12:${ports.get('8080')}`;
    await untilOk(`${url}/-/readiness`);
    expect(await addressBehind(url)).toMatch(/^127\./);
    expect(hasSaidMore(quiet)).toBe(false);
  });

  test('goes on without a failed request while a server stops', async () => {
    let isOver = false;
    const asking = (async () => {
      let count = 0;
      for (; !isOver; count++) await call(balancer, 'GET', '/projects?per_page=1');
      return count;
    })();
    const { child } = containers.get('server3') ?? {};
    const stopped = Date.now();
    child?.kill('SIGTERM');
    await until(async () => (await fetch(`${urlOf('server3')}/-/readiness`)).status === 503 || undefined);
    // It still answers while it says that it is not ready.
    expect((await fetch(`${urlOf('server3')}/-/liveness`)).status).toBe(200);
    if (child?.exitCode === null) await once(child, 'exit');
    expect(Date.now() - stopped).toBeGreaterThanOrEqual(
      Number(service('server3').environment.GANTRY_DRAIN_SECONDS) * 1000,
    );
    isOver = true;
    expect(await asking).toBeGreaterThan(0);
  });

  test('is joined by what the chart starts, with each of its values', async () => {
    const { DATABASE_READ_URL = '', DATABASE_URL, DATABASE_DIRECT_URL, ...shared } = service('server1').environment;
    const keys = ['GANTRY_SECRET', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    const secrets: Json = {
      gantry: {
        ...Object.fromEntries(keys.map((name) => [name, shared[name]])),
        DATABASE_URL,
        DATABASE_DIRECT_URL,
      },
      replica: { address: DATABASE_READ_URL },
    };
    const documents: Json[] = renderChart(packagePath('deploy/charts/gantry'), {
      url: 'https://chart.example.com',
      readReplica: { secretName: 'replica', key: 'address' },
      uploads: { bucket: 'gantry-uploads', endpoint: 'http://store:9000', region: 'us-east-1' },
      workers: { queues: ['projects.fork', 'mail.send'] },
      trustProxy: 'loopback',
      drainSeconds: 2,
      gitGraceSeconds: 1,
      settings: { GANTRY_METRICS_ADDRESSES: '127.0.0.0/8', LOG_LEVEL: 'warn' },
      metrics: { serviceMonitor: true },
    });
    const containerOf = (component: string) =>
      documents.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `our-${component}`)?.spec
        .template.spec.containers[0];
    const startOf = (address: string, { env, envFrom, args }: Json) => {
      const all = envFrom.map(({ secretRef }: Json) => secrets[secretRef.name]);
      for (const { name, value, valueFrom } of env) {
        const { secretKeyRef } = valueFrom ?? {};
        all.push({ [name]: secretKeyRef ? secrets[secretKeyRef.name][secretKeyRef.key] : value });
      }
      return startContainer(address, Object.assign({}, ...all), args);
    };
    const [server, worker] = [containerOf('server'), containerOf('worker')];
    const [serverAddress, workerAddress] = ['127.0.2.10', '127.0.2.11'];
    const started = startOf(serverAddress, server);
    const working = startOf(workerAddress, worker);
    const portOf = ({ ports: named }: Json, name: string | number) =>
      ports.get(String(named.find((one: Json) => one.name === name)?.containerPort));
    const url = `http://${serverAddress}:${portOf(server, 'http')}`;
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path: target, port } = server[probe].httpGet;
      await untilOk(`http://${serverAddress}:${portOf(server, port)}${target}`);
    }
    // Its address, what the others wrote, the standby, and the bucket.
    const seen = await call(url, 'GET', `/projects/${project.id}`);
    expect(seen.web_url).toBe('https://chart.example.com/root/deployed');
    await untilReadsThere(url);
    const file = await upload(url, project.id, 'of the chart');
    expect(await contentOf(urlOf('server1'), file)).toBe('of the chart');
    // Metrics where the monitors look for them.
    const endpointOf = (kind: string, field: string) => documents.find((one) => one.kind === kind)?.spec[field][0];
    const metrics = [
      [serverAddress, server, endpointOf('ServiceMonitor', 'endpoints')],
      [workerAddress, worker, endpointOf('PodMonitor', 'podMetricsEndpoints')],
    ] as const;
    for (const [address, container, { path: target, port }] of metrics)
      await untilOk(`http://${address}:${portOf(container, port)}${target}`);
    // SSH answers at the port that the service leads to.
    const scan = spawnSync('ssh-keyscan', ['-p', portOf(server, 'ssh') ?? '', serverAddress], { encoding: 'utf8' });
    expect(scan.stdout).toContain('ssh-ed25519');
    const { processes } = await call(url, 'GET', '/bgjobs/compound_metrics');
    const joined = processes.filter(({ pid }: Json) => [started.child.pid, working.child.pid].includes(pid));
    expect(joined).toMatchObject([
      { pid: working.child.pid, queues: expect.arrayContaining(['projects.fork', 'mail.send']) },
    ]);
    expect(joined[0].queues).toHaveLength(2);
    expect(await addressBehind(url)).toBe(CLIENT);
    expect([hasSaidMore(started), hasSaidMore(working)]).toEqual([false, false]);
    // It says that it is not ready for as long as the chart gives balancers, and waits no longer than that for a push that never ends.
    const push = request(`${url}/root/deployed.git/git-receive-pack`, {
      method: 'POST',
      auth: `root:${TOKEN}`,
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    const broken = once(push, 'error');
    push.write('0');
    await until(async () => {
      const text = await (await fetch(`${url}/-/metrics`)).text();
      // This request is one, too.
      return Number(/^gantry_http_requests_in_progress (\d+)$/m.exec(text)?.[1]) > 1 || undefined;
    });
    const stopped = Date.now();
    started.child.kill('SIGTERM');
    await broken;
    if (started.child.exitCode === null) await once(started.child, 'exit');
    expect(Date.now() - stopped).toBeGreaterThanOrEqual(3_000);
    expect(Date.now() - stopped).toBeLessThan(60_000);
  });
});
