import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunnerApi } from '#src/entrances/runner/api.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { runJob } from '#src/entrances/runner/run_job.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { zip } from '../support/zip.ts';

/** What a server has heard, and what it answers instead of what is usual. */
interface Heard {
  trace: Buffer;
  end: { state: string; failure_reason?: string } | null;
  uploads: string[];
  /** Answers by itself, and says so by true. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean;
}

let heard: Heard;
let api: RunnerApi;
let directory: string;

const server = createServer(async (request, response) => {
  const body = await buffer(request).catch(() => Buffer.alloc(0));
  if (heard.answer(request, response)) return;
  const { method, url = '' } = request;
  if (method === 'PATCH') {
    const offset = Number.parseInt(String(request.headers['content-range']), 10);
    const fits = offset === heard.trace.length;
    if (fits) heard.trace = Buffer.concat([heard.trace, body]);
    response.writeHead(fits ? 202 : 416, { Range: `0-${heard.trace.length}`, 'Job-Status': 'running' }).end();
  } else if (method === 'PUT') {
    heard.end = JSON.parse(String(body));
    response.writeHead(200).end('200');
  } else if (url.includes('/artifacts/authorize')) {
    response.writeHead(200).end('{}');
  } else if (method === 'POST' && url.includes('/artifacts')) {
    heard.uploads.push(`${url} ${body.length}`);
    response.writeHead(201).end('{}');
  } else response.writeHead(404).end();
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  api = new RunnerApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  heard = { trace: Buffer.alloc(0), end: null, uploads: [], answer: () => false };
  directory = path.join(scratch(), 'runner');
  mkdirSync(directory);
});

function job(script: string[], more: Partial<JobPayload> = {}): JobPayload {
  return {
    id: 7,
    token: 'gjt-token-of-the-job',
    job_info: { name: 'unit', stage: 'test', project_id: 1, project_name: 'app' },
    git_info: { repo_url: 'http://127.0.0.1:1/app.git', ref: 'master', sha: '1'.repeat(40), ref_type: 'branch' },
    runner_info: { timeout: 300 },
    variables: [{ key: 'GIT_STRATEGY', value: 'none', public: true, file: false }],
    steps: [{ name: 'script', script, timeout: 300, when: 'on_success', allow_failure: false }],
    ...more,
  };
}

const run = (payload: JobPayload, stopping = new AbortController().signal) =>
  runJob(payload, { api, directory, stopping });

describe('A job', { timeout: 120_000 }, () => {
  it('that takes longer than it may is ended, and after_script runs all the same', LONG, async () => {
    const payload = job(['echo begun', 'sleep 1000'], { runner_info: { timeout: 1 } });
    payload.steps.push({
      name: 'after_script',
      script: ['echo cleaned up'],
      timeout: 300,
      when: 'always',
      allow_failure: true,
    });
    expect(await run(payload)).toEqual({ state: 'failed', reason: 'job_execution_timeout' });
    expect(heard.end).toMatchObject({ state: 'failed', failure_reason: 'job_execution_timeout' });
    expect(String(heard.trace)).toMatch(
      /begun\n[\s\S]*cleaned up\nERROR: Job failed: it took longer than 1 seconds\n$/,
    );
    expect(readdirSync(path.join(directory, 'builds'))).toEqual([]);
  });

  it('goes on while the server does not answer, and its log is whole', LONG, async () => {
    let failures = 0;
    heard.answer = (request, response) => {
      if (failures++ > 3) return false;
      if (request.method === 'PATCH' && failures % 2 === 1) request.socket.destroy();
      else response.writeHead(503).end();
      return true;
    };
    expect(await run(job(['for n in 1 2 3; do echo "line $n"; sleep 0.5; done']))).toEqual({ state: 'success' });
    expect(failures).toBeGreaterThan(3);
    expect(String(heard.trace)).toMatch(/line 1\nline 2\nline 3\nJob succeeded\n$/);
    expect(heard.end).toMatchObject({ state: 'success' });
  });

  it('sends again what the server lost of its log', LONG, async () => {
    let hasLost = false;
    heard.answer = () => {
      if (!hasLost && heard.trace.length > 40) {
        hasLost = true;
        heard.trace = heard.trace.subarray(0, 10);
      }
      return false;
    };
    expect(await run(job(['echo one', 'sleep 3', 'echo two']))).toEqual({ state: 'success' });
    expect(hasLost).toBe(true);
    expect(String(heard.trace)).toMatch(/^Running with[\s\S]*one\n[\s\S]*two\nJob succeeded\n$/);
  });

  it.each([
    [403, { 'Job-Status': 'canceled' }],
    [404, {}],
    [202, { 'Job-Status': 'canceled', Range: '0-0' }],
  ])('is given up when the server answers %i %j', async (status, headers) => {
    heard.answer = (request, response) => {
      if (request.method !== 'PATCH') return false;
      response.writeHead(status, headers).end();
      return true;
    };
    expect(await run(job(['sleep 1000']))).toEqual({ state: 'gone' });
    expect(heard.end).toBeNull();
    expect(readdirSync(path.join(directory, 'builds'))).toEqual([]);
  });

  it('that is stopped with the runner is reported as failed', LONG, async () => {
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 1_000);
    const payload = job(['sleep 1000'], { artifacts: [{ paths: ['.'], when: 'always' }] });
    expect(await run(payload, stopping.signal)).toEqual({ state: 'failed', reason: 'runner_system_failure' });
    expect(String(heard.trace)).toMatch(/ERROR: Job failed: the runner was stopped\n$/);
  });

  it('fails where artifacts that it depends on are refused or damaged', LONG, async () => {
    const dependencies = [{ id: 5, name: 'build', token: 'x', artifacts_file: { filename: 'a.zip', size: 1 } }];
    expect(await run(job(['echo never'], { dependencies }))).toMatchObject({ state: 'failed' });
    expect(String(heard.trace)).toContain('The server refused the download of artifacts with status 404.');
    expect(String(heard.trace)).not.toContain('$ echo never');
    const damaged = (await zip({ a: 'x'.repeat(1_000) })).subarray(0, 60);
    heard.trace = Buffer.alloc(0);
    heard.answer = ({ method }, response) => {
      if (method !== 'GET') return false;
      response.writeHead(200).end(damaged);
      return true;
    };
    expect(await run(job(['echo never'], { dependencies }))).toMatchObject({ state: 'failed' });
    expect(String(heard.trace)).not.toContain('$ echo never');
  });

  it('uploads artifacts when they are wanted: of success, of failure, always', LONG, async () => {
    const artifacts = ['on_success', 'on_failure', 'always'].map((when) => ({
      paths: ['*.txt'],
      when,
      expire_in: when,
    }));
    await run(job(['echo > a.txt'], { artifacts }));
    heard.trace = Buffer.alloc(0);
    await run(job(['echo > a.txt', 'exit 1'], { artifacts }));
    expect(heard.uploads.map((upload) => /expire_in=(\w+)/.exec(upload)?.[1])).toEqual([
      'on_success',
      'always',
      'on_failure',
      'always',
    ]);
  });

  it('fails when its artifacts are refused', LONG, async () => {
    heard.answer = ({ url = '' }, response) => {
      if (!url.includes('authorize')) return false;
      response.writeHead(413).end();
      return true;
    };
    const payload = job(['echo > a.txt'], { artifacts: [{ paths: ['a.txt'] }] });
    expect(await run(payload)).toEqual({ state: 'failed', reason: 'runner_system_failure' });
    expect(String(heard.trace)).toContain('ERROR: Job failed: The server refused the artifacts with status 413.');
    expect(heard.uploads).toEqual([]);
  });

  it('takes no repository that is not served over HTTP, and no commit that is none', async () => {
    const odd = { ref: 'master', sha: '1'.repeat(40), ref_type: 'branch' as const };
    for (const git_info of [
      { ...odd, repo_url: 'ext::sh -c touch% /tmp/pwned' },
      { ...odd, repo_url: 'file:///etc' },
      { ...odd, repo_url: 'http://127.0.0.1:1/app.git', sha: '--upload-pack=touch /tmp/pwned' },
    ]) {
      heard.trace = Buffer.alloc(0);
      expect(await run(job(['echo never'], { git_info, variables: [] }))).toMatchObject({ state: 'failed' });
      expect(String(heard.trace)).not.toContain('$ echo never');
    }
  });
});
