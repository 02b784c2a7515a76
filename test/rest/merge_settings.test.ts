// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { git } from '../support/git_program.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();

/** What jobs do may take long on a busy machine. */
const PATIENCE = { timeout: 20_000 };

async function stage(settings: object) {
  const project = await world.project({ owner, visibility: 'private' });
  await world.member(project, developer, 'developer');
  const head = await withTopic(world, project, owner);
  expect((await world.api(owner).put(`/projects/${project.id}`, settings)).status).toBe(200);
  const at = `/projects/${project.id}/merge_requests`;
  const directory = world.repositories.directory(project);
  const show = (format: string, ref: string) =>
    git(directory, ['log', '-1', `--format=${format}`, ref])
      .toString()
      .trim();
  const merge = (iid: number, body: object = {}) => world.api(owner).put(`${at}/${iid}/merge`, body);
  const status = async (iid: number) => (await world.api(developer).get(`${at}/${iid}`)).body.detailed_merge_status;
  return { project, head, at, show, merge, status };
}

describe('merge_method', () => {
  it('ff moves the target branch ahead, without a merge commit', async () => {
    const { project, head, show, merge, status } = await stage({ merge_method: 'ff' });
    const { iid } = await opened(world, project, developer);
    expect(await status(iid)).toBe('mergeable');
    const { status: code, body } = await merge(iid);
    expect([code, body.state, body.merge_commit_sha]).toEqual([200, 'merged', head]);
    expect(show('%H', 'master')).toBe(head);
  });

  it.each(['ff', 'rebase_merge'])('%s wants the source branch to have all of the target branch', async (method) => {
    const { project, at, show, merge, status } = await stage({ merge_method: method });
    const { iid } = await opened(world, project, developer);
    const before = await commitTo(world, project, owner, 'master', 'd.txt');
    await expect.poll(() => status(iid), PATIENCE).toBe('need_rebase');
    expect((await merge(iid)).status).toBe(405);
    expect(show('%H', 'master')).toBe(before);
    expect((await world.api(developer).put(`${at}/${iid}/rebase`)).status).toBe(202);
    await expect.poll(() => status(iid), PATIENCE).toBe('mergeable');
    const { body } = await merge(iid);
    expect(body.state).toBe('merged');
    const parents = show('%P', 'master').split(' ');
    expect(parents).toEqual(method === 'ff' ? [before] : [before, body.sha]);
  });

  it('ff takes a target branch that went ahead to commits of the source branch', async () => {
    const { project, at, show, merge, status } = await stage({ merge_method: 'ff' });
    const half = show('%H', 'topic');
    const { iid } = await opened(world, project, developer);
    await commitTo(world, project, developer, 'topic', 'c.txt');
    await expect
      .poll(async () => (await world.api(developer).get(`${at}/${iid}/commits`)).body.length, PATIENCE)
      .toBe(2);
    // The first of its two commits is merged on its own.
    await world.api(owner).post(`/projects/${project.id}/repository/branches`, { branch: 'half', ref: half });
    const first = await world
      .api(owner)
      .post(at, { source_branch: 'half', target_branch: 'master', title: 'The first half' });
    expect((await merge(first.body.iid)).body.state).toBe('merged');
    expect(show('%H', 'master')).toBe(half);
    await world.idle();
    const list = await world.api(developer).get(`${at}?iids[]=${iid}`);
    expect(list.body).toMatchObject([{ detailed_merge_status: 'mergeable' }]);
    expect(await status(iid)).toBe('mergeable');
    expect((await merge(iid)).body.state).toBe('merged');
  });

  it('ff puts a squashed commit on top', async () => {
    const { project, show, merge } = await stage({ merge_method: 'ff' });
    await commitTo(world, project, developer, 'topic', 'c.txt');
    const before = show('%H', 'master');
    const { iid, title } = await opened(world, project, developer, { squash: true });
    const { body } = await merge(iid);
    expect([body.state, body.squash_commit_sha]).toEqual(['merged', show('%H', 'master')]);
    expect([show('%P', 'master'), show('%s', 'master')]).toEqual([before, title]);
  });
});

describe('squash_option', () => {
  it.each([
    ['never', true, false, false],
    ['always', false, true, true],
    ['default_on', undefined, true, true],
    ['default_on', false, false, false],
    ['default_off', undefined, false, false],
  ])('%s with the wish %s', async (squash_option, squash, shown, squashed) => {
    const { project, at, merge } = await stage({ squash_option });
    await commitTo(world, project, developer, 'topic', 'c.txt');
    const created = await world
      .api(developer)
      .post(at, { source_branch: 'topic', target_branch: 'master', title: 'One', squash });
    expect([created.status, created.body.squash_on_merge]).toEqual([201, shown]);
    const { body } = await merge(created.body.iid, squash === undefined ? {} : { squash });
    expect([body.state, body.squash_commit_sha !== null]).toEqual(['merged', squashed]);
    expect(project.id).toBe(body.project_id);
  });
});

describe('Templates of messages', () => {
  it('are filled in, lines of nothing but an empty placeholder left out', async () => {
    const { project, show, merge } = await stage({
      merge_commit_template:
        'Merge %{source_branch} into %{target_branch}\r\n\r\n%{issues}\n%{title} (%{reference})\nBy: %{merged_by}',
      squash_commit_template: '%{title}\n\n%{all_commits}\n\n%{description}',
    });
    await commitTo(world, project, developer, 'topic', 'c.txt');
    const { iid, title } = await opened(world, project, developer, { squash: true, description: 'Why %{title}' });
    const { body } = await merge(iid);
    expect(show('%B', 'master')).toBe(
      `Merge topic into master\n\n${title} (${project.fullPath}!${iid})\nBy: Name of ${owner.username} <${owner.username}@example.org>`,
    );
    expect(show('%B', body.squash_commit_sha)).toBe(`${title}\n\n* Change b.txt\n\n* Change c.txt\n\nWhy %{title}`);
  });

  it('name where a merge request is, and who wrote, reviewed and approved it', async () => {
    const { project, at, show, merge } = await stage({
      merge_commit_template:
        '%{local_reference} %{source_project_id} %{merge_request_author}\n%{url}\n\n%{first_commit}\n%{first_multiline_commit}\n%{first_multiline_commit_description}\n%{co_authored_by}\n%{approved_by}\n%{reviewed_by}',
    });
    await commitTo(world, project, developer, 'topic', 'c.txt', 'c', 'Change c.txt\n\nFor a reason');
    const { iid } = await opened(world, project, owner, { reviewerIds: [developer.id] });
    expect((await world.api(developer).post(`${at}/${iid}/approve`)).status).toBe(201);
    await merge(iid);
    const person = ({ username }: TestUser) => `Name of ${username} <${username}@example.org>`;
    expect(show('%B', 'master')).toBe(
      [
        `!${iid} ${project.id} ${person(owner)}`,
        `${world.url}/${project.fullPath}/-/merge_requests/${iid}`,
        '',
        'Change b.txt',
        'Change c.txt',
        '',
        'For a reason',
        'For a reason',
        `Co-authored-by: ${person(developer)}`,
        `Approved-by: ${person(developer)}`,
        `Reviewed-by: ${person(developer)}`,
      ].join('\n'),
    );
  });

  it('are refused where they name what there is not', async () => {
    const project = await world.project({ owner });
    for (const name of ['merge_commit_template', 'squash_commit_template']) {
      const template = '%{title} %{nothing} %{titel} %{nothing}';
      const { status, body } = await world.api(owner).put(`/projects/${project.id}`, { [name]: template });
      expect([status, body.message]).toEqual([400, { [name]: ['has unknown placeholders: %{nothing}, %{titel}'] }]);
      expect((await world.api(owner).put(`/projects/${project.id}`, { [name]: '100 % {ok} %{title}' })).status).toBe(
        200,
      );
    }
  });

  it('give way to the messages of the caller, and to the usual ones once they are blank', async () => {
    const { project, show, merge } = await stage({ merge_commit_template: 'By template' });
    const one = await opened(world, project, developer);
    await merge(one.iid, { merge_commit_message: 'By hand' });
    expect(show('%B', 'master')).toBe('By hand');
    const { body } = await world.api(owner).put(`/projects/${project.id}`, { merge_commit_template: '' });
    expect(body.merge_commit_template).toBeNull();
  });
});

describe('autoclose_referenced_issues', () => {
  it.each([true, false])('%s decides whether a merge closes issues', async (autoclose_referenced_issues) => {
    const { project, merge } = await stage({ autoclose_referenced_issues });
    const { body: issue } = await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'Broken' });
    const { iid } = await opened(world, project, developer, { description: `Closes #${issue.iid}` });
    await merge(iid);
    const finished = async () =>
      (await world.db.mergeRequest.findFirst({ where: { targetProjectId: project.id } }))?.finishedAt;
    await expect.poll(finished, PATIENCE).toBeTruthy();
    const { body } = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`);
    expect(body.state).toBe(autoclose_referenced_issues ? 'closed' : 'opened');
  });
});

describe('allow_merge_on_skipped_pipeline', () => {
  it.each([true, false])('%s decides whether a skipped pipeline is enough', async (allowed) => {
    const settings = { only_allow_merge_if_pipeline_succeeds: true, allow_merge_on_skipped_pipeline: allowed };
    const { project, head, merge, status } = await stage(settings);
    const { iid } = await opened(world, project, developer);
    await world.db.pipeline.create({
      data: { projectId: project.id, ref: 'topic', sha: head, status: 'skipped', userId: owner.id, source: 'push' },
    });
    expect(await status(iid)).toBe(allowed ? 'mergeable' : 'ci_must_pass');
    expect((await merge(iid)).status).toBe(allowed ? 200 : 405);
  });
});

describe('Settings of a project', () => {
  it('are in its record, and refused where they are wrong', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}`;
    expect((await world.api(owner).get(at)).body).toMatchObject({
      merge_method: 'merge',
      squash_option: 'default_off',
      merge_commit_template: null,
      squash_commit_template: null,
      remove_source_branch_after_merge: true,
      autoclose_referenced_issues: true,
      allow_merge_on_skipped_pipeline: true,
      auto_cancel_pending_pipelines: 'disabled',
      ci_config_path: null,
      issues_access_level: 'enabled',
      builds_access_level: 'enabled',
    });
    for (const [name, value] of Object.entries({
      merge_method: 'octopus',
      squash_option: 'sometimes',
      auto_cancel_pending_pipelines: 'true',
      issues_access_level: 'public',
      ci_config_path: '../secrets.yml',
      merge_commit_template: 'x'.repeat(501),
    })) {
      const { status, body } = await world.api(owner).put(at, { [name]: value });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(name)]);
    }
    for (const path of ['a.yml@other/project', 'https://example.org/ci.yml', '/ci.yml', 'ci.txt'])
      expect((await world.api(owner).put(at, { ci_config_path: path })).status).toBe(400);
  });

  it('turn features off by their access level as by their switch, before which that counts', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}`;
    const { body } = await world.api(owner).put(at, { issues_access_level: 'disabled', issues_enabled: true });
    expect([body.issues_enabled, body.issues_access_level, body.wiki_access_level]).toEqual([
      false,
      'disabled',
      'enabled',
    ]);
    expect((await world.api(owner).post(`${at}/issues`, { title: 'One' })).status).toBe(403);
    const name = world.unique('made');
    const made = await world
      .api(owner)
      .post('/projects', { name, builds_access_level: 'disabled', merge_method: 'ff' });
    expect(made.body).toMatchObject({ jobs_enabled: false, builds_access_level: 'disabled', merge_method: 'ff' });
  });
});

describe('ci_config_path', () => {
  it('names the file that pipelines are made of', async () => {
    const { project, show } = await stage({ ci_config_path: 'ci/main.yml' });
    await commitTo(world, project, owner, 'master', '.gitlab-ci.yml', 'decoy:\n  script: "true"\n');
    await commitTo(world, project, owner, 'master', 'ci/main.yml', 'meant:\n  script: "true"\n');
    const listed = async () => (await world.api(owner).get(`/projects/${project.id}/pipelines`)).body;
    await expect.poll(async () => (await listed()).length, PATIENCE).toBeGreaterThan(0);
    const pipelines = await listed();
    expect(pipelines.map(({ sha }: { sha: string }) => sha)).toEqual([show('%H', 'master')]);
    const { body: jobs } = await world.api(owner).get(`/projects/${project.id}/pipelines/${pipelines[0].id}/jobs`);
    expect(jobs.map((job: { name: string }) => job.name)).toEqual(['meant']);
    const { body: lint } = await world.api(owner).get(`/projects/${project.id}/ci/lint`);
    expect([lint.valid, lint.merged_yaml]).toEqual([true, expect.stringContaining('meant')]);
  });
});

describe('auto_cancel_pending_pipelines', () => {
  it.each(['enabled', 'disabled'])('%s decides whether a newer pipeline cancels an older one', async (setting) => {
    const { project } = await stage({ auto_cancel_pending_pipelines: setting });
    const at = `/projects/${project.id}/pipelines`;
    await commitTo(world, project, owner, 'master', '.gitlab-ci.yml', 'job:\n  script: "true"\n');
    const statuses = async () =>
      (await world.api(owner).get(at)).body.map(({ status }: { status: string }) => status).join();
    await expect.poll(statuses, PATIENCE).toBe('pending');
    await commitTo(world, project, owner, 'master', 'e.txt');
    await expect.poll(statuses, PATIENCE).toBe(setting === 'enabled' ? 'pending,canceled' : 'pending,pending');
  });
});
