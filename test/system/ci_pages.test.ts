import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { launchChromium, type openContext } from '../support/chromium.ts';
import { faultsOfPages } from '../support/page_faults.ts';
import { type ServerProcess, startServer, until } from '../support/server_process.ts';
import { zip } from '../support/zip.ts';

let server: ServerProcess;
let browser: Browser;
/** The full path of a project with pipelines, artifacts, environments, schedules and runners, and IDs of those. */
let project = '';
const ids = { project: 0, pipeline: 0, schedule: 0, environment: 0, runner: 0 };
const jobs = new Map<string, number>();

const CONFIG = `
stages: [build, test, deploy]
compile: {stage: build, script: make, artifacts: {paths: [out]}}
lint: {stage: build, script: lint, allow_failure: true}
unit: {stage: test, script: test, needs: [compile], artifacts: {reports: {junit: junit.xml}}}
browser tests with a long name: {stage: test, script: test, needs: [compile, lint]}
package: {stage: deploy, script: pack, needs: [unit, compile]}
ship: {stage: deploy, script: ship, when: manual, needs: [compile], environment: {name: production, url: "https://example.org"}}
`;
const JUNIT = `<testsuite><testcase name="adds" classname="Maths" time="0.25"/><testcase name="divides" classname="Maths" time="1">
<failure>expected 2 to be 3</failure></testcase><testcase name="waits" classname="Clock"><skipped/></testcase></testsuite>`;

const LOG = [
  '\x1b[0KRunning with gantry-runner 17.5\x1b[0;m',
  'section_start:1700000000:prepare[collapsed=true]\r\x1b[0K\x1b[36;1mPreparing the environment\x1b[0;m',
  'Using an image',
  'section_end:1700000004:prepare\r\x1b[0Ksection_start:1700000004:script\r\x1b[0K\x1b[36;1mExecuting the script\x1b[0;m',
  '\x1b[32;1m$ make test\x1b[0;m',
  ...Array.from({ length: 1_200 }, (_, at) => `case ${at + 1}: ${at % 7 === 0 ? '\x1b[33mslow\x1b[0m' : 'ok'}`),
  '\x1b[31mexpected 2 to be 3\x1b[0m, in a line that is so long that it cannot fit into a narrow window without a break',
  'section_end:1700000100:script\r\x1b[0K',
  '\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m',
].join('\n');

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
  await fill();
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** What the REST API answers to the administrator. */
const api = (method: string, at: string, body?: object) => answerToAdministrator(server, method, at, body);

async function fill(): Promise<void> {
  const made = await api('POST', '/projects', { name: 'ci-pages' });
  ids.project = made.id;
  project = made.path_with_namespace;
  const at = `/projects/${ids.project}`;
  ids.runner = (
    await api('POST', '/user/runners', {
      runner_type: 'project_type',
      project_id: ids.project,
      description: 'Builder',
      tag_list: 'fast,linux',
    })
  ).id;
  const { token } = await api('POST', `/runners/${ids.runner}/reset_authentication_token`);
  await api('POST', `${at}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: CONFIG,
    commit_message: 'Add jobs',
  });
  ids.pipeline = await until(async () => (await api('GET', `${at}/pipelines`))[0]?.id);
  for (let waits = 0; waits < 40; ) {
    if (await runJob(token)) waits = 0;
    else {
      const { status } = await api('GET', `${at}/pipelines/${ids.pipeline}`);
      if (['failed', 'success'].includes(status)) break;
      waits += 1;
      await sleep(250);
    }
  }
  for (const { name, id } of await api('GET', `${at}/pipelines/${ids.pipeline}/jobs`)) jobs.set(name, id);
  const [{ sha }] = await api('GET', `${at}/pipelines`);
  await api('POST', `${at}/deployments`, { environment: 'staging', sha, ref: 'main', tag: false, status: 'success' });
  ids.environment = (await api('GET', `${at}/environments?name=staging`))[0].id;
  const schedule = { description: 'Nightly', ref: 'main', cron: '30 4 * * *', cron_timezone: 'Europe/Berlin' };
  ids.schedule = (await api('POST', `${at}/pipeline_schedules`, schedule)).id;
  await api('POST', `${at}/pipeline_schedules/${ids.schedule}/variables`, { key: 'TARGET', value: 'moon' });
}

/** Runs the next job as a runner would; false if there is none. */
async function runJob(token: string): Promise<boolean> {
  const info = {
    name: 'gantry-runner',
    version: '17.5.0',
    platform: 'linux',
    architecture: 'amd64',
    features: { upload_multiple_artifacts: true, upload_raw_artifacts: true, artifacts_exclude: true },
  };
  const body = JSON.stringify({ token, info });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${server.url}/api/v4/jobs/request`, { method: 'POST', headers, body });
  if (answer.status !== 201) return false;
  const job = await answer.json();
  const at = `${server.url}/api/v4/jobs/${job.id}`;
  const own = { 'JOB-TOKEN': job.token };
  const log = Buffer.from(LOG);
  const part = { ...own, 'Content-Type': 'text/plain', 'Content-Range': `0-${log.length}` };
  expect((await fetch(`${at}/trace`, { method: 'PATCH', headers: part, body: log })).status).toBe(202);
  const { name } = job.job_info;
  const send = async (file: Buffer, fileName: string, more: Record<string, string>) => {
    const form = new FormData();
    form.append('file', new File([new Uint8Array(file)], fileName));
    expect(
      (await fetch(`${at}/artifacts?${new URLSearchParams(more)}`, { method: 'POST', headers: own, body: form }))
        .status,
    ).toBe(201);
  };
  if (name === 'compile') {
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const files = {
      'out/app.txt': 'built\n'.repeat(40),
      'out/index.html': '<script>document.title = "run"</script>',
      'out/dot.png': picture,
      'README.txt': 'Read me',
    };
    await send(await zip(files), 'artifacts.zip', {
      artifact_type: 'archive',
      artifact_format: 'zip',
      expire_in: '2 days',
    });
  }
  if (name === 'unit') await send(gzipSync(JUNIT), 'junit.xml.gz', { artifact_type: 'junit', artifact_format: 'gzip' });
  const failed = name === 'unit' || name === 'lint';
  const state = {
    token: job.token,
    state: failed ? 'failed' : 'success',
    ...(failed && { failure_reason: 'script_failure', exit_code: 1 }),
  };
  expect((await fetch(at, { method: 'PUT', headers, body: JSON.stringify(state) })).status).toBe(200);
  return true;
}

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

/** All pages about pipelines, by name. */
function pages(): Record<string, string> {
  const at = `/${project}/-`;
  const job = `${at}/jobs/${jobs.get('unit')}`;
  const artifacts = `${at}/jobs/${jobs.get('compile')}/artifacts`;
  return {
    pipelines: `${at}/pipelines?status=failed`,
    pipeline: `${at}/pipelines/${ids.pipeline}`,
    test_report: `${at}/pipelines/${ids.pipeline}/test_report`,
    pipeline_variables: `${at}/pipelines/${ids.pipeline}/variables`,
    jobs: `${at}/jobs`,
    job,
    job_search: `${job}?search=slow&from=1`,
    job_with_artifacts: `${at}/jobs/${jobs.get('compile')}`,
    artifacts: `${artifacts}/browse`,
    artifacts_folder: `${artifacts}/browse/out`,
    artifact_text: `${artifacts}/file/out/index.html`,
    artifact_picture: `${artifacts}/file/out/dot.png`,
    artifacts_delete: `${artifacts}/delete`,
    schedules: `${at}/pipeline_schedules`,
    schedule: `${at}/pipeline_schedules/${ids.schedule}`,
    schedule_new: `${at}/pipeline_schedules/new`,
    schedule_edit: `${at}/pipeline_schedules/${ids.schedule}/edit`,
    schedule_delete: `${at}/pipeline_schedules/${ids.schedule}/delete`,
    environments: `${at}/environments`,
    environment: `${at}/environments/${ids.environment}`,
    environment_stop: `${at}/environments/${ids.environment}/stop`,
    lint: `${at}/ci/lint?ref=main`,
    charts: `${at}/pipelines/charts?interval=day`,
    runners: `${at}/runners`,
    runner_new: `${at}/runners/new`,
    runner_edit: `${at}/runners/${ids.runner}/edit`,
    runner_delete: `${at}/runners/${ids.runner}/delete`,
  };
}

it('every page about pipelines is there, fits wide and narrow windows, and has no fault that axe finds', async () => {
  const { page, context, troubles } = await signedIn();
  expect(await faultsOfPages(page, pages())).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
}, 300_000);

it('a log folds, leads to lines in other parts, and is read with scripts off', async () => {
  const { page, context, troubles } = await signedIn({ width: 1280 });
  const job = `/${project}/-/jobs/${jobs.get('unit')}`;
  await page.goto(`${job}?from=1`);
  expect(await page.getByText('Using an image').isVisible()).toBe(false);
  await page.getByText('Preparing the environment').click();
  expect(await page.getByText('Using an image').isVisible()).toBe(true);
  // The end of the log is shown, which has no line 12: the script leads to the part that has it.
  await page.goto(`${job}#L12`);
  await page.waitForURL(/from=12#L12$/);
  expect(await page.locator('#L12').getAttribute('class')).toContain('chosen');
  expect(troubles).toEqual([]);
  await context.close();
  const plain = await signedIn({ javaScriptEnabled: false });
  await plain.page.goto(`${job}?search=expected`);
  await plain.page.getByRole('link', { name: /^Line/ }).first().click();
  expect(await plain.page.getByRole('region', { name: 'Log' }).getByText('expected 2 to be 3').isVisible()).toBe(true);
  await plain.context.close();
});

it('a page of artifacts runs none of their scripts', async () => {
  const { page, context } = await signedIn({});
  await page.goto(`/${project}/-/jobs/${jobs.get('compile')}/artifacts/file/out/index.html`);
  expect(await page.title()).toContain('out/index.html');
  expect(await page.getByRole('region', { name: 'Content' }).innerText()).toContain('document.title');
  await context.close();
});
