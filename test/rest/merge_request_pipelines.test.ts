// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { createVersionPipeline } from '#src/domain/tracking/merge_requests/create_pipeline.ts';
import { clone, run } from '../support/git_client.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { registerRunner } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, owner } = await startRunnerWorld();
const developer = await world.user();
const reporter = await world.user();
const forker = await world.user();

const CONFIG = `
always: { script: build }
reviewed: { script: review, only: [merge_requests] }
released: { script: release, only: [branches, tags, topic] }
both: { script: both, only: [branches, merge_requests] }
never: { script: never, only: [merge_requests], except: [merge_requests] }
`;

/** A project with a merge request of the developer, whose head has this file. */
async function stage(config: string | null = CONFIG, values: Json = {}) {
  const project = await world.project({ owner, visibility: 'public' });
  await withTopic(world, project, owner);
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const sha = config === null ? null : await commitTo(world, project, owner, 'topic', '.gitlab-ci.yml', config);
  await world.idle();
  const { id, iid } = await opened(world, project, developer, values);
  await world.idle();
  return { project, sha, id, iid, at: `/projects/${project.id}/merge_requests/${iid}` };
}

const jobsOf = async (pipelineId: number) =>
  (await world.db.job.findMany({ where: { pipelineId }, orderBy: { name: 'asc' } })).map(({ name }) => name);

describe('A pipeline of a merge request', () => {
  it('has the jobs for merge requests alone, and is the head pipeline and in the list', LONG, async () => {
    const { project, sha, iid, at } = await stage();
    const [first, pushed] = (await world.api(developer).get(`${at}/pipelines`)).body;
    expect(await jobsOf(pushed.id)).toEqual(['always', 'both', 'released']);
    expect(await jobsOf(first.id)).toEqual(['both', 'reviewed']);
    const { status, body } = await world.api(developer).post(`${at}/pipelines`);
    expect([status, body.ref, body.sha]).toEqual([200, `refs/merge-requests/${iid}/head`, sha]);
    expect(await jobsOf(body.id)).toEqual(['both', 'reviewed']);
    const { body: record } = await world.api(reporter).get(at);
    expect([record.head_pipeline.id, record.pipeline.source]).toEqual([body.id, 'merge_request_event']);
    const { body: listed } = await world.api(reporter).get(`${at}/pipelines`);
    expect(listed.map(({ id, source }: Json) => [id, source])).toEqual([
      [body.id, 'merge_request_event'],
      [first.id, 'merge_request_event'],
      [pushed.id, 'push'],
    ]);
    // Another merge request of the same commit does not have it.
    const other = await opened(world, project, developer, { targetBranch: 'topic', sourceBranch: 'master' });
    expect(
      (await world.api(reporter).get(`/projects/${project.id}/merge_requests/${other.iid}/pipelines`)).body,
    ).toEqual([]);
  });

  it('is asked for without waiting for a record', async () => {
    const { id, at } = await stage();
    const { status, body } = await world.api(developer).post(`${at}/pipelines`, { async: true });
    expect([status, body]).toEqual([202, null]);
    // The first one came with the merge request.
    expect(await world.db.pipeline.count({ where: { mergeRequestId: id } })).toBe(2);
  });

  it('is not made of nothing, nor of an invalid file, nor for what is closed', LONG, async () => {
    const without = { status: 405, body: { message: '405 Method Not Allowed' } };
    const none = await stage(null);
    expect(await world.api(developer).post(`${none.at}/pipelines`)).toMatchObject(without);
    const others = await stage('always: { script: build }');
    expect(await world.api(developer).post(`${others.at}/pipelines`)).toMatchObject(without);
    const invalid = await stage('always: { script: 1');
    expect(await world.api(developer).post(`${invalid.at}/pipelines`)).toMatchObject({
      status: 400,
      body: { message: { base: [expect.any(String)] } },
    });
    const closed = await stage();
    await world.api(developer).put(closed.at, { state_event: 'close' });
    expect(await world.api(developer).post(`${closed.at}/pipelines`)).toMatchObject(without);
    expect(await world.db.pipeline.count({ where: { mergeRequestId: { in: [none.id, others.id, invalid.id] } } })).toBe(
      0,
    );
    expect(await world.db.pipeline.count({ where: { mergeRequestId: closed.id } })).toBe(1);
  });

  it('is for developers of the project that the changes come from', LONG, async () => {
    const { at, project } = await stage();
    expect((await world.api(reporter).post(`${at}/pipelines`)).status).toBe(403);
    const { body: fork } = await world.api(forker).post(`/projects/${project.id}/fork`);
    await world.idle();
    const { iid, id } = await opened(world, fork, forker, { targetProject: project.id });
    await world.idle();
    expect(await world.db.pipeline.findMany({ where: { mergeRequestId: id } })).toMatchObject([{ projectId: fork.id }]);
    const ofFork = `/projects/${project.id}/merge_requests/${iid}`;
    // What a fork brings does not run with what the project has, even for its developers.
    expect((await world.api(developer).post(`${ofFork}/pipelines`)).status).toBe(403);
    expect(await world.db.pipeline.count({ where: { mergeRequestId: id } })).toBe(1);
    const { status, body } = await world.api(forker).post(`${ofFork}/pipelines`);
    expect([status, body.ref]).toEqual([200, 'topic']);
    expect(await world.db.pipeline.findUnique({ where: { id: body.id } })).toMatchObject({ projectId: fork.id });
    expect((await world.api(forker).get(ofFork)).body.head_pipeline.id).toBe(body.id);
  });

  it('is fetched by runners, with the variables of the merge request and without protected ones', LONG, async () => {
    const { project, sha, id, iid, at } = await stage('reviewed: { script: review, only: [merge_requests] }', {
      title: 'A title',
      description: 'x'.repeat(2_701),
      labels: ['b', 'a'],
      assigneeIds: [developer.id, reporter.id],
    });
    const protections = ['*', 'topic', 'master'].map((name) => ({ projectId: project.id, name }));
    await world.db.protectedBranch.createMany({ data: protections, skipDuplicates: true });
    const variables = `/projects/${project.id}/variables`;
    await world.api(owner).post(variables, { key: 'OPEN', value: 'open' });
    await world.api(owner).post(variables, { key: 'SECRET', value: 'secret', protected: true });
    const runner = await registerRunner(world, {});
    await runner.runAll();
    const { body: pipeline } = await world.api(owner).post(`${at}/pipelines`);
    const payload = await runner.take();
    const spec = `+refs/merge-requests/${iid}/head:refs/merge-requests/${iid}/head`;
    expect(payload.git_info).toMatchObject({
      ref: `refs/merge-requests/${iid}/head`,
      sha,
      refspecs: [`+${sha}:refs/pipelines/${pipeline.id}`, spec],
    });
    const given = Object.fromEntries(payload.variables.map(({ key, value }: Json) => [key, value]));
    expect(given).toMatchObject({
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_COMMIT_REF_NAME: 'topic',
      CI_MERGE_REQUEST_ID: String(id),
      CI_MERGE_REQUEST_IID: String(iid),
      CI_MERGE_REQUEST_PROJECT_PATH: project.fullPath,
      CI_MERGE_REQUEST_PROJECT_URL: `${world.url}/${project.fullPath}`,
      CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${iid}/head`,
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'topic',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(project.id),
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'master',
      CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: 'true',
      CI_MERGE_REQUEST_TITLE: 'A title',
      CI_MERGE_REQUEST_DESCRIPTION: 'x'.repeat(2_700),
      CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: 'true',
      CI_MERGE_REQUEST_LABELS: 'a,b',
      CI_MERGE_REQUEST_ASSIGNEES: `${developer.username}, ${reporter.username}`,
      CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: expect.stringMatching(/^[0-9a-f]{40}$/),
      OPEN: 'open',
    });
    expect(Object.keys(given)).not.toContain('SECRET');
    const work = await clone(payload.git_info.repo_url, '--no-checkout');
    await run(work, 'fetch', '--quiet', 'origin', ...payload.git_info.refspecs);
    expect(await run(work, 'rev-parse', `refs/merge-requests/${iid}/head`)).toBe(sha);
  });

  it('is waited for by an automatic merge', LONG, async () => {
    const { at } = await stage('reviewed: { script: review, only: [merge_requests] }');
    const { body: pipeline } = await world.api(owner).post(`${at}/pipelines`);
    const asked = await world.api(owner).put(`${at}/merge`, { merge_when_pipeline_succeeds: true });
    expect([asked.status, asked.body.state, asked.body.merge_when_pipeline_succeeds]).toEqual([200, 'opened', true]);
    const runner = await registerRunner(world, {});
    expect(await runner.runAll()).toEqual(['reviewed', 'reviewed']);
    await world.until(async () => (await world.api(owner).get(at)).body.state === 'merged', 10_000);
    expect((await world.db.pipeline.findUnique({ where: { id: pipeline.id } }))?.status).toBe('success');
  });

  it('is made when the merge request is opened, and for each new commit of it', LONG, async () => {
    const text = `
workflow: { rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] }
changed: { script: x, rules: [{ changes: [docs/*] }] }
review: { script: x }
`;
    const { project, id, sha } = await stage(text);
    const pipelines = () => world.db.pipeline.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
    // The branch has none, as the workflow rules it out.
    expect(await pipelines()).toMatchObject([{ mergeRequestId: id, sha }]);
    const skipped = await commitTo(world, project, developer, 'topic', 'b', 'b', '[skip ci]');
    await world.idle();
    const next = await commitTo(world, project, developer, 'topic', 'docs/a', 'a');
    await world.idle();
    const made = await pipelines();
    expect(made).toMatchObject([{ sha }, { sha: next, userId: developer.id, mergeRequestId: id }]);
    expect(made.map((one) => one.sha)).not.toContain(skipped);
    expect(await Promise.all(made.map((one) => jobsOf(one.id)))).toEqual([['review'], ['changed', 'review']]);
  });

  it('is not made for somebody who has lost the right since, or of what is not the latest any more', LONG, async () => {
    const { id, sha = null } = await stage();
    if (sha === null) throw new Error('no commit');
    const count = () => world.db.pipeline.count({ where: { mergeRequestId: id } });
    await world.db.pipeline.deleteMany({ where: { mergeRequestId: id } });
    await createVersionPipeline(world.as(reporter), { mergeRequestId: id, sha, userId: reporter.id });
    await createVersionPipeline(world.as(owner), { mergeRequestId: id, sha: '1'.repeat(40), userId: owner.id });
    expect(await count()).toBe(0);
    await createVersionPipeline(world.as(owner), { mergeRequestId: id, sha, userId: owner.id });
    await createVersionPipeline(world.as(owner), { mergeRequestId: id, sha, userId: owner.id });
    expect(await count()).toBe(1);
  });
});
