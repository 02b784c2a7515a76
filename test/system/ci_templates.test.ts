import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { answerToAdministrator } from '../support/administrator.ts';
import type { Json } from '../support/http.ts';
import {
  gantry,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
  until,
} from '../support/server_process.ts';

const scratch = scratchDirectory();
let server: ServerProcess;
let runner: ReturnType<typeof spawn>;

const api = (method: string, at: string, body?: object) => answerToAdministrator(server, method, at, body);

beforeAll(async () => {
  const env = settings(path.join(scratch.directory, 'data'));
  server = await startServer(env, ['--ephemeral']);
  const config = path.join(scratch.directory, 'runner.json');
  const { token } = await api('POST', '/user/runners', { runner_type: 'instance_type' });
  const args = ['--url', server.url, '--registration-token', token, '--config', config];
  expect(await gantry(['runner', 'register', ...args], env)).toMatchObject({ status: 0 });
  // Where there are containers, the jobs would wait for images: this runner has none.
  const tools = path.dirname(process.execPath);
  runner = spawn(process.execPath, [packagePath('bin/gantry.js'), 'runner', 'run', '--config', config], {
    env: { PATH: `${tools}:/usr/bin:/bin`, HOME: scratch.directory, npm_config_offline: 'true' },
    cwd: scratch.directory,
    stdio: 'ignore',
  });
}, 240_000);

afterAll(async () => {
  const ended = once(runner, 'close');
  runner.kill('SIGTERM');
  await ended;
  await server.end('SIGTERM');
  scratch.remove();
});

/** The jobs of a pipeline, once each of those has ended. */
function ended(project: number, pipeline: number, names: readonly string[]): Promise<Json[]> {
  return until(async () => {
    const jobs: Json[] = await api('GET', `/projects/${project}/pipelines/${pipeline}/jobs?per_page=100`);
    const isOver = ({ name, status }: Json) => !names.includes(name) || ['success', 'failed'].includes(status);
    return jobs.every(isOver) ? jobs : undefined;
  });
}

const manifest = { name: 'templated', version: '1.0.0', scripts: { test: 'node test.js', build: 'node test.js' } };
const lock = { name: 'templated', version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': manifest } };

describe('A template of a CI file runs in a shell', { timeout: 300_000 }, () => {
  it.each([
    ['Getting-Started', {}, ['build-job', 'unit-test-job', 'lint-job', 'deploy-job'], 'Put the program into place'],
    ['Bash', { 'test.sh': 'echo "tested by $BASH_VERSION"\n' }, ['test'], 'tested by '],
    ['Pages', { 'site/index.html': '<p>Hello</p>\n' }, ['pages'], 'Uploading'],
    [
      'Nodejs',
      {
        'package.json': JSON.stringify(manifest),
        'package-lock.json': JSON.stringify(lock),
        'test.js': 'console.log("tested");\n',
      },
      ['test', 'build'],
      'tested',
    ],
  ])('%s', async (template, files: Record<string, string>, names, printed) => {
    const { content } = await api('GET', `/templates/gitlab_ci_ymls/${template}`);
    const { id } = await api('POST', '/projects', { name: `of-${template}` });
    const all = Object.entries({ ...files, '.gitlab-ci.yml': content });
    await api('POST', `/projects/${id}/repository/commits`, {
      branch: 'master',
      commit_message: 'Begin with a template',
      actions: all.map(([file_path, text]) => ({ action: 'create', file_path, content: text })),
    });
    const pipeline = await until(async () => (await api('GET', `/projects/${id}/pipelines`))[0]);
    const jobs = await ended(id, pipeline.id, names);
    const ran = jobs.filter(({ name }) => names.includes(name));
    expect(ran.map(({ name, status }) => [name, status]).sort()).toEqual(names.map((name) => [name, 'success']).sort());
    const last = ran.find(({ name }) => name === names.at(-1));
    const log = await fetch(`${server.url}/api/v4/projects/${id}/jobs/${last?.id}/trace`, {
      headers: { 'PRIVATE-TOKEN': /Private token:\s+(\S+)/.exec(server.output())?.[1] ?? '' },
    });
    expect(await log.text()).toContain(printed);
  });
});
