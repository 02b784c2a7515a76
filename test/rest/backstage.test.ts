// Each test takes long: the long run has them all.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { beforeAll, describe, expect, it } from 'vitest';
import { clone, commitFile, run, workingCopy } from '../support/git_client.ts';
import { startWorld } from '../support/world.ts';

/**
 * What Backstage asks of a server: its providers that discover catalog files and people, and the actions of its scaffolder. The
 * requests are those of its plugins, on a group with nested subgroups.
 */
const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const [developer, guest, stranger] = [await world.user(), await world.user(), await world.user()];
const token = await world.token(owner);
const client = new Gitlab({ host: world.url, token });
const names = (records: readonly { path_with_namespace?: unknown }[]) =>
  records.map(({ path_with_namespace: path }) => path).toSorted();

let top: string;
let middle: string;
const ids: Record<'top' | 'middle' | 'deep' | 'beside', number> = { top: 0, middle: 0, deep: 0, beside: 0 };

beforeAll(async () => {
  top = world.unique('platform');
  middle = `${top}/payments`;
  const group = async (path: string, parentId?: number) =>
    (await world.group({ owner, path, name: path, ...(parentId === undefined ? {} : { parentId }) })).id;
  ids.top = await group(top);
  ids.middle = await group('payments', ids.top);
  ids.deep = await group('fraud', ids.middle);
  ids.beside = await group(world.unique('beside'));
  await world.member({ id: ids.top }, guest, 'guest');
  await world.member({ id: ids.deep }, developer, 'developer');
  await world.member({ id: ids.beside }, stranger, 'developer');
  for (const [name, namespaceId, topics] of [
    ['gateway', ids.top, ['go']],
    ['ledger', ids.middle, ['rust']],
    ['scores', ids.deep, ['rust']],
    ['decoy', ids.beside, ['rust']],
  ] as const) {
    const { id } = await client.Projects.create({ name, namespaceId, topics: [...topics] });
    await client.RepositoryFiles.create(id, 'catalog-info.yaml', 'main', 'kind: Component\n', 'Describe it');
  }
  const old = await client.Projects.create({ name: 'old', namespaceId: ids.middle });
  await client.Projects.archive(old.id);
  await world.idle();
}, 60_000);

/** All pages of a list, as the providers walk them. */
async function paged(path: string, query: Record<string, string>, bearer = token) {
  const found = [];
  for (let page = '1'; page !== ''; ) {
    const search = new URLSearchParams({ ...query, page });
    const answer = await fetch(`${world.url}/api/v4${path}?${search}`, {
      headers: { Authorization: `Bearer ${bearer}` },
    });
    expect([answer.status, path]).toEqual([200, path]);
    found.push(...((await answer.json()) as Record<string, unknown>[]));
    page = answer.headers.get('x-next-page') ?? '';
  }
  return found;
}

describe('The discovery of catalog files', () => {
  it('finds the projects of a group and of the groups below it, without archived ones', async () => {
    const query = { per_page: '1', include_subgroups: 'true', archived: 'false', simple: 'true', group: middle };
    const found = await paged(`/groups/${encodeURIComponent(middle)}/projects`, query);
    expect(names(found)).toEqual([`${middle}/fraud/scores`, `${middle}/ledger`]);
    for (const { web_url: page, default_branch: branch, path_with_namespace: path } of found) {
      expect([page, branch]).toEqual([`${world.url}/${path}`, 'main']);
      const headers = { Authorization: `Bearer ${token}` };
      const at = `/api/v4/projects/${encodeURIComponent(path as string)}/repository/files`;
      const head = async (file: string) =>
        (await world.send('HEAD', `${at}/${encodeURIComponent(file)}?ref=${branch}`, { headers })).status;
      expect([await head('catalog-info.yaml'), await head('none.yaml')]).toEqual([200, 404]);
    }
  });

  it('tells forks from projects of their own where these are to be left out', async () => {
    const fork = await client.Projects.fork(`${top}/gateway`, {
      namespacePath: middle,
      path: 'forked',
      name: 'forked',
    });
    await world.idle();
    const query = { per_page: '50', include_subgroups: 'true', archived: 'false' };
    const found = await paged(`/groups/${encodeURIComponent(top)}/projects`, query);
    const own = found.filter((project) => !Object.hasOwn(project, 'forked_from_project'));
    expect(names(own)).toEqual([`${middle}/fraud/scores`, `${middle}/ledger`, `${top}/gateway`].toSorted());
    expect(names(found)).toContain(`${middle}/forked`);
    await client.Projects.remove(fork.id);
  });

  it('finds the projects of the whole server that it is a member of, and the groups that match a pattern', async () => {
    const mine = await paged('/projects', { per_page: '2', membership: 'true', archived: 'false', simple: 'true' });
    expect(names(mine)).toEqual(expect.arrayContaining([`${middle}/ledger`, `${top}/gateway`]));
    const groups = await paged('/groups', { per_page: '2' });
    const matching = groups.map((group) => group.full_path as string).filter((path) => path.startsWith(`${middle}/`));
    expect(matching).toEqual([`${middle}/fraud`]);
    const strange = await paged('/projects', { membership: 'true', simple: 'true' }, await world.token(stranger));
    expect(names(strange).every((name) => (name as string).endsWith('/decoy'))).toBe(true);
  });

  it('reads the record of a project that pushed, with what the push changed', async () => {
    const { id } = await client.Projects.show(`${middle}/ledger`);
    expect(await client.Projects.show(id)).toMatchObject({ archived: false, default_branch: 'main', topics: ['rust'] });
    const commits = await client.Commits.all(id, { path: 'catalog-info.yaml', perPage: 1 });
    expect(commits).toMatchObject([{ title: 'Describe it' }]);
  });
});

describe('The discovery of people', () => {
  it('lists the people of the server, without bots, and with the addresses that it may read', async () => {
    const robot = await client.ProjectAccessTokens.create(`${top}/gateway`, 'robot', ['api'], '2099-01-01');
    const query = { per_page: '2', active: 'true', without_project_bots: 'true', exclude_internal: 'true' };
    const users = await paged('/users', query, await world.token(admin));
    const found = users.map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([owner.id, developer.id, guest.id, stranger.id]));
    expect(found).not.toContain(robot.user_id);
    expect(users.find(({ id }) => id === guest.id)).toMatchObject({
      state: 'active',
      email: `${guest.username}@example.org`,
      web_url: `${world.url}/${guest.username}`,
    });
  });

  it('lists the members of a group with those of the groups around it, and whether they use a seat', async () => {
    const members = await paged(`/groups/${encodeURIComponent(`${middle}/fraud`)}/members/all`, {
      per_page: '2',
      show_seat_info: 'true',
      active: 'true',
    });
    const found = members.map(({ id, is_using_seat: seat }) => [id, seat]);
    expect(found.toSorted()).toEqual(
      [
        [owner.id, true],
        [guest.id, true],
        [developer.id, true],
      ].toSorted(),
    );
  });

  it('has the groups below a group and their members in one query of the GraphQL API', async () => {
    const query = `query ($group: GroupRef!, $after: String) { group(ref: $group) {
      members { nodes { user { databaseId username publicEmail state webUrl avatarUrl } } }
      descendantGroups(first: 1, after: $after) {
        nodes { databaseId name description fullPath visibility parentId members { nodes { user { username } } } }
        pageInfo { endCursor hasNextPage } } } }`;
    const found = [];
    for (let after: string | null = null, more = true; more; ) {
      const { body } = await world.graphql(query, { group: top, after }, owner);
      expect(body.errors).toBeUndefined();
      const { nodes, pageInfo } = body.data.group.descendantGroups;
      found.push(...nodes);
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(found.map(({ databaseId, parentId }) => [databaseId, parentId])).toEqual([
      [ids.deep, ids.middle],
      [ids.middle, ids.top],
    ]);
    expect(found[0].members.nodes).toContainEqual({ user: { username: developer.username } });
  });
});

describe('The actions of the scaffolder', () => {
  /** Makes the groups of a path that are missing. */
  async function ensureGroups(path: readonly string[]): Promise<number> {
    let parent: { id: number } | undefined;
    for (const [at, part] of path.entries()) {
      const fullPath = path.slice(0, at + 1).join('/');
      const groups = await client.Groups.search(fullPath);
      parent =
        groups.find((group) => group.full_path === fullPath) ??
        (await client.Groups.create(part, part, parent ? { parentId: parent.id } : {}));
    }
    return parent?.id ?? 0;
  }

  it('make the missing groups of a path once', async () => {
    const path = [world.unique('shop'), 'refunds', 'eu'];
    const id = await ensureGroups(path);
    expect(await client.Groups.show(id)).toMatchObject({ full_path: path.join('/') });
    const [again] = (await client.Groups.search(path.join('/'))) as { id: number; parent_id: number }[];
    expect([again?.id, again?.parent_id]).toEqual([id, expect.any(Number)]);
    expect(await client.Groups.search(`${middle}/none`)).toEqual([]);
    expect((await client.Groups.search(`${middle}`)).map(({ full_path }) => full_path)).toEqual(
      expect.arrayContaining([middle, `${middle}/fraud`]),
    );
  });

  it('publish a repository into a nested group, by git, with settings, protected branches and variables', async () => {
    const namespace = await client.Namespaces.show(middle);
    expect(namespace).toMatchObject({ id: ids.middle, kind: 'group', full_path: middle });
    const made = await client.Projects.create({
      namespace_id: namespace.id,
      name: 'portal',
      visibility: 'private',
      topics: ['backstage'],
      merge_method: 'ff',
      squash_option: 'always',
      only_allow_merge_if_pipeline_succeeds: true,
      ci_config_path: 'ci/portal.yml',
    } as never);
    expect(made).toMatchObject({ path_with_namespace: `${middle}/portal`, topics: ['backstage'], merge_method: 'ff' });
    const work = await workingCopy();
    const head = await commitFile(work, 'README.md', '# Portal\n');
    const remote = (made.http_url_to_repo as string).replace('://', `://oauth2:${token}@`);
    await run(work, 'push', '--quiet', remote, 'main');
    await client.Branches.create(made.id, 'release', 'main');
    await client.ProtectedBranches.create(made.id, 'release');
    expect((await client.ProtectedBranches.all(made.id)).map(({ name }) => name)).toContain('release');
    await client.ProjectVariables.create(made.id, 'DEPLOY_KEY', 'sesame-123', {
      description: 'For deployments',
      variableType: 'file',
      protected: true,
      masked: false,
      raw: true,
      environmentScope: 'production',
    });
    expect(await client.ProjectVariables.all(made.id)).toMatchObject([
      { key: 'DEPLOY_KEY', variable_type: 'file', protected: true, environment_scope: 'production' },
    ]);
    const copy = await clone(remote);
    expect(await run(copy, 'rev-parse', 'HEAD')).toBe(head);
  });

  it('open merge requests from a branch of their own, and change only the files that differ', async () => {
    const repository = `${middle}/ledger`;
    const { default_branch: target } = await client.Projects.show(repository);
    const tree = await client.Repositories.allRepositoryTrees(repository, { ref: target as string, recursive: true });
    expect(tree.map(({ path }) => path)).toContain('catalog-info.yaml');
    const file = await client.RepositoryFiles.show(repository, 'catalog-info.yaml', target as string);
    expect(file.content_sha256).toMatch(/^[0-9a-f]{64}$/);
    await expect(client.Branches.show(repository, 'scaffold')).rejects.toMatchObject({
      cause: { response: { status: 404 } },
    });
    await client.Branches.create(repository, 'scaffold', target as string);
    const content = Buffer.from('#!/bin/sh\n').toString('base64');
    const commit = await client.Commits.create(repository, 'scaffold', 'Scaffold', [
      { action: 'create', filePath: 'bin/run', encoding: 'base64', content, execute_filemode: true } as never,
    ]);
    const [reviewer] = await client.Users.all({ username: owner.username });
    const made = await client.MergeRequests.create(repository, 'scaffold', target as string, 'Scaffold', {
      description: 'By a template',
      removeSourceBranch: true,
      assigneeId: owner.id,
      reviewerIds: [reviewer?.id as number],
    });
    expect(made).toMatchObject({ sha: commit.id, assignee: { id: owner.id }, reviewers: [{ id: owner.id }] });
    const open = await client.MergeRequests.all({ projectId: repository, sourceBranch: 'scaffold', state: 'opened' });
    expect(open).toMatchObject([{ iid: made.iid, web_url: `${world.url}/${repository}/-/merge_requests/${made.iid}` }]);
    const status = async () => (await client.MergeRequests.show(repository, made.iid)).detailed_merge_status as string;
    await world.until(async () => !['preparing', 'checking', 'unchecked'].includes(await status()));
    const mode = await client.RepositoryFiles.show(repository, 'bin/run', 'scaffold');
    expect(mode).toMatchObject({ execute_filemode: true });
  });

  it('push commits to a branch, which is made of the default branch if it is missing', async () => {
    const repository = `${middle}/fraud/scores`;
    await client.Branches.create(repository, 'generated', 'main');
    const content = Buffer.from('one\n').toString('base64');
    const actions = [{ action: 'create' as const, filePath: 'docs/a.md', encoding: 'base64' as const, content }];
    const { id } = await client.Commits.create(repository, 'generated', 'Generate', actions);
    expect(await client.Branches.show(repository, 'generated')).toMatchObject({ commit: { id } });
    // Templates that ran before are told so.
    await expect(client.Commits.create(repository, 'generated', 'Generate', actions)).rejects.toThrow(/already exists/);
  });

  it('create issues, variables and tokens of projects, and trigger pipelines', async () => {
    const { id } = await client.Projects.show(`${middle}/ledger`);
    const due = '2099-02-01';
    const issue = await client.Issues.create(id, 'Set up', {
      description: 'As the template says',
      assigneeId: owner.id,
      labels: 'setup,backstage',
      dueDate: due,
      confidential: true,
      createdAt: '2026-01-02T03:04:05Z',
      issueType: 'issue',
    });
    expect(issue).toMatchObject({ due_date: due, confidential: true, labels: ['backstage', 'setup'], iid: 1 });
    expect(await client.Issues.edit(id, issue.iid, { stateEvent: 'close', addLabels: 'done' })).toMatchObject({
      state: 'closed',
      labels: ['backstage', 'done', 'setup'],
    });
    const access = await client.ProjectAccessTokens.create(id, 'tokenname', ['read_repository'], '2099-01-01', {
      accessLevel: 40,
    });
    expect(access).toMatchObject({ access_level: 40, scopes: ['read_repository'], token: expect.any(String) });
    const deploy = await client.DeployTokens.create('deploy', ['read_repository'], {
      projectId: id,
      username: 'puller',
    });
    expect(deploy).toMatchObject({ username: 'puller', token: expect.any(String) });

    await client.Commits.create(id, 'main', 'Build it', [
      { action: 'create', filePath: '.gitlab-ci.yml', content: 'build: {script: [make]}\n' },
    ]);
    await world.idle();
    const trigger = await client.PipelineTriggerTokens.create(id, 'From a template');
    const pipeline = await client.PipelineTriggerTokens.trigger(id, 'main', trigger.token, { variables: { A: 'b' } });
    expect(pipeline).toMatchObject({
      id: expect.any(Number),
      web_url: `${world.url}/${middle}/ledger/-/pipelines/${pipeline.id}`,
    });
    await client.PipelineTriggerTokens.remove(id, trigger.id);
    expect(await client.PipelineTriggerTokens.all(id)).toEqual([]);
  });
});
