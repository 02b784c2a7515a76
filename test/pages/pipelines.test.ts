import { expect, it } from 'vitest';
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
  expect(browser.page).toContain('<span class="ansi-red">&lt;script&gt;alert(1)&lt;/script&gt;</span> done');
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
  expect((await browser.submit(`${path}/erase`)).headers.location).toBe(path);
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

it('asks visitors to sign in, and takes as many statements for many pipelines as for few', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const path = `/${project.fullPath}/-/pipelines`;
  const visitor = new Browser(world.send);
  expect((await visitor.get(path)).headers.location).toBe(`/users/sign_in?return_to=${encodeURIComponent(path)}`);
  await takenJob(world, owner, project);
  const browser = await signedIn(world, owner);
  const few = await world.statements(() => browser.get(path));
  for (let at = 0; at < 3; at++) await takenJob(world, owner, project);
  const many = await world.statements(() => browser.get(path));
  expect(many).toHaveLength(few.length);
});
