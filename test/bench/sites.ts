import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';
import { zip } from '../support/zip.ts';
import { cpuSeconds } from './attacks/usage.ts';
import { generateLoad, send } from './load.ts';
import { table } from './report.ts';

/** How much more CPU than the program nginx a site may take. */
const TARGET = 1.5;
const HOST = 'pages.example.test';
const SECONDS = 5;
const CONNECTIONS = 16;
const MB = 1024 * 1024;

/** The files of the site, with their bytes. */
const FILES: Readonly<Record<string, number>> = {
  'index.html': 2_000,
  'page.html': 20_000,
  'picture.png': 60_000,
  'film.mp4': 5 * MB,
};

/** A server of the files, and where they are. */
interface Measured {
  pid: number;
  url: string;
  base: string;
  headers: Record<string, string>;
}

/** Measures the CPU of a server that sends files of a site, beside that of nginx with one worker for the same files. */
export async function measureSites(print: (text: string) => void): Promise<void> {
  const own = scratchDirectory();
  const files = Object.fromEntries(
    Object.entries(FILES).map(([name, bytes]) => [name, Buffer.from(randomBytes(bytes / 2).toString('hex'))]),
  );
  const port = String(await freePort());
  const places = { PORT: port, GANTRY_URL: `http://127.0.0.1:${port}`, GANTRY_PAGES_HOST: HOST, LOG_LEVEL: 'info' };
  const server = await startServer(settings(path.join(own.directory, 'data'), places));
  const nginx = await startNginx(path.join(own.directory, 'nginx'), files);
  try {
    const token = printed(server.output(), 'Private token') ?? '';
    await publish(server.url, token, files);
    const pid = server.child.pid ?? 0;
    const gantry = { pid, url: server.url, base: '/site/', headers: { Host: `root.${HOST}` } };
    const rows: string[][] = [];
    for (const [name, bytes] of Object.entries(FILES)) {
      const ours = await microseconds(gantry, name);
      const theirs = nginx && (await microseconds(nginx, name));
      const ratio = theirs && ours.cpu / theirs.cpu;
      rows.push([
        `${name} (${bytes.toLocaleString('en')} bytes)`,
        ...[ours.cpu.toFixed(0), theirs?.cpu.toFixed(0) ?? ''],
        ratio?.toFixed(1) ?? '',
        ...[ours.throughput.toFixed(0), theirs?.throughput.toFixed(0) ?? ''],
        ratio && ratio > TARGET ? '!' : '',
      ]);
    }
    print(table(['file of a site', 'CPU µs', 'nginx', 'ratio', 'a second', 'nginx', ''], rows));
    print(`CPU of an answer, ${CONNECTIONS} connections; ! marks more than ${TARGET} times that of nginx`);
  } finally {
    nginx?.end();
    await server.end('SIGTERM');
    own.remove();
  }
}

/** Microseconds of CPU of an answer with a file, and how many answers there are in a second. */
async function microseconds({ pid, url, base, headers }: Measured, name: string) {
  const call = () => ({ path: `${base}${name}`, headers });
  const load = { url, call, connections: CONNECTIONS };
  await generateLoad({ ...load, milliseconds: 1_500 });
  const before = cpuSeconds(pid);
  const { count, throughput } = await generateLoad({ ...load, milliseconds: SECONDS * 1_000 });
  return { cpu: ((cpuSeconds(pid) - before) / count) * 1e6, throughput };
}

/** Publishes the files as the site of a public project, by a job of a runner. */
async function publish(url: string, token: string, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const call = async (method: string, place: string, sent: { body?: BodyInit; headers?: Record<string, string> }) => {
    const answer = await fetch(`${url}/api/v4${place}`, { method, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${place} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text.startsWith('{') ? JSON.parse(text) : null;
  };
  const post = (place: string, body: object) =>
    call('POST', place, {
      headers: { 'Content-Type': 'application/json', 'PRIVATE-TOKEN': token },
      body: JSON.stringify(body),
    });
  const { id } = await post('/projects', { name: 'site', visibility: 'public' });
  const ci = 'pages:\n  script: [echo]\n  pages: true\n  artifacts: {paths: [public]}\n';
  const { token: runner } = await post('/user/runners', { runner_type: 'project_type', project_id: id });
  await post(`/projects/${id}/repository/files/${encodeURIComponent('.gitlab-ci.yml')}`, {
    ...{ branch: 'main', commit_message: 'Publish', content: ci },
  });
  let job: { id: number; token: string } | null = null;
  for (let n = 0; n < 100 && !job; n += 1) {
    const headers = { 'Content-Type': 'application/json' };
    job = await call('POST', '/jobs/request', { headers, body: JSON.stringify({ token: runner }) });
    if (!job) await sleep(100);
  }
  if (!job) throw new Error('There is no job to run');
  const content = await zip(Object.fromEntries(Object.entries(files).map(([name, text]) => [`public/${name}`, text])));
  const form = new FormData();
  form.set('file', new File([new Uint8Array(content)], 'artifacts.zip'));
  form.set('artifact_type', 'archive');
  form.set('artifact_format', 'zip');
  await call('POST', `/jobs/${job.id}/artifacts`, { headers: { 'JOB-TOKEN': job.token }, body: form });
  const headers = { 'Content-Type': 'application/json' };
  await call('PUT', `/jobs/${job.id}`, {
    headers,
    body: JSON.stringify({ token: job.token, state: 'success' }),
  });
  for (let n = 0; n < 100; n += 1) {
    const { status } = await send(url, { path: '/site/', headers: { Host: `root.${HOST}` } });
    if (status === 200) return;
    await sleep(100);
  }
  throw new Error('The site was not published');
}

/** The program nginx with one worker for these files; null where it is not installed. */
async function startNginx(
  directory: string,
  files: Readonly<Record<string, Buffer>>,
): Promise<(Measured & { end(): void }) | null> {
  mkdirSync(path.join(directory, 'site'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, 'site', name), content);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(directory, name)};`,
  );
  const { username } = userInfo();
  const config = `user ${username}; worker_processes 1; daemon off; pid ${path.join(directory, 'pid')};
    events {}
    http { access_log ${path.join(directory, 'access')}; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port}; root ${path.join(directory, 'site')}; add_header Cache-Control "public, max-age=600"; } }`;
  const file = path.join(directory, 'nginx.conf');
  writeFileSync(file, config);
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  const child: ChildProcess = spawn('nginx', ['-e', path.join(directory, 'errors'), '-c', file], { env });
  const isThere = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  if (!isThere) return null;
  const url = `http://127.0.0.1:${port}`;
  for (let n = 0; n < 100; n += 1) {
    const answer = await send(url, { path: '/' }).catch(() => null);
    if (answer) break;
    await sleep(50);
  }
  return { pid: child.pid ?? 0, url, base: '/', headers: {}, end: () => void child.kill('SIGQUIT') };
}

/** A port of this machine that nobody listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
