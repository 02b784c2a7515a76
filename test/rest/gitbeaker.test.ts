// Each test takes long: the long run has them all.
// @module-tag long
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

  it('walks the repository: commits, files, tree, archive, comparison, contributors', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const { id } = await client.Projects.create({ name: world.unique('Repository') });
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
    const first = await client.Commits.create(id, 'main', 'First', [
      { action: 'create', filePath: 'README.md', content: '# Read\n' },
      { action: 'create', filePath: 'src/größe.txt', content: 'one\ntwo\n' },
      { action: 'create', filePath: 'src/data.bin', encoding: 'base64', content: bytes.toString('base64') },
    ]);
    expect(first).toMatchObject({ title: 'First', stats: { additions: 3 } });
    const second = await client.Commits.create(id, 'main', 'Second', [
      { action: 'move', previousPath: 'README.md', filePath: 'docs/README.md', content: '# Read\n' },
    ]);
    expect((await client.Commits.all(id, { refName: 'main', perPage: 1 })).map((commit) => commit.id)).toEqual([
      second.id,
      first.id,
    ]);
    expect(await client.Commits.showDiff(id, second.id)).toMatchObject([{ renamed_file: true, old_path: 'README.md' }]);

    await client.RepositoryFiles.create(id, 'notes/a b.txt', 'main', 'Note\n', 'Note it');
    await client.RepositoryFiles.edit(id, 'notes/a b.txt', 'main', 'Noted\n', 'Note it better');
    expect(await client.RepositoryFiles.show(id, 'notes/a b.txt', 'main')).toMatchObject({
      file_path: 'notes/a b.txt',
      content: Buffer.from('Noted\n').toString('base64'),
    });
    const text = await client.RepositoryFiles.showRaw(id, 'notes/a b.txt', 'main');
    expect(text instanceof Blob ? await text.text() : text).toBe('Noted\n');
    const raw = (await client.RepositoryFiles.showRaw(id, 'src/data.bin', 'main')) as Blob;
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(bytes);
    await client.RepositoryFiles.remove(id, 'notes/a b.txt', 'main', 'Forget it');
    await expect(client.RepositoryFiles.show(id, 'notes/a b.txt', 'main')).rejects.toThrow(/404/);

    const tree = await client.Repositories.allRepositoryTrees(id, { recursive: true });
    expect(tree.map(({ path }) => path)).toEqual(['docs', 'src', 'docs/README.md', 'src/data.bin', 'src/größe.txt']);
    const blob = tree.find(({ name }) => name === 'data.bin')?.id ?? '';
    expect(await client.Repositories.showBlob(id, blob)).toMatchObject({ size: 256 });
    const archive = await client.Repositories.showArchive(id, { sha: 'main', fileType: 'zip' });
    expect(Buffer.from(await archive.arrayBuffer()).toString('latin1', 0, 2)).toBe('PK');
    const compared = await client.Repositories.compare(id, first.id, 'main');
    expect(compared.commits?.[0]).toMatchObject({ title: 'Second' });
    expect(await client.Repositories.allContributors(id)).toMatchObject([{ commits: 5 }]);
  });

  it('walks branches, cherry-picks, comments on commits, and tags', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const { id } = await client.Projects.create({ name: world.unique('Branches') });
    await client.Commits.create(id, 'main', 'First', [
      { action: 'create', filePath: 'README.md', content: '# Read\n' },
    ]);
    await client.Branches.create(id, 'feature/größe', 'main');
    expect(await client.Branches.show(id, 'feature/größe')).toMatchObject({ name: 'feature/größe', protected: false });
    const more = await client.Commits.create(id, 'feature/größe', 'More', [
      { action: 'create', filePath: 'more.txt', content: 'more' },
    ]);
    expect(await client.Commits.cherryPick(id, more.id, 'main')).toMatchObject({ title: 'More' });
    await expect(client.Commits.cherryPick(id, more.id, 'main')).rejects.toThrow(/cherry-pick/);
    const place = { path: 'more.txt', line: 1, lineType: 'new' as const };
    expect(await client.Commits.createComment(id, more.id, 'Nice', place)).toMatchObject({ note: 'Nice', line: 1 });
    expect(await client.Commits.allComments(id, more.id)).toHaveLength(1);
    await client.Branches.remove(id, 'feature/größe');
    expect((await client.Branches.all(id)).map(({ name }) => name)).toEqual(['main']);

    expect(await client.Tags.create(id, 'v1.0', 'main', { message: 'One' })).toMatchObject({ message: 'One' });
    await client.Tags.create(id, 'light/2', 'main');
    expect((await client.Tags.all(id)).map(({ name }) => name)).toEqual(['v1.0', 'light/2']);
    await client.Tags.remove(id, 'light/2');
    await expect(client.Tags.show(id, 'light/2')).rejects.toThrow(/404/);
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

  it('walks variables, snippets and events', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const { id } = await client.Projects.create({ name: world.unique('Around') });
    expect(await client.ProjectVariables.create(id, 'KEY', 'one')).toMatchObject({ key: 'KEY', value: 'one' });
    await expect(client.ProjectVariables.create(id, 'KEY', 'two')).rejects.toThrow(/taken/);
    expect(await client.ProjectVariables.show(id, 'KEY')).toMatchObject({ value: 'one' });
    expect(await client.ProjectVariables.all(id)).toHaveLength(1);
    await client.ProjectVariables.remove(id, 'KEY');
    await expect(client.ProjectVariables.show(id, 'KEY')).rejects.toThrow(/404/);

    const given = { fileName: 'hint.txt', content: 'puts "ünï"', visibility: 'private' as const };
    const snippet = await client.Snippets.create('Hint', given);
    expect(await client.Snippets.show(snippet.id as number)).toMatchObject({ title: 'Hint', file_name: 'hint.txt' });
    const content: unknown = await client.Snippets.showContent(snippet.id as number);
    expect(content instanceof Blob ? await content.text() : content).toBe('puts "ünï"');
    expect(await client.Snippets.edit(snippet.id as number, { title: 'Better' } as never)).toMatchObject({
      title: 'Better',
    });
    expect(await client.Snippets.all()).toMatchObject([{ id: snippet.id }]);
    await client.Snippets.remove(snippet.id as number);
    expect(await client.Snippets.all()).toEqual([]);

    for (const title of ['first', 'second', 'third']) await client.Issues.create(id, title);
    const events = await client.Events.all({ projectId: id, perPage: 2 } as never);
    expect(events.map(({ action_name, target_title }) => [action_name, target_title])).toEqual([
      ['opened', 'third'],
      ['opened', 'second'],
      ['opened', 'first'],
      ['created', null],
    ]);
  });

  it('works together: merge request, note, emoji, label, pipeline, merge, closed issue, todo', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const { id } = await client.Projects.create({ name: 'Together' });
    const commit = (branch: string, action: 'create' | 'update', content: string) =>
      client.Commits.create(id, branch, `Write ${content}`, [{ action, filePath: 'hello.txt', content }]);
    await commit('master', 'create', 'Hello');
    await client.ProjectLabels.create(id, 'bug', '#ff0000');
    const issue = await client.Issues.create(id, 'Nobody greets the world');
    await client.Branches.create(id, 'greet', 'master');
    const { id: sha } = await commit('greet', 'update', 'Hello, world');
    const { iid } = await client.MergeRequests.create(id, 'greet', 'master', 'Greet the world', {
      description: `Closes #${issue.iid}`,
      removeSourceBranch: true,
    });
    expect(await client.MergeRequests.all({ projectId: id, state: 'opened' })).toMatchObject([{ iid, sha }]);
    expect(await client.MergeRequests.allCommits(id, iid)).toMatchObject([{ id: sha }]);
    expect(await client.MergeRequests.allIssuesClosed(id, iid)).toMatchObject([{ iid: issue.iid }]);
    const note = await client.MergeRequestNotes.create(id, iid, 'Looks good.');
    expect(await client.MergeRequestNotes.all(id, iid)).toMatchObject([{ id: note.id, body: 'Looks good.' }]);
    await client.MergeRequestAwardEmojis.award(id, iid, 'tada');
    await client.MergeRequests.edit(id, iid, { labels: 'bug' });
    await client.Commits.editStatus(id, sha, 'running', { ref: 'greet' });
    const waiting = await client.MergeRequests.merge(id, iid, { mergeWhenPipelineSucceeds: true });
    expect(waiting).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
    await client.Commits.editStatus(id, sha, 'success', { ref: 'greet' });
    await world.idle();
    expect(await client.MergeRequests.show(id, iid)).toMatchObject({ state: 'merged', labels: ['bug'] });
    expect(await client.Issues.show(issue.iid, { projectId: id })).toMatchObject({ state: 'closed' });
    expect((await client.Branches.all(id)).map(({ name }) => name)).toEqual(['master']);
    await client.Issues.createTodo(id, issue.iid);
    const [todo] = await client.TodoLists.all();
    expect(todo).toMatchObject({ action_name: 'marked', target: { iid: issue.iid } });
    await client.TodoLists.done({ todoId: todo?.id ?? 0 });
    expect(await client.TodoLists.all()).toEqual([]);
  });
});
