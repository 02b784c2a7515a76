// One part in depth, which the long run has.
// @module-tag long
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunnerApi } from '#src/entrances/runner/api.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { runJob } from '#src/entrances/runner/run_job.ts';
import { scratch } from '../support/git_program.ts';

interface Upload {
  query: string;
  fileName: string;
  content: Buffer;
}

let heard: {
  trace: string;
  end: Record<string, unknown> | null;
  uploads: Upload[];
  request: Record<string, unknown> | null;
  /** What the server says of the job. */
  status: string;
};
let api: RunnerApi;
let directory: string;
let programs: string;

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const { method, url = '' } = request;
  if (method === 'PATCH') {
    heard.trace += String(body);
    response.writeHead(202, { Range: `0-${Buffer.byteLength(heard.trace)}`, 'Job-Status': heard.status }).end();
  } else if (method === 'PUT') {
    heard.end = JSON.parse(String(body));
    response.writeHead(200).end('200');
  } else if (url.endsWith('/jobs/request')) {
    heard.request = JSON.parse(String(body));
    response.writeHead(204).end();
  } else if (url.includes('/authorize')) response.writeHead(200).end('{}');
  else {
    const text = body.toString('latin1');
    const [, fileName = ''] = /filename="([^"]*)"/.exec(text) ?? [];
    const start = text.indexOf('\r\n\r\n') + 4;
    heard.uploads.push({
      query: url.replace(/^[^?]*/, ''),
      fileName,
      content: body.subarray(start, text.lastIndexOf('\r\n--')),
    });
    response.writeHead(201).end('{}');
  }
});

const before = process.env.PATH;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  api = new RunnerApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(() => {
  process.env.PATH = before;
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  heard = { trace: '', end: null, uploads: [], request: null, status: 'running' };
  directory = path.join(scratch(), 'runner');
  programs = path.join(scratch(), 'programs');
  for (const one of [directory, programs]) mkdirSync(one, { recursive: true });
  // Programs of this machine, but none that runs containers of its own.
  process.env.PATH = [programs, ...(before ?? '').split(':').filter((one) => !hasEngine(one))].join(':');
});

const hasEngine = (place: string) => ['docker', 'podman'].some((name) => existsSync(path.join(place, name)));

/** A program that notes how it is called, and runs the script of a `run` on this machine. */
function fakeEngine(name: 'docker' | 'podman', { fails = false } = {}): () => string[][] {
  const calls = path.join(programs, 'calls');
  writeFileSync(calls, '');
  writeFileSync(
    path.join(programs, name),
    `#!/bin/sh
for word in "$@"; do printf '%s\\0' "$word"; done >> '${calls}'
printf '\\n' >> '${calls}'
env > '${programs}/environment'
[ "$1" = inspect ] && printf '{"6379/tcp":{},"5432/tcp":{}}\n'
[ "$1" = exec ] && cat '${programs}/table'
[ "$1" = logs ] && echo 'database system is starting'
[ "$1" = run ] || exit 0
${fails ? 'exit 125' : ''}
for last in "$@"; do :; done
[ -f "$last" ] && exec sh "$last"
exit 0
`,
  );
  chmodSync(path.join(programs, name), 0o755);
  return () =>
    readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\0').slice(0, -1));
}

function job(script: string[], more: Partial<JobPayload> = {}): JobPayload {
  return {
    id: 7,
    token: 'gjt-token-of-the-job',
    job_info: { name: 'unit', stage: 'test', project_id: 1, project_name: 'app' },
    git_info: { repo_url: 'http://127.0.0.1:1/app.git', ref: 'master', sha: '1'.repeat(40), ref_type: 'branch' },
    runner_info: { timeout: 300 },
    variables: [
      { key: 'GIT_STRATEGY', value: 'none', public: true, file: false },
      { key: 'VERSION', value: '3', public: true, file: false },
      { key: 'SECRET', value: "it's\ntwo lines", public: false, file: false },
      { key: 'DOCKER_HOST', value: 'tcp://evil', public: true, file: false },
    ],
    steps: [{ name: 'script', script, timeout: 300, when: 'on_success', allow_failure: false }],
    ...more,
  };
}

const run = (payload: JobPayload) => runJob(payload, { api, directory, stopping: new AbortController().signal });

describe('A job with an image', { timeout: 60_000 }, () => {
  it('runs in a container of docker, which gets its directory and is removed', async () => {
    const calls = fakeEngine('docker');
    const payload = job(['echo "got $SECRET"', 'pwd'], {
      image: {
        name: 'registry.example.org/node:$VERSION',
        entrypoint: ['/entry', '-x'],
        pull_policy: ['if-not-present'],
      },
    });
    expect(await run(payload)).toEqual({ state: 'success' });
    const [started = []] = calls().filter(([command]) => command === 'run');
    const name = started[3] ?? '';
    const place = path.join(directory, 'builds');
    expect(started).toEqual([
      ...['run', '--rm', '--name', expect.stringMatching(/^gantry-[0-9a-f]{16}$/), '--init'],
      ...['--volume', expect.stringMatching(new RegExp(`^(${place}/7-\\w+):\\1$`)), '--workdir'],
      expect.stringMatching(new RegExp(`^${place}/7-\\w+/project$`)),
      ...['--pull', 'missing', '--entrypoint', '/entry'],
      ...['--', 'registry.example.org/node:3', '-x', 'sh'],
      expect.stringMatching(new RegExp(`^${place}/7-\\w+/tmp/script$`)),
    ]);
    expect(calls()).toContainEqual(['rm', '--force', name]);
    expect(heard.trace).toContain('Using docker with the image registry.example.org/node:3.');
    expect(heard.trace).toContain("got it's\ntwo lines\n");
    expect(heard.trace).toMatch(/\/project\n/);
    expect(readdirSync(place)).toEqual([]);
  });

  it('is run by an entrypoint that is a shell with a text to run', async () => {
    const calls = fakeEngine('docker');
    const image = { name: 'alpine', entrypoint: ['/bin/sh', '-c'] };
    expect(await run(job(['true'], { image }))).toEqual({ state: 'success' });
    const [started = []] = calls().filter(([command]) => command === 'run');
    expect(started.slice(started.indexOf('--entrypoint'))).toEqual([
      ...['--entrypoint', '/bin/sh', '--', 'alpine', '-c'],
      expect.stringMatching(/^sh '\/.*\/tmp\/script'$/),
    ]);
  });

  it('gives the program that starts containers none of its variables', async () => {
    fakeEngine('podman');
    expect(await run(job(['true'], { image: { name: 'alpine' } }))).toEqual({ state: 'success' });
    const environment = readFileSync(path.join(programs, 'environment'), 'utf8');
    expect(environment).not.toMatch(/DOCKER_HOST|SECRET|two lines/);
    expect(heard.trace).toContain('Using podman with the image alpine.');
  });

  it('ends with the exit code of its script, and after_script has a container of its own', async () => {
    const calls = fakeEngine('docker');
    const payload = job(['exit 42'], { image: { name: 'alpine' } });
    const after = { name: 'after_script', script: ['echo after'], timeout: 300, when: 'always', allow_failure: true };
    payload.steps.push(after);
    expect(await run(payload)).toEqual({ state: 'failed', reason: 'script_failure', exitCode: 42 });
    expect(heard.end).toMatchObject({ state: 'failed', failure_reason: 'script_failure', exit_code: 42 });
    expect(heard.trace).toContain('after\n');
    expect(calls().filter((call) => call[0] === 'run' && call.includes('--init'))).toHaveLength(2);
  });

  it('fails where the container cannot be started', async () => {
    fakeEngine('docker', { fails: true });
    expect(await run(job(['true'], { image: { name: 'missing' } }))).toEqual({
      state: 'failed',
      reason: 'runner_system_failure',
    });
    expect(heard.trace).toContain('the container of missing could not be started');
  });

  it('runs on the machine where there is neither docker nor podman, and the log says so', async () => {
    const payload = job(['echo here'], { image: { name: 'alpine' }, services: [{ name: 'postgres' }] });
    expect(await run(payload)).toEqual({ state: 'success' });
    expect(heard.trace).toContain('WARNING: The job asks for the image alpine, but there is neither docker nor podman');
    expect(heard.trace).toContain('WARNING: Services are only started for jobs in containers: postgres.');
    expect(heard.trace).toContain('here\n');
  });

  it('has its services in a network of its own, ready before it begins, and removed after it', async () => {
    const calls = fakeEngine('docker');
    const port = (number: number) => number.toString(16).toUpperCase();
    const line = `  0: 00000000:${port(5432)} 00000000:0000 0A 00000000:00000000`;
    writeFileSync(path.join(programs, 'table'), `  sl  local_address rem_address   st\n${line}\n`);
    const services = [
      {
        name: 'registry.example:5000/team/postgres:$VERSION',
        alias: 'db, database',
        command: ['-c', 'fsync=off'],
        variables: [{ key: 'POSTGRES_DB', value: 'app' }],
      },
      { name: 'redis', entrypoint: ['/start', '-q'], pull_policy: ['always'] },
    ];
    expect(await run(job(['echo done'], { image: { name: 'alpine' }, services }))).toEqual({ state: 'success' });
    const all = calls();
    const [network = ''] = all.flatMap(([one, two, name]) => (one === 'network' && two === 'create' ? [name] : []));
    expect(network).toMatch(/^gantry-[0-9a-f]{16}$/);
    const [postgres, redis, script] = all.filter(([command]) => command === 'run');
    expect(postgres).toEqual([
      ...['run', '--detach', '--name', `${network}-0`, '--network', network],
      ...['--network-alias', 'registry.example__team__postgres', '--network-alias', 'registry.example-team-postgres'],
      ...['--network-alias', 'db', '--network-alias', 'database'],
      ...['--env-file', expect.stringMatching(/\/tmp\/service_0$/)],
      ...['--', 'registry.example:5000/team/postgres:3', '-c', 'fsync=off'],
    ]);
    expect(redis?.slice(6)).toEqual([
      ...['--network-alias', 'redis', '--env-file', expect.any(String), '--pull', 'always'],
      ...['--entrypoint', '/start', '--', 'redis', '-q'],
    ]);
    expect(script).toEqual(expect.arrayContaining(['--network', network]));
    expect(all.slice(-2)).toEqual([
      ['rm', '--force', '--volumes', `${network}-0`, `${network}-1`],
      ['network', 'rm', network],
    ]);
    expect(heard.trace).not.toContain('does not listen');
  });

  it('begins although a service does not listen, with a warning and what the service printed', async () => {
    fakeEngine('podman');
    writeFileSync(path.join(programs, 'table'), '');
    await run(job(['echo done'], { image: { name: 'alpine' }, services: [{ name: 'postgres' }] }));
    expect(heard.trace).toContain('WARNING: The service postgres does not listen on port 5432 yet.');
    expect(heard.trace).toContain('database system is starting');
    expect(heard.trace).toContain('done\n');
  });

  it('fails where a service cannot be started, and leaves no network', async () => {
    const calls = fakeEngine('docker', { fails: true });
    const payload = job(['echo done'], { image: { name: 'alpine' }, services: [{ name: 'missing' }] });
    expect(await run(payload)).toEqual({ state: 'failed', reason: 'runner_system_failure' });
    expect(heard.trace).toContain('the service missing could not be started');
    expect(heard.trace).not.toContain('done\n');
    expect(calls().at(-1)?.slice(0, 2)).toEqual(['network', 'rm']);
  });

  it('is told what runs it, and after_script how it ended', async () => {
    fakeEngine('docker');
    const show = 'echo "$CI_JOB_STATUS $CI_SERVER $CI_DISPOSABLE_ENVIRONMENT$CI_SHARED_ENVIRONMENT $CI_CONCURRENT_ID"';
    const after = { name: 'after_script', script: [show], timeout: 300, when: 'always', allow_failure: true };
    const ended = async (script: string[], more: Partial<JobPayload> = {}) => {
      heard.trace = '';
      const payload = job([show, ...script], more);
      payload.steps.push(after);
      await run(payload);
      return heard.trace.split('\n').filter((text) => /^(running|success|failed) /.test(text));
    };
    expect(await ended([], { image: { name: 'alpine' } })).toEqual(['running yes true 0', 'success yes true 0']);
    expect(await ended(['exit 1'])).toEqual(['running yes true 0', 'failed yes true 0']);
    heard.trace = '';
    await run(job(['echo "$CI_RUNNER_VERSION $CI_RUNNER_EXECUTABLE_ARCH"', 'env | grep _ENVIRONMENT=']));
    expect(heard.trace).toMatch(/^\d+\.\d+\.\S+ linux\/(amd64|arm64)\n[^\n]*\nCI_SHARED_ENVIRONMENT=true$/m);
  });

  it('that is canceled is ended, runs after_script, and tells the server', async () => {
    const after = {
      name: 'after_script',
      script: ['echo $CI_JOB_STATUS'],
      timeout: 300,
      when: 'always',
      allow_failure: true,
    };
    const payload = job(['echo begun', 'sleep 1000'], {
      artifacts: [{ name: 'a', paths: ['.'], when: 'always', artifact_type: 'archive', artifact_format: 'zip' }],
    });
    payload.steps.push(after);
    heard.status = 'canceling';
    expect(await run(payload)).toEqual({ state: 'canceled' });
    expect(heard.trace).toMatch(/canceled\nERROR: Job canceled: it was canceled on the server\n$/);
    expect(heard.end).toMatchObject({ state: 'failed' });
    expect(heard.uploads).toEqual([]);
  });

  it('runs on the machine without an image, even if there is docker', async () => {
    const calls = fakeEngine('docker');
    expect(await run(job(['echo here']))).toEqual({ state: 'success' });
    expect(calls().filter(([command]) => command === 'run')).toEqual([]);
  });
});

describe('What a job leaves', { timeout: 60_000 }, () => {
  it('is uploaded by type: files of a report together, and the archive without what is excluded', async () => {
    const payload = job(
      [
        'mkdir out',
        'echo "<a/>" > out/1.xml',
        'echo "<b/>" > out/2.xml',
        'echo A=1 > build.env',
        'echo "{}" > gl.json',
        'exit 1',
      ],
      {
        artifacts: [
          {
            name: 'files',
            paths: ['out/'],
            exclude: ['out/2.xml'],
            when: 'always',
            artifact_type: 'archive',
            artifact_format: 'zip',
          },
          { name: 'junit.xml', paths: ['out/*.xml'], when: 'always', artifact_type: 'junit', artifact_format: 'gzip' },
          {
            name: '.env',
            paths: ['build.env'],
            when: 'always',
            artifact_type: 'dotenv',
            artifact_format: 'gzip',
            expire_in: '1 day',
          },
          { name: 'gl.json', paths: ['gl.json'], when: 'always', artifact_type: 'codequality', artifact_format: 'raw' },
        ],
      },
    );
    await run(payload);
    const [archive, junit, dotenv, quality] = heard.uploads;
    expect(heard.uploads.map(({ query, fileName }) => [query, fileName])).toEqual([
      ['', 'files.zip'],
      ['?artifact_type=junit&artifact_format=gzip', 'junit.xml.gz'],
      ['?expire_in=1+day&artifact_type=dotenv&artifact_format=gzip', '.env.gz'],
      ['?artifact_type=codequality&artifact_format=raw', 'gl.json'],
    ]);
    expect([archive?.content.includes('out/1.xml'), archive?.content.includes('out/2.xml')]).toEqual([true, false]);
    expect(String(gunzipSync(junit?.content ?? ''))).toBe('<a/>\n<b/>\n');
    expect(String(gunzipSync(dotenv?.content ?? ''))).toBe('A=1\n');
    expect(String(quality?.content)).toBe('{}\n');
  });

  it('keeps sections and colours in its log', async () => {
    await run(job(["printf 'section_start:1:a\\r\\033[0K\\033[32mgreen\\033[0m\\nsection_end:2:a\\r\\033[0K\\n'"]));
    expect(heard.trace).toContain('section_start:1:a\r\u001b[0K\u001b[32mgreen\u001b[0m\nsection_end:2:a\r\u001b[0K\n');
  });

  it('restores the cache of a fallback key where there is none of its own', async () => {
    const cache = { key: 'old', paths: ['kept/'] };
    await run(job(['mkdir kept', 'echo warm > kept/a'], { cache: [cache] }));
    heard.trace = '';
    await run(job(['cat kept/a'], { cache: [{ ...cache, key: 'new', fallback_keys: ['none', 'old'] }] }));
    expect(heard.trace).toContain('Restoring the cache old…');
    expect(heard.trace).toContain('warm\n');
  });
});

describe('The runner', () => {
  it('says what it can do when it asks for a job', async () => {
    await api.request('grt-token', undefined);
    expect(heard.request).toMatchObject({
      info: {
        features: {
          upload_multiple_artifacts: true,
          return_exit_code: true,
          refspecs: true,
          cancel_gracefully: true,
        },
      },
    });
    // Services are for jobs in containers.
    const { features } = (heard.request as { info: { features: Record<string, boolean> } }).info;
    expect(features.services).toBe(features.image);
  });
});
