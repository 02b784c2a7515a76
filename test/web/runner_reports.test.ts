// One part in depth, which the long run has.
// @module-tag long
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { registerRunner, type TestRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, api, projectWithJobs, pipelineOf } = await startRunnerWorld();

/** Uploads a report of a job as its runner does. */
async function upload(job: { id: number; token: string }, type: string, content: string | Buffer) {
  const body = new FormData();
  body.set('file', new Blob([gzipSync(content) as BlobPart]), `${type}.gz`);
  const answer = await fetch(
    `${world.url}/api/v4/jobs/${job.id}/artifacts?artifact_type=${type}&artifact_format=gzip`,
    {
      method: 'POST',
      headers: { 'JOB-TOKEN': job.token },
      body,
    },
  );
  return { status: answer.status, body: (await answer.json()) as Json };
}

async function takenFrom(config: string): Promise<{ runner: TestRunner; job: Json; project: { id: number } }> {
  const { project } = await projectWithJobs(config);
  const runner = await registerRunner(world);
  return { runner, job: await runner.take(), project };
}

const valuesOf = (job: Json, ...keys: string[]) =>
  Object.fromEntries(
    job.variables.filter(({ key }: Json) => keys.includes(key)).map(({ key, value }: Json) => [key, value]),
  );

describe('Reports in the file', () => {
  it('reach the runner as files of their own, whatever the result, and the archive only where there are files for it', async () => {
    const { job } = await takenFrom(`
unit:
  script: [x]
  artifacts:
    expire_in: 1 day
    reports:
      junit: [a.xml, 'b/*.xml']
      dotenv: build.env
      coverage_report: {coverage_format: cobertura, path: c.xml}
      codequality: gl.json`);
    const report = { untracked: false, when: 'always', expire_in: '1 day' };
    expect(job.artifacts).toEqual([
      { ...report, name: 'junit.xml', paths: ['a.xml', 'b/*.xml'], artifact_type: 'junit', artifact_format: 'gzip' },
      { ...report, name: '.env', paths: ['build.env'], artifact_type: 'dotenv', artifact_format: 'gzip' },
      {
        ...report,
        name: 'cobertura-coverage.xml',
        paths: ['c.xml'],
        artifact_type: 'cobertura',
        artifact_format: 'gzip',
      },
      {
        ...report,
        name: 'gl-code-quality-report.json',
        paths: ['gl.json'],
        artifact_type: 'codequality',
        artifact_format: 'raw',
      },
    ]);
  });

  it('of tests are those of the pipeline once they are uploaded', async () => {
    const { job, project } = await takenFrom('unit: {script: [x], artifacts: {reports: {junit: a.xml}}}');
    expect((await upload(job, 'junit', '<testsuite><testcase name="a" time="2"/></testsuite>')).status).toBe(201);
    const { id } = await pipelineOf(project.id);
    const { body } = await api.get(`/projects/${project.id}/pipelines/${id}/test_report_summary`);
    expect(body.total).toMatchObject({ time: 2, count: 1, success: 1 });
  });
});

describe('A dotenv report', () => {
  const DOTENV = 'artifacts: {reports: {dotenv: build.env}}';

  it('gives variables to jobs of later stages, which the file cannot override and the project can', async () => {
    const { runner, job, project } = await takenFrom(`
variables: {FROM_FILE: file, VERSION: file}
build: {stage: build, script: [x], ${DOTENV}}
deploy: {stage: deploy, script: [x]}`);
    await api.post(`/projects/${project.id}/variables`, { key: 'OVERRIDDEN', value: 'project' });
    const text =
      'VERSION=1.0\r\n  URL = https://example.org/?a=b \nQUOTED="x y"\nVERSION=1.1\nOVERRIDDEN=job\nEMPTY=\n';
    expect((await upload(job, 'dotenv', text)).status).toBe(201);
    await runner.update(job, 'success');
    const deploy = await runner.take();
    expect(deploy.job_info.name).toBe('deploy');
    const last = valuesOf(deploy, 'VERSION', 'URL', 'QUOTED', 'OVERRIDDEN', 'EMPTY', 'FROM_FILE');
    expect(last).toEqual({
      VERSION: '1.1',
      URL: 'https://example.org/?a=b',
      QUOTED: '"x y"',
      OVERRIDDEN: 'project',
      EMPTY: '',
      FROM_FILE: 'file',
    });
  });

  it('gives none to jobs that do not need it: with other needs, without artifacts, or with no dependencies', async () => {
    const { runner, job } = await takenFrom(`
build: {stage: build, script: [x], ${DOTENV}}
other: {stage: build, script: [x]}
needing: {stage: test, script: [x], needs: [build]}
elsewhere: {stage: test, script: [x], needs: [other]}
bare: {stage: test, script: [x], needs: [{job: build, artifacts: false}]}
alone: {stage: test, script: [x], dependencies: []}
listing: {stage: test, script: [x], dependencies: [build]}`);
    const seen: Record<string, unknown> = {};
    await upload(job, 'dotenv', 'A=1');
    await runner.update(job, 'success');
    await runner.runAll((taken) => {
      seen[taken.job_info.name] = valuesOf(taken, 'A').A;
      return 'success';
    });
    expect(seen).toEqual({
      other: undefined,
      needing: '1',
      elsewhere: undefined,
      bare: undefined,
      alone: undefined,
      listing: '1',
    });
  });

  it.each([
    ['a line without =', 'A=1\nB', 'Invalid Format'],
    ['a comment', '# comment\nA=1', 'Invalid Format'],
    ['an empty line', 'A=1\n\nB=2', 'Invalid Format'],
    ['a name that is none', 'A-B=1', 'Invalid Format'],
    ['bytes that are no text', Buffer.from([0x41, 0x3d, 0xff]), 'Invalid Format'],
    ['more than 5 KiB', `A=${'x'.repeat(5 * 1024)}`, 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120'],
    [
      'more than 20 variables',
      Array.from({ length: 21 }, (_, n) => `A${n}=1`).join('\n'),
      'Dotenv files cannot have more than 20 variables',
    ],
  ])('is refused with %s', async (_what, content, message) => {
    const { job } = await takenFrom(`build: {script: [x], ${DOTENV}}`);
    expect(await upload(job, 'dotenv', content)).toEqual({ status: 400, body: { message } });
    expect(await world.db.jobReport.count({ where: { jobId: job.id } })).toBe(0);
  });

  it('may be in UTF-16, or empty', async () => {
    const { runner, job } = await takenFrom(
      `build: {stage: build, script: [x], ${DOTENV}}\nnext: {stage: test, script: [x]}`,
    );
    expect((await upload(job, 'dotenv', Buffer.from('\ufeffA=ü', 'utf16le'))).status).toBe(201);
    await runner.update(job, 'success');
    const next = await runner.take();
    expect(valuesOf(next, 'A')).toEqual({ A: 'ü' });
    expect((await upload(next, 'dotenv', '')).status).toBe(201);
  });
});
