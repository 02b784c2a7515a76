// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { detailedMergeStatus } from '#src/domain/tracking/merge_requests/mergeable.ts';
import { createNote } from '#src/domain/tracking/notes/create.ts';
import { taskItems } from '#src/domain/tracking/subjects/task_items.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const outsider = await world.user();

async function stage(namespaceId?: number) {
  const place = namespaceId === undefined ? {} : { namespaceId };
  const project = await world.project({ owner, visibility: 'public', ...place });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const head = await withTopic(world, project, owner);
  return { project, head, at: `/projects/${project.id}/merge_requests` };
}

const pipelineFor = (projectId: number, ref: string, sha: string, status: JobStatus) =>
  world.db.pipeline.create({ data: { projectId, ref, sha, status, source: 'push', userId: owner.id, coverage: 71.5 } });

describe('A merge request', () => {
  it('says who closed it and when, until it is opened again', LONG, async () => {
    const { project, at } = await stage();
    const { iid } = await opened(world, project, owner);
    const show = async () => (await world.api(reporter).get(`${at}/${iid}`)).body;
    expect(await show()).toMatchObject({ closed_by: null, closed_at: null, merged_by: null, merged_at: null });
    await world.api(developer).put(`${at}/${iid}`, { state_event: 'close' });
    const closed = await show();
    expect(closed).toMatchObject({ closed_by: { id: developer.id }, merged_at: null, merge_user: null });
    expect(Math.abs(Date.now() - Date.parse(closed.closed_at))).toBeLessThan(60_000);
    expect(closed.detailed_merge_status).toBe('not_open');
    await world.api(owner).put(`${at}/${iid}`, { state_event: 'reopen' });
    expect(await show()).toMatchObject({ closed_by: null, closed_at: null });
    await world.api(owner).put(`${at}/${iid}/merge`);
    const merged = await show();
    expect(merged).toMatchObject({ merged_by: { id: owner.id }, merge_user: { id: owner.id }, closed_at: null });
    expect(Math.abs(Date.now() - Date.parse(merged.merged_at))).toBeLessThan(60_000);
  });

  it('has its changes, references, times and tasks in its record', LONG, async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const { project, head, at } = await stage(group.id);
    const description = '- [x] one\n  1. [ ] two\n\n```\n- [x] code\n```\n* [X] three\n- [y] none';
    const { iid } = await opened(world, project, owner, { description });
    await world.api(owner).post(`${at}/${iid}/time_estimate`, { duration: '1h' });
    const { body } = await world.api(reporter).get(`${at}/${iid}?include_rebase_in_progress=true`);
    const full = `${project.fullPath}!${iid}`;
    expect(body).toMatchObject({
      reference: `!${iid}`,
      references: { short: `!${iid}`, relative: `!${iid}`, full },
      changes_count: '1',
      diff_refs: { head_sha: head, base_sha: expect.any(String), start_sha: expect.any(String) },
      time_stats: { time_estimate: 3600, total_time_spent: 0, human_time_estimate: '1h' },
      task_completion_status: { count: 3, completed_count: 2 },
      prepared_at: expect.any(String),
      detailed_merge_status: 'mergeable',
      has_conflicts: false,
      blocking_discussions_resolved: true,
      squash: false,
      squash_on_merge: false,
      discussion_locked: null,
      merge_error: null,
      rebase_in_progress: false,
      first_contribution: false,
      head_pipeline: null,
      pipeline: null,
      user: { can_merge: false },
    });
    expect(body).not.toHaveProperty('diverged_commits_count');
    expect((await world.api(owner).get(`${at}/${iid}`)).body.user).toEqual({ can_merge: true });
    const inGroup = await world.api(reporter).get(`/groups/${group.id}/merge_requests`);
    const [listed] = inGroup.body;
    expect([listed.reference, listed.references.relative]).toEqual([full, `${project.path}!${iid}`]);
    const [everywhere] = (await world.api(owner).get(`/merge_requests?search=${encodeURIComponent(body.title)}`)).body;
    expect([everywhere.reference, everywhere.references.relative]).toEqual([full, full]);
  });

  it('counts the commits that the source branch lacks', LONG, async () => {
    const { project, at } = await stage();
    const { iid } = await opened(world, project, owner);
    await commitTo(world, project, owner, 'master', 'c.txt');
    await commitTo(world, project, owner, 'master', 'd.txt');
    const show = async () =>
      (await world.api(reporter).get(`${at}/${iid}?include_diverged_commits_count=true`)).body.diverged_commits_count;
    expect(await show()).toBe(2);
    await world.api(owner).delete(`/projects/${project.id}/repository/branches/topic`);
    expect(await show()).toBe(0);
  });

  it('has the latest pipeline of its head for those who can read pipelines', LONG, async () => {
    const { project, head, at } = await stage();
    await pipelineFor(project.id, 'topic', head, 'failed');
    const latest = await pipelineFor(project.id, 'topic', head, 'success');
    await pipelineFor(project.id, 'other', head, 'running');
    const { iid } = await opened(world, project, owner);
    const { body } = await world.api(reporter).get(`${at}/${iid}`);
    expect(body.head_pipeline).toMatchObject({ id: latest.id, status: 'success', coverage: '71.50' });
    expect(body.pipeline).toMatchObject({ id: latest.id, project_id: project.id, sha: head, ref: 'topic' });
    const none = { head_pipeline: null, pipeline: null, latest_build_started_at: null };
    await world.db.project.update({ where: { id: project.id }, data: { jobsEnabled: false } });
    expect((await world.api(owner).get(`${at}/${iid}`)).body).toMatchObject(none);
    const hidden = await world.project({ owner, visibility: 'private' });
    const secret = await pipelineFor(hidden.id, 'topic', head, 'success');
    await world.db.pipeline.update({ where: { id: secret.id }, data: { startedAt: new Date() } });
    await world.db.mergeRequest.updateMany({
      where: { targetProjectId: project.id },
      data: { sourceProjectId: hidden.id },
    });
    expect((await world.api(owner).get(`${at}/${iid}`)).body.head_pipeline).toMatchObject({ id: secret.id });
    expect((await world.api(outsider).get(`${at}/${iid}`)).body).toMatchObject(none);
  });

  it('lets only members comment once its discussion is locked', LONG, async () => {
    const { project, at } = await stage();
    const { iid } = await opened(world, project, outsider).catch(() => opened(world, project, owner));
    const comment = (who: TestUser) => world.api(who).post(`${at}/${iid}/notes`, { body: 'Hello' });
    expect((await comment(outsider)).status).toBe(201);
    const { body } = await world.api(developer).put(`${at}/${iid}`, { discussion_locked: true });
    expect(body.discussion_locked).toBe(true);
    expect((await comment(outsider)).status).toBe(403);
    expect((await comment(reporter)).status).toBe(201);
  });
});

describe('detailed_merge_status', () => {
  const PIPELINES: (JobStatus | null)[] = [null, 'running', 'failed', 'success'];
  const cases = [false, true].flatMap((draft) =>
    [false, true].flatMap((thread) =>
      [false, true].flatMap((conflict) => PIPELINES.map((pipeline) => ({ draft, thread, conflict, pipeline }))),
    ),
  );
  let at: string;
  let project: ProjectRow;

  beforeAll(async () => {
    ({ project, at } = await stage());
    const demands = { onlyAllowMergeIfPipelineSucceeds: true, onlyAllowMergeIfAllDiscussionsAreResolved: true };
    await world.db.project.update({ where: { id: project.id }, data: demands });
    await createBranch(world.as(owner), project.id, 'start', 'master');
    await commitTo(world, project, owner, 'master', 'a.txt', 'changed\n');
  });

  itEveryNth(11, cases)('agrees with PUT merge for %j', async ({ draft, thread, conflict, pipeline }) => {
    const branch = world.unique('case');
    await createBranch(world.as(owner), project.id, branch, 'start');
    const sha = await commitTo(world, project, owner, branch, conflict ? 'a.txt' : `${branch}.txt`);
    if (pipeline) await pipelineFor(project.id, branch, sha, pipeline);
    const title = `${draft ? 'Draft: ' : ''}${branch}`;
    const { id, iid } = await opened(world, project, owner, { sourceBranch: branch, title });
    const on = { type: 'MergeRequest', id } as const;
    if (thread) await createNote(world.as(owner), { on, body: 'Why?', startDiscussion: true });
    const expected = draft
      ? 'draft_status'
      : thread
        ? 'discussions_not_resolved'
        : conflict
          ? 'conflict'
          : pipeline === 'running'
            ? 'ci_still_running'
            : pipeline === 'failed'
              ? 'ci_must_pass'
              : 'mergeable';
    expect((await world.api(owner).get(`${at}/${iid}`)).body.detailed_merge_status).toBe(expected);
    await world.idle();
    const [listed] = (await world.api(owner).get(`${at}?iids[]=${iid}`)).body;
    expect(listed.detailed_merge_status).toBe(expected);
    const { status } = await world.api(owner).put(`${at}/${iid}/merge`);
    const refused = conflict && !draft && !thread && pipeline !== 'running' && pipeline !== 'failed' ? 406 : 405;
    expect(status).toBe(expected === 'mergeable' ? 200 : refused);
  });

  it('names the first thing that stands in the way', () => {
    const none = {
      state: 'opened',
      title: 'One',
      hasVersion: true,
      mergeStatus: 'can_be_merged',
      hasCommits: true,
      threadsAllow: true,
      approvalsMissing: 0,
      needsRebase: false,
      demandedPipeline: null,
    };
    const all = {
      state: 'closed',
      hasVersion: false,
      mergeStatus: 'unchecked',
      title: 'WIP One',
      hasCommits: false,
      threadsAllow: false,
      approvalsMissing: 1,
      needsRebase: true,
    };
    const names = Object.keys(all) as (keyof typeof all)[];
    const found = names.map((_, n) => {
      const wrong = Object.fromEntries(names.slice(n).map((name) => [name, all[name]]));
      return detailedMergeStatus({ ...none, ...wrong });
    });
    expect(found).toEqual([
      'not_open',
      'preparing',
      'unchecked',
      'draft_status',
      'commits_status',
      'discussions_not_resolved',
      'not_approved',
      'need_rebase',
    ]);
    const conflict = {
      ...none,
      mergeStatus: 'cannot_be_merged',
      needsRebase: true,
      demandedPipeline: 'failed' as const,
    };
    expect(detailedMergeStatus(conflict)).toBe('conflict');
    const statuses = ['pending', 'manual', 'canceled', 'skipped', 'success'] as const;
    expect(statuses.map((demandedPipeline) => detailedMergeStatus({ ...none, demandedPipeline }))).toEqual([
      'ci_still_running',
      'ci_must_pass',
      'ci_must_pass',
      'ci_must_pass',
      'mergeable',
    ]);
  });
});

describe('Task items', () => {
  it.each([
    ['', 0, 0],
    ['- [ ] a\n+ [x] b\n* [X] c\n1. [ ] d\n2) [x] e', 5, 3],
    ['> - [x] quoted', 1, 1],
    ['[ ] no item\n-[ ] no space\n- [] empty\n- [~] neither', 0, 0],
    ['~~~\n- [ ] code\n~~~\n- [ ] text', 1, 0],
    ['````\n```\n- [ ] code\n````\n- [x] text', 1, 1],
  ])('of %j are counted outside code', (text, count, completed) => {
    expect(taskItems(text)).toEqual({ count, completed });
  });

  it('are counted in the first 200,000 characters', () => {
    const item = '- [x] yes\n';
    const fitting = Math.floor(200_000 / item.length);
    expect(taskItems(item.repeat(fitting + 100))).toEqual({ count: fitting, completed: fitting });
  });

  it('of a huge description take no time to speak of', () => {
    for (const text of ['- '.repeat(500_000), '- [ '.repeat(250_000), '>'.repeat(1_000_000), ' '.repeat(1_000_000)]) {
      taskItems(`[${text}`);
    }
  });
});
