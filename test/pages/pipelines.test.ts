// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { encryptVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import { storeReport } from '../support/artifacts.ts';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

async function print(job: { id: number; token: string }, text: string) {
  const headers = {
    'Content-Type': 'text/plain',
    'Content-Range': `0-${Buffer.byteLength(text)}`,
    'JOB-TOKEN': job.token,
  };
  expect((await world.send('PATCH', `/api/v4/jobs/${job.id}/trace`, { headers, body: text })).status).toBe(202);
}

it('lists pipelines with their states, and leads to their stages and jobs', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'internal' });
  const job = await takenJob(world, owner, project, { name: '<b>unit</b>' });
  const elsewhere = await takenJob(world, owner, await world.project({ owner }), { name: 'decoy' });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/pipelines`);
  expect(browser.page).toContain(`/-/pipelines/${job.pipelineId}`);
  expect(browser.page).not.toContain(`/-/pipelines/${elsewhere.pipelineId}"`);
  expect(browser.page).toContain('data-status="running"');
  await browser.get(`/${project.fullPath}/-/pipelines/${job.pipelineId}`);
  expect(browser.page).toContain('<h2>stage 0</h2>');
  expect(browser.page).not.toContain('class="graph"');
  expect(browser.page).toContain('&lt;b&gt;unit&lt;/b&gt;');
  expect(browser.page).not.toContain('<b>unit');
  await browser.get(`/${project.fullPath}/-/jobs`);
  expect(browser.page).toContain(`/-/jobs/${job.id}`);
  expect((await browser.get(`/${project.fullPath}/-/pipelines/${elsewhere.pipelineId}`)).status).toBe(404);
  expect((await browser.get(`/${project.fullPath}/-/jobs/${elsewhere.id}`)).status).toBe(404);
  expect((await browser.get(`/${project.fullPath}/pipelines`)).headers.location).toBe(
    `/${project.fullPath}/-/pipelines`,
  );
});

it('shows which pipelines a pipeline starts, from both ends, and jobs that wait', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const by = { projectId: project.id, userId: owner.id };
  const place = { ref: 'master', sha: '1'.repeat(40) };
  const parent = await world.db.pipeline.create({
    data: { ...by, ...place, source: 'api', status: 'waiting_for_resource' },
  });
  const data = { ...by, pipelineId: parent.id, stage: 'test', stageIndex: 0 };
  const bridge = await world.db.job.create({ data: { ...data, name: 'start-it', bridge: true, status: 'success' } });
  await world.db.job.create({ data: { ...data, name: 'later', status: 'scheduled' } });
  const failed = {
    ...data,
    name: 'failing',
    bridge: true,
    status: 'failed',
    failureReason: 'pipeline_loop_detected',
  } as const;
  const { id: failedId } = await world.db.job.create({ data: failed });
  const child = await world.db.pipeline.create({
    data: { ...by, ...place, source: 'parent_pipeline', sourceJobId: bridge.id, status: 'failed' },
  });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/pipelines`;
  await browser.get(`${at}/${parent.id}`);
  for (const text of ['start-it', `${at}/${child.id}"`, 'delayed', 'waiting']) expect(browser.page).toContain(text);
  await browser.get(`${at}/${child.id}`);
  expect(browser.page).toContain(`${at}/${parent.id}"`);
  await browser.get(at);
  expect(browser.page).not.toContain(`${at}/${child.id}"`);
  await browser.get(`/${project.fullPath}/-/jobs/${failedId}`);
  expect(browser.page).toContain('led to its own');
});

it('shows the log of a job with its colors, and markup in it as text', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const job = await takenJob(world, owner, project);
  const browser = await signedIn(world, owner);
  const path = `/${project.fullPath}/-/jobs/${job.id}`;
  await browser.get(path);
  expect(browser.page).toContain('data-live');
  await print(job, '\x1b[31m<script>alert(1)</script>\x1b[0m done');
  await endJob(world, job.id, 'failed');
  await browser.get(path);
  expect(browser.page).toContain(
    '<a href="#L1">1</a><span><span class="ansi-red">&lt;script&gt;alert(1)&lt;/script&gt;</span> done</span>',
  );
  expect(browser.page).not.toContain('data-live');
});

it('offers to retry, cancel and erase to those who may, and does it', async () => {
  const [owner, guest] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'internal' });
  const job = await takenJob(world, owner, project);
  await print(job, 'Some output');
  const path = `/${project.fullPath}/-/jobs/${job.id}`;
  const other = await signedIn(world, guest);
  await other.get(path);
  expect(other.answer.status).toBe(200);
  expect(other.page).not.toContain(`action="${path}/`);
  expect((await other.submit(`${path}/cancel`)).status).not.toBe(303);
  expect(await world.db.job.findUnique({ where: { id: job.id } })).toMatchObject({ status: 'running' });
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).toContain(`action="${path}/cancel"`);
  expect((await browser.submit(`${path}/cancel`)).headers.location).toBe(path);
  await browser.follow();
  expect(browser.page).toContain('data-status="canceled"');
  expect(browser.page).toContain(`action="${path}/retry"`);
  const again = await browser.submit(`${path}/retry`);
  expect(again.headers.location).toMatch(new RegExp(`^/${project.fullPath}/-/jobs/\\d+$`));
  expect(again.headers.location).not.toBe(path);
  await browser.get(path);
  expect((await browser.confirm(`${path}/erase`)).headers.location).toBe(path);
  await browser.follow();
  expect(browser.page).toContain('The log was erased');
});

it('tells beside the form why a pipeline cannot start', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/pipelines`);
  expect(browser.page).toContain('Run pipeline');
  await browser.submit(`/${project.fullPath}/-/pipelines`, { ref: 'no-such-branch' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toContain('value="no-such-branch"');
  expect(browser.page).toMatch(/class="notice problem" role="alert"/);
});

it('is open to visitors of a public project, and takes as many statements for many pipelines as for few', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const path = `/${project.fullPath}/-/pipelines`;
  const visitor = new Browser(world.send);
  expect((await visitor.get(path)).status).toBe(200);
  await takenJob(world, owner, project);
  const browser = await signedIn(world, owner);
  const few = await world.statements(() => browser.get(path));
  for (let at = 0; at < 3; at++) await takenJob(world, owner, project);
  const many = await world.statements(() => browser.get(path));
  expect(many).toHaveLength(few.length);
});

it('filters pipelines by status, ref, source and user, together with the scope', async () => {
  const [owner, other] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  const of = (data: object) =>
    world.db.pipeline.create({
      data: {
        ...{
          projectId: project.id,
          userId: owner.id,
          ref: 'main',
          sha: '1'.repeat(40),
          source: 'push',
          status: 'success',
        },
        ...data,
      },
    });
  const ids = {
    plain: (await of({})).id,
    failed: (await of({ status: 'failed' })).id,
    ref: (await of({ ref: 'feature/x' })).id,
    source: (await of({ source: 'schedule' })).id,
    user: (await of({ userId: other.id })).id,
  };
  const browser = await signedIn(world, owner);
  const shownFor = async (query: string) => {
    await browser.get(`/${project.fullPath}/-/pipelines?${query}`);
    expect(browser.answer.status).toBe(200);
    const found = new Set([...browser.page.matchAll(/\/-\/pipelines\/(\d+)"/g)].map(([, id]) => Number(id)));
    return Object.entries(ids).flatMap(([name, id]) => (found.has(id) ? [name] : []));
  };
  expect(await shownFor('')).toEqual(['plain', 'failed', 'ref', 'source', 'user']);
  expect(await shownFor('status=failed')).toEqual(['failed']);
  expect(browser.page).toContain('<option value="failed" selected>');
  expect(await shownFor('ref=feature/x&status=')).toEqual(['ref']);
  expect(await shownFor('source=schedule')).toEqual(['source']);
  expect(await shownFor(`username=${other.username}`)).toEqual(['user']);
  expect(await shownFor(`username=${other.username}&status=failed`)).toEqual([]);
  expect(await shownFor('scope=finished&status=failed')).toEqual(['failed']);
  expect(browser.page).toContain('name="scope" value="finished"');
});

it('draws which jobs need which with links, and says the same in words', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const by = { projectId: project.id, userId: owner.id };
  const { id: pipelineId } = await world.db.pipeline.create({
    data: { ...by, ref: 'main', sha: '1'.repeat(40), source: 'push', status: 'running' },
  });
  const data = { ...by, pipelineId, stageIndex: 0 };
  const first = await world.db.job.create({ data: { ...data, name: '<compile>', stage: 'build', status: 'success' } });
  const unit = await world.db.job.create({
    data: { ...data, name: 'unit', stage: 'test', needs: ['<compile>'], status: 'running' },
  });
  await world.db.job.create({
    data: { ...data, name: 'old', stage: 'test', needs: ['<compile>'], status: 'failed', retried: true },
  });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/pipelines/${pipelineId}`);
  expect(browser.page).not.toContain('class="graph"');
  expect(browser.page).toContain(`/-/pipelines/${pipelineId}?view=graph`);
  await browser.get(`/${project.fullPath}/-/pipelines/${pipelineId}?view=graph`);
  const svg = /<svg[^>]*role="group"[\s\S]*?<\/svg>/.exec(browser.page)?.[0] ?? '';
  expect(svg.match(/class="graph-edge"/g)).toHaveLength(1);
  expect(svg).toContain(`href="/${project.fullPath}/-/jobs/${first.id}" aria-label="&lt;compile&gt;: passed"`);
  expect(svg).toContain(
    `href="/${project.fullPath}/-/jobs/${unit.id}" aria-label="unit: running, needs &lt;compile&gt;"`,
  );
  expect(svg).not.toContain('old');
  expect(svg).not.toMatch(/<compile>/);
});

it('runs, retries and cancels jobs in place, for those who may', async () => {
  const [owner, guest] = [await world.user(), await world.user()];
  const project = await world.project({ owner, visibility: 'internal' });
  const running = await takenJob(world, owner, project);
  const by = {
    projectId: project.id,
    userId: owner.id,
    pipelineId: running.pipelineId,
    stage: 'deploy',
    stageIndex: 1,
  };
  const manual = await world.db.job.create({ data: { ...by, name: 'ship', status: 'manual', when: 'manual' } });
  const at = `/${project.fullPath}/-/pipelines/${running.pipelineId}`;
  const visitor = await signedIn(world, guest);
  await visitor.get(at);
  expect(visitor.page).not.toContain(`${at}/jobs/`);
  expect((await visitor.submit(`${at}/jobs/${manual.id}/play`)).status).not.toBe(303);
  expect((await world.db.job.findUniqueOrThrow({ where: { id: manual.id } })).status).toBe('manual');
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain(`action="${at}/jobs/${manual.id}/play"`);
  expect((await browser.submit(`${at}/jobs/${manual.id}/play`)).headers.location).toBe(at);
  expect((await world.db.job.findUniqueOrThrow({ where: { id: manual.id } })).status).not.toBe('manual');
  expect((await browser.submit(`${at}/jobs/${running.id}/cancel`)).headers.location).toBe(at);
  await browser.follow();
  expect(browser.page).toContain(`action="${at}/jobs/${running.id}/retry"`);
  expect((await browser.submit(`${at}/jobs/${running.id}/retry`)).headers.location).toBe(at);
  expect(await world.db.job.count({ where: { pipelineId: running.pipelineId, name: 'unit' } })).toBe(2);
});

it('tells where a pipeline came from, and shows the last lines of what failed', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const schedule = await world.db.pipelineSchedule.create({
    data: {
      projectId: project.id,
      ownerId: owner.id,
      description: 'Nightly <b>',
      ref: 'refs/heads/main',
      cron: '0 4 * * *',
    },
  });
  const job = await takenJob(world, owner, project);
  const good = await takenJob(world, owner, project, { name: 'good', pipelineId: job.pipelineId });
  await print(
    job,
    `${Array.from({ length: 50 }, (_, at) => `step ${at + 1}.`).join('\n')}\n\x1b[31mbroken & <lost>\x1b[0m\n`,
  );
  await print(good, 'all is well');
  await endJob(world, job.id, 'failed');
  await endJob(world, good.id, 'success');
  await world.db.pipeline.update({
    where: { id: job.pipelineId },
    data: { source: 'schedule', scheduleId: schedule.id, status: 'failed' },
  });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/pipelines/${job.pipelineId}`);
  expect(browser.page).toContain(`/-/pipeline_schedules/${schedule.id}">Nightly &lt;b&gt;</a>`);
  expect(browser.page).toContain('step 50.\nbroken &amp; &lt;lost&gt;</pre>');
  expect(browser.page).not.toContain('step 20.');
  expect(browser.page).not.toContain('all is well');
});

it('shows the keys of variables to those who may know them, and the values on a page of their own', async () => {
  const [owner, developer] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  const { id } = await world.db.pipeline.create({
    data: {
      ...{
        projectId: project.id,
        userId: owner.id,
        ref: 'main',
        sha: '1'.repeat(40),
        source: 'api',
        status: 'success',
      },
      variablesEncrypted: encryptVariables(
        [{ key: 'TARGET', value: 'moon-base', isFile: false, raw: false }],
        world.as(owner).secret,
      ),
    },
  });
  const at = `/${project.fullPath}/-/pipelines/${id}`;
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain('TARGET');
  expect(browser.page).not.toContain('moon-base');
  await browser.get(`${at}/variables`);
  expect(browser.page).toContain('moon-base');
  const other = await signedIn(world, developer);
  await other.get(at);
  expect(other.answer.status).toBe(200);
  expect(other.page).not.toContain('TARGET');
  expect((await other.get(`${at}/variables`)).status).toBe(403);
});

const JUNIT = `<testsuite>
  <testcase name="adds &lt;numbers&gt;" classname="Maths" time="0.5"/>
  <testcase name="divides" classname="Maths" time="1"><failure>expected 2 &lt; 1</failure></testcase>
  <testcase name="waits" classname="Clock"><skipped/></testcase></testsuite>`;

it('shows the tests of a pipeline by suite, and those that failed with their output', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const job = await takenJob(world, owner, project, { name: 'unit' });
  const other = await takenJob(world, owner, project, { name: 'browser', pipelineId: job.pipelineId });
  const report = (id: number, text: string) => storeReport(world, { id, projectId: project.id }, 'junit', text);
  await report(job.id, JUNIT);
  await report(other.id, '<testsuite><testcase name="opens" classname="Page" time="2"/></testsuite>');
  for (const id of [job.id, other.id]) await endJob(world, id);
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/pipelines/${job.pipelineId}/test_report`;
  await browser.get(at);
  expect(browser.page).toContain('4 tests: 2 passed, 1 failed, 0 with errors, 1 skipped');
  for (const text of ['adds &lt;numbers&gt;', 'divides', 'expected 2 &lt; 1', 'opens'])
    expect(browser.page).toContain(text);
  await browser.get(`${at}?failed=true`);
  expect(browser.page).toContain('divides');
  for (const text of ['adds &lt;numbers&gt;', 'waits', 'opens']) expect(browser.page).not.toContain(text);
  await browser.get(`${at}?suite=browser`);
  expect(browser.page).toContain('opens');
  expect(browser.page).not.toContain('divides');
  await browser.get(
    `/${project.fullPath}/-/pipelines/${(await takenJob(world, owner, project)).pipelineId}/test_report`,
  );
  expect(browser.page).toContain('No job of the pipeline reported tests');
});
