import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import {
  gantry,
  isAlive,
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
const launcher = packagePath('bin/gantry.js');
const TIMEOUT = 300_000;

let server: ServerProcess;
let env: NodeJS.ProcessEnv;
let token: string;
let runner: { child: ChildProcess; output(): string };
let project: number;

/** Files by which jobs and tests wait for each other. */
const flags = at('flags');

const CONFIG = `
stages: [build, test, deploy]
variables: {GREETING: "hello from $CI_COMMIT_REF_NAME"}
build:
  stage: build
  before_script: ['echo before']
  script:
    - if [ -f cached/seen ]; then echo "the cache is there"; else echo "no cache yet"; fi
    - mkdir -p out cached
    - echo "$GREETING" > out/app.txt
    - ln -s /etc/passwd out/link
    - touch cached/seen
    - echo "token $CI_JOB_TOKEN"
  after_script: ['echo after; exit 9']
  cache: {key: "$CI_COMMIT_REF_NAME", paths: [cached/]}
  artifacts: {name: "app-$CI_COMMIT_REF_NAME", paths: [out/, /etc/passwd, ../outside], expire_in: 1 week}
unit:
  stage: test
  script: ['cat out/app.txt', 'test ! -e out/link', 'git log --oneline | head -1']
  coverage: '/([0-9]+)% covered/'
lint:
  stage: test
  allow_failure: true
  script: ['echo linting', 'exit 3', 'echo never']
  artifacts: {when: on_failure, untracked: true}
ship:
  stage: deploy
  when: manual
  script: ['echo "87% covered"', 'cat out/app.txt']
  dependencies: [build]
  coverage: '/([0-9]+)% covered/'
  environment: {name: production, url: 'https://app.example.org'}
`;

async function api(method: string, route: string, body?: object) {
  const answer = await fetch(`${server.url}/api/v4${route}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
}

/** A project with this file, and a runner of its own that takes its jobs. */
async function projectWith(name: string, config: string): Promise<number> {
  const { id } = (await api('POST', '/projects', { name })).body;
  const file = { branch_name: 'master', branch: 'master', content: config, commit_message: 'Add jobs' };
  expect((await api('POST', `/projects/${id}/repository/files/%2Egitlab-ci%2Eyml`, file)).status).toBe(201);
  return id;
}

async function registered(id: number, name: string): Promise<string> {
  const { runners_token } = (await api('GET', `/projects/${id}`)).body;
  const file = at(`${name}.json`);
  const args = ['--url', server.url, '--registration-token', runners_token, '--config', file];
  expect(await gantry(['runner', 'register', ...args], env)).toMatchObject({ status: 0 });
  return file;
}

function startRunner(config: string, ...args: string[]): typeof runner {
  const child = spawn(process.execPath, [launcher, 'runner', 'run', '--config', config, ...args], {
    env: { PATH: process.env.PATH, HOME: scratch.directory, UNRELATED_SECRET: 'must not reach jobs' },
    cwd: scratch.directory,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (part) => (text += part));
  return { child, output: () => text };
}

async function stop({ child }: typeof runner): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

interface Job {
  id: number;
  name: string;
  status: string;
  coverage: number | null;
  artifacts_file?: { filename: string; size: number };
}

const jobsOf = async (id: number): Promise<Job[]> => (await api('GET', `/projects/${id}/jobs`)).body;
const traceOf = async (id: number, job: number) => (await api('GET', `/projects/${id}/jobs/${job}/trace`)).text;

/** The newest job of that name, once it has that status. */
function jobThat(id: number, name: string, status: string): Promise<Job> {
  return until(async () =>
    (await jobsOf(id))
      .filter((job) => job.name === name)
      .slice(0, 1)
      .find((job) => job.status === status),
  );
}

beforeAll(async () => {
  mkdirSync(flags);
  env = settings(at('data'), { PORT: '0' });
  server = await startServer(env);
  env.PORT = new URL(server.url).port;
  token = printed(server.output(), 'Private token') ?? '';
  project = await projectWith('app', CONFIG);
  runner = startRunner(await registered(project, 'app'), '--concurrency', '2');
}, TIMEOUT);

afterAll(async () => {
  await stop(runner);
  await server.end('SIGTERM');
  scratch.remove();
});

describe('gantry runner', { timeout: TIMEOUT }, () => {
  it('runs a pipeline of three stages, whose jobs pass on artifacts, and says for whom it runs code', async () => {
    const build = await jobThat(project, 'build', 'success');
    const unit = await jobThat(project, 'unit', 'success');
    const lint = await jobThat(project, 'lint', 'failed');
    await jobThat(project, 'ship', 'manual');
    expect(runner.output()).toMatch(
      /WARNING: jobs run as the user \S+ on this machine and can do whatever this user can/,
    );
    const trace = await traceOf(project, build.id);
    expect(trace).toContain('$ echo before\nbefore\n');
    expect(trace).toContain('no cache yet');
    expect(trace).toContain('token [MASKED]\n');
    expect(trace).toContain('after\nWARNING: after_script failed with exit code 9.');
    expect(trace).toContain('WARNING: out/link leads out of the directory of the project, and is left out.');
    expect(trace).toContain('WARNING: /etc/passwd: it leads out of the directory of the project');
    expect(trace).toMatch(/Job succeeded\n$/);
    expect(await traceOf(project, unit.id)).toContain('$ cat out/app.txt\nhello from master\n');
    expect(await traceOf(project, lint.id)).toMatch(
      /linting\n\$ exit 3\nUploading artifacts: 1 file, \d+ bytes…\nERROR: Job failed: exit code 3\n$/,
    );
    expect(await traceOf(project, lint.id)).not.toContain('never');
    expect(build.artifacts_file).toMatchObject({ filename: 'app-master.zip' });
  });

  it('uploads artifacts that are the same through the API, by job and by ref', async () => {
    const build = await jobThat(project, 'build', 'success');
    const download = async (route: string) => {
      const answer = await fetch(`${server.url}/api/v4/projects/${project}/jobs/${route}`, {
        headers: { 'PRIVATE-TOKEN': token },
      });
      return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()) };
    };
    const { status, content } = await download(`${build.id}/artifacts`);
    expect([status, content.length]).toEqual([200, build.artifacts_file?.size]);
    writeFileSync(at('artifacts.zip'), content);
    const { unpack } = await import('#src/entrances/runner/unpack.ts');
    mkdirSync(at('unpacked'));
    await unpack(at('artifacts.zip'), at('unpacked'), () => undefined);
    expect(readdirSync(at('unpacked'), { recursive: true }).sort()).toEqual(['out', 'out/app.txt']);
    expect(readFileSync(at('unpacked/out/app.txt'), 'utf8')).toBe('hello from master\n');
  });

  it('runs a manual job when it is played, which is a deployment with its coverage', async () => {
    const ship = await jobThat(project, 'ship', 'manual');
    expect((await api('POST', `/projects/${project}/jobs/${ship.id}/play`)).status).toBe(200);
    const done = await jobThat(project, 'ship', 'success');
    expect(done.coverage).toBe(87);
    expect(await traceOf(project, done.id)).toContain('hello from master');
    const [deployment] = (await api('GET', `/projects/${project}/deployments`)).body;
    expect(deployment).toMatchObject({
      ref: 'master',
      environment: { name: 'production' },
      deployable: { id: done.id },
    });
    const latest = await fetch(`${server.url}/api/v4/projects/${project}/jobs/artifacts/master/download?job=build`, {
      headers: { 'PRIVATE-TOKEN': token },
    });
    expect([latest.status, Buffer.from(await latest.arrayBuffer()).equals(readFileSync(at('artifacts.zip')))]).toEqual([
      200,
      true,
    ]);
  });

  it('finds its cache when a job is retried', async () => {
    const build = await jobThat(project, 'build', 'success');
    expect((await api('POST', `/projects/${project}/jobs/${build.id}/retry`)).status).toBe(201);
    const again = await until(async () =>
      (await jobsOf(project)).find(({ name, id, status }) => name === 'build' && id > build.id && status === 'success'),
    );
    expect(await traceOf(project, again.id)).toContain('the cache is there');
  });

  it('shows the trace while the job runs, and stops all its processes when it is canceled', async () => {
    const id = await projectWith(
      'slow',
      `
watched:
  script:
    - echo "first line"
    - while [ ! -e ${flags}/go ]; do sleep 0.1; done
    - echo "second line"
canceled:
  script:
    - env > ${flags}/environment
    - sleep 3000 & echo $! > ${flags}/background
    - echo $$ > ${flags}/shell
    - (trap '' TERM; while true; do sleep 1; done)
`,
    );
    const slow = startRunner(await registered(id, 'slow'), '--concurrency', '2');
    try {
      const watched = await jobThat(id, 'watched', 'running');
      await until(async () => ((await traceOf(id, watched.id)).includes('first line\n') ? true : undefined));
      expect(await traceOf(id, watched.id)).not.toContain('second line\n');
      writeFileSync(path.join(flags, 'go'), '');
      await jobThat(id, 'watched', 'success');
      expect(await traceOf(id, watched.id)).toMatch(/second line\nJob succeeded\n$/);

      const canceled = await jobThat(id, 'canceled', 'running');
      const pids = await until(() => pidsIn('shell', 'background'));
      expect(pids.every(isAlive)).toBe(true);
      const given = readFileSync(path.join(flags, 'environment'), 'utf8');
      expect(given).toContain(`CI_JOB_ID=${canceled.id}\n`);
      expect(given).not.toContain('UNRELATED_SECRET');
      expect((await api('POST', `/projects/${id}/jobs/${canceled.id}/cancel`)).status).toBe(201);
      await until(() => (pids.some(isRunning) ? undefined : true));
      await until(() => (slow.output().includes(`Job ${canceled.id} canceled.`) ? true : undefined));
      await jobThat(id, 'canceled', 'canceled');
      expect(readdirSync(at('slow.d', 'builds'))).toEqual([]);
    } finally {
      await stop(slow);
    }
  });

  it('brings its job to an end although the server is killed in the middle', async () => {
    const id = await projectWith(
      'outage',
      `
survivor:
  script:
    - echo "before the outage"
    - while [ ! -e ${flags}/killed ]; do sleep 0.1; done
    - echo "during the outage"
    - while [ ! -e ${flags}/back ]; do sleep 0.1; done
    - echo result > result.txt
  artifacts: {paths: [result.txt]}
`,
    );
    const steady = startRunner(await registered(id, 'outage'), '--once');
    const job = await jobThat(id, 'survivor', 'running');
    await until(async () => ((await traceOf(id, job.id)).includes('before the outage\n') ? true : undefined));
    await server.end('SIGKILL');
    writeFileSync(path.join(flags, 'killed'), '');
    await until(() => (/No answer|begins/.test(steady.output()) ? true : undefined));
    server = await startServer(env);
    writeFileSync(path.join(flags, 'back'), '');
    const done = await jobThat(id, 'survivor', 'success');
    const trace = await traceOf(id, done.id);
    expect(trace.match(/^(before|during) the outage$/gm)).toEqual(['before the outage', 'during the outage']);
    expect(trace).toMatch(/Job succeeded\n$/);
    expect(done.artifacts_file?.filename).toBe('artifacts.zip');
    // With --once it ends by itself.
    await until(() => (steady.child.exitCode === 0 ? true : undefined));
  });

  it('finishes its job before it ends by SIGTERM', async () => {
    const id = await projectWith(
      'end',
      `
last:
  script:
    - touch ${flags}/last
    - while [ ! -e ${flags}/finish ]; do sleep 0.1; done
`,
    );
    const leaving = startRunner(await registered(id, 'end'));
    await until(() => (pidsOrNothing('last') ? true : undefined));
    leaving.child.kill('SIGTERM');
    await until(() => (leaving.output().includes('No more jobs are taken') ? true : undefined));
    expect(leaving.child.exitCode).toBeNull();
    writeFileSync(path.join(flags, 'finish'), '');
    await jobThat(id, 'last', 'success');
    await until(() => (leaving.child.exitCode === 0 ? true : undefined));
  });

  it('refuses a wrong registration token, a file that is in use, and a file that is none', async () => {
    const wrong = ['--url', server.url, '--registration-token', 'wrong', '--config', at('wrong.json')];
    expect(await gantry(['runner', 'register', ...wrong], env)).toMatchObject({
      status: 1,
      stderr: 'gantry: The server refused to register the runner with status 403.\n',
    });
    expect(await gantry(['runner', 'run', '--config', at('wrong.json')], env)).toMatchObject({ status: 1 });
    expect(statSync(at('app.json')).mode & 0o777).toBe(0o600);
    const { runners_token } = (await api('GET', `/projects/${project}`)).body;
    const used = ['--url', server.url, '--registration-token', runners_token, '--config', at('app.json')];
    expect(await gantry(['runner', 'register', ...used], env)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('exists'),
    });
    const gone = await registered(project, 'gone');
    expect(await gantry(['runner', 'unregister', '--config', gone], env)).toMatchObject({ status: 0 });
    expect(await gantry(['runner', 'run', '--config', gone, '--once'], env)).toMatchObject({ status: 1 });
    expect(await run(process.execPath, [launcher, 'runner', 'run', '--concurrency', '0'], { env })).toMatchObject({
      status: 2,
    });
  });
});

function pidsOrNothing(name: string): boolean {
  return readdirSync(flags).includes(name);
}

function pidsIn(...names: string[]): number[] | undefined {
  if (!names.every(pidsOrNothing)) return undefined;
  const pids = names.map((name) => Number(readFileSync(path.join(flags, name), 'utf8')));
  return pids.every((pid) => pid > 0) ? pids : undefined;
}

/** Whether a process still does something: the dead whom nobody has waited for do not count. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
