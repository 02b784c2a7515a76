import { Gitlab } from '@gitbeaker/rest';
import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

describe('A client that was written for /api/v4', () => {
  it('walks the slice: project, labels, milestone, issues; list, filter, page, close, move, delete', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const project = await client.Projects.create({ name: 'Walk', visibility: 'private' });
    const target = await client.Projects.create({ name: 'Target' });
    expect(await client.Projects.show(`${owner.username}/walk`)).toMatchObject({ id: project.id, name: 'Walk' });

    await client.ProjectLabels.create(project.id, 'bug', 'red');
    await client.ProjectLabels.create(project.id, 'ui', '#00ff00');
    expect((await client.ProjectLabels.all(project.id)).map(({ name }) => name)).toEqual(['bug', 'ui']);

    const milestone = await client.ProjectMilestones.create(project.id, 'v1', { dueDate: '2031-01-01' });
    for (let n = 1; n <= 25; n += 1) {
      const labels = n % 2 === 0 ? 'bug,ui' : 'bug';
      await client.Issues.create(project.id, `Issue ${n}`, {
        labels,
        ...(n === 3 ? { milestoneId: milestone.id } : {}),
      });
    }

    const all = await client.Issues.all({ projectId: project.id, sort: 'asc' });
    expect(all.map(({ iid }) => iid)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
    expect(await client.Issues.all({ projectId: project.id, labels: 'bug,ui' })).toHaveLength(12);
    expect(await client.Issues.all({ projectId: project.id, milestone: 'v1' })).toMatchObject([{ title: 'Issue 3' }]);
    const page = await client.Issues.all({
      projectId: project.id,
      perPage: 10,
      page: 3,
      pagination: 'offset',
      showExpanded: true,
    });
    expect([page.data.length, page.paginationInfo]).toMatchObject([
      5,
      { total: 25, totalPages: 3, previous: 2, next: null },
    ]);

    expect(await client.Issues.edit(project.id, 1, { stateEvent: 'close' })).toMatchObject({ state: 'closed' });
    expect(await client.Issues.all({ projectId: project.id, state: 'closed' })).toMatchObject([{ iid: 1 }]);
    expect(await client.Issues.move(project.id, 2, target.id)).toMatchObject({
      project_id: target.id,
      iid: 1,
      title: 'Issue 2',
    });
    await client.Issues.remove(project.id, 5);
    expect(await client.Issues.all({ projectId: project.id, iids: [4, 5, 6], sort: 'asc' })).toMatchObject([
      { iid: 4 },
      { iid: 6 },
    ]);
    await expect(client.Issues.show(5, { projectId: project.id })).rejects.toThrow();
  });

  it('walks people, groups, members, projects and settings', async () => {
    const admin = await world.user({ admin: true });
    const client = new Gitlab({ host: world.url, token: admin.token });
    const username = world.unique('ada');
    const ada = await client.Users.create({
      email: `${username}@example.org`,
      username,
      name: 'Ada',
      password: 'correct horse',
    });
    expect(await client.Users.all({ username })).toMatchObject([{ id: ada.id }]);
    expect(await client.Users.edit(ada.id, { bio: 'Counts' })).toMatchObject({ bio: 'Counts' });
    expect(await client.Users.block(ada.id)).toBe(true);
    expect(await client.Users.unblock(ada.id)).toBe(true);

    const path = world.unique('engines');
    const group = await client.Groups.create('Engines', path, { visibility: 'public' });
    const inner = await client.Groups.create('Inner', 'inner', { parentId: group.id });
    expect(await client.Groups.show(`${path}/inner`)).toMatchObject({ id: inner.id });
    await client.GroupMembers.add(group.id, 30, { userId: ada.id });
    expect(await client.GroupMembers.show(group.id, ada.id)).toMatchObject({ access_level: 30 });
    expect(await client.GroupMembers.edit(group.id, ada.id, 20)).toMatchObject({ access_level: 20 });

    const project = await client.Projects.create({ name: 'Analytical', namespaceId: group.id, visibility: 'public' });
    expect(await client.Groups.allProjects(group.id)).toMatchObject([{ id: project.id }]);
    expect(await client.Projects.edit(project.id, { description: 'Turns' })).toMatchObject({ description: 'Turns' });
    expect(await client.Projects.star(project.id)).toMatchObject({ star_count: 1 });
    const fork = await client.Projects.fork(project.id);
    expect(await client.Projects.show(fork.id)).toMatchObject({ forked_from_project: { id: project.id } });
    expect((await client.Projects.all({ search: 'analytical' })).map(({ id }) => id)).toEqual([fork.id, project.id]);
    expect(await client.Projects.archive(fork.id)).toMatchObject({ archived: true });
    await client.Projects.remove(fork.id);
    await expect(client.Projects.show(fork.id)).rejects.toThrow();

    expect(await client.ApplicationSettings.edit({ signInText: 'Come in' })).toMatchObject({ sign_in_text: 'Come in' });
    await client.GroupMembers.remove(group.id, ada.id);
    await client.Groups.remove(group.id);
    await client.Users.remove(ada.id);
    await expect(client.Users.show(ada.id)).rejects.toThrow();
  });

  it('walks statuses, pipelines, jobs, environments, deployments and triggers', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const project = await client.Projects.create({ name: 'Delivery' });
    const config = 'unit: {script: x}\nship: {stage: deploy, script: y, environment: production}';
    const action = { action: 'create' as const, filePath: '.gitlab-ci.yml', content: config };
    const commit = await client.Commits.create(project.id, 'master', 'Deliver', [action]);
    await world.idle();
    const pipeline = await client.Pipelines.create(project.id, 'master');
    expect(pipeline).toMatchObject({ status: 'pending', sha: commit.id });
    expect(await client.Pipelines.all(project.id)).toHaveLength(2);
    const jobs = await client.Jobs.all(project.id, { pipelineId: pipeline.id });
    expect(jobs).toMatchObject([{ name: 'unit' }, { name: 'ship', status: 'created' }]);
    const [unit] = jobs;
    expect(await client.Jobs.show(project.id, unit?.id ?? 0)).toMatchObject({
      stage: 'test',
      pipeline: { id: pipeline.id },
    });
    expect(await client.Jobs.cancel(project.id, unit?.id ?? 0)).toMatchObject({ status: 'canceled' });
    expect(await client.Pipelines.cancel(project.id, pipeline.id)).toMatchObject({ status: 'canceled' });
    expect(await client.Pipelines.retry(project.id, pipeline.id)).toMatchObject({ status: 'pending' });

    for (const name of ['unit', 'ship']) {
      await client.Commits.editStatus(project.id, commit.id, 'running', { name, targetUrl: 'https://ci.example.org' });
      await client.Commits.editStatus(project.id, commit.id, 'success', { name, coverage: 50 });
    }
    expect(await client.Commits.allStatuses(project.id, commit.id, { ref: 'master', name: 'ship' })).toMatchObject([
      { status: 'created' },
      { status: 'success', target_url: 'https://ci.example.org', coverage: 50 },
    ]);
    expect(await client.Commits.show(project.id, commit.id)).toMatchObject({ status: 'success' });
    const [environment] = await client.Environments.all(project.id);
    expect(environment).toMatchObject({ name: 'production', slug: 'production' });
    await client.Deployments.create(project.id, 'staging', commit.id, 'master', false, { status: 'success' });
    expect(await client.Deployments.all(project.id)).toMatchObject([
      { environment: { name: 'production' }, deployable: { name: 'ship' } },
      { environment: { name: 'staging' }, deployable: null },
    ]);
    await client.Environments.stop(project.id, environment?.id ?? 0);
    await client.Environments.remove(project.id, environment?.id ?? 0);

    const trigger = await client.PipelineTriggerTokens.create(project.id, 'nightly');
    const fired = await client.PipelineTriggerTokens.trigger(project.id, 'master', trigger.token, {
      variables: { A: 'b' },
    });
    expect(fired).toMatchObject({ ref: 'master', status: 'pending' });
    await client.PipelineTriggerTokens.remove(project.id, trigger.id);
    expect(await client.PipelineTriggerTokens.all(project.id)).toEqual([]);
  });
});
