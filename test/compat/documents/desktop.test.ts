import { describe, expect, it } from 'vitest';
import { clientOf, gid, numberIn } from '../../support/client_documents.ts';
import { DECOY, startClientWorld } from '../../support/client_world.ts';
import type { Json } from '../../support/http.ts';

const w = await startClientWorld();
const { world, owner, developer, reviewer } = w;
const fullPath = 'team/garden';
const iids = ({ nodes }: Json) => nodes.map(({ iid }: Json) => iid).sort();

describe('Raycast', () => {
  const client = clientOf(world, 'raycast', developer);

  it('lists merge requests of a project and of a group by every filter of its window', async () => {
    const rest = await w.rest('/merge_requests/1');
    const filters: [Json, string[]][] = [
      [{ state: 'opened' }, ['1']],
      [{ state: 'all' }, ['1', '2', '3']],
      [{ state: 'all', search: 'carrots', in: ['TITLE', 'DESCRIPTION'] }, ['1']],
      [{ state: 'all', search: 'closes', in: ['TITLE'] }, []],
      [{ state: 'all', labelName: ['bug'] }, ['1']],
      [{ state: 'all', authorUsername: 'dev' }, ['1', '2']],
      [{ state: 'all', assigneeUsername: 'olivia' }, ['1']],
      [{ state: 'all', assigneeUsernames: ['olivia'] }, ['1']],
      [{ state: 'all', reviewerUsername: 'rev' }, ['1']],
      [{ state: 'all', milestoneTitle: 'Spring' }, ['1']],
      [{ state: 'all', targetBranches: ['master'] }, ['1', '2', '3']],
      [{ state: 'all', sourceBranches: ['topic'] }, ['1']],
      [{ state: 'all', draft: true }, ['2']],
      [{ state: 'all', not: { labels: ['bug'] } }, ['2', '3']],
      [{ state: 'all', not: { milestoneTitle: 'Spring' } }, ['2', '3']],
    ];
    for (const [variables, expected] of filters) {
      const { project } = await client.data('ProjectMergeRequests', { fullPath, first: 20, ...variables });
      const { group } = await clientOf(world, 'raycast', owner).data('GroupMergeRequests', {
        fullPath: 'team',
        first: 20,
        ...variables,
      });
      expect([variables, iids(project.mergeRequests), iids(group.mergeRequests)]).toEqual([
        variables,
        expected,
        expected,
      ]);
    }
    const { project } = await client.data('ProjectMergeRequestByIid', { fullPath, iid: '1' });
    expect(project.mergeRequest).toMatchObject({
      __typename: 'MergeRequest',
      id: gid('MergeRequest', rest.id),
      reference: rest.references.full,
      targetProjectId: w.project.id,
      resolvedDiscussionsCount: 1,
      resolvableDiscussionsCount: 2,
      autoMergeEnabled: false,
      author: { __typename: 'MergeRequestAuthor', id: gid('User', developer.id) },
      assignees: {
        __typename: 'MergeRequestAssigneeConnection',
        nodes: [{ __typename: 'MergeRequestAssignee', id: gid('User', owner.id) }],
      },
      reviewers: { nodes: [{ __typename: 'MergeRequestReviewer', id: gid('User', reviewer.id) }] },
      approvedBy: { __typename: 'UserCoreConnection', nodes: [{ __typename: 'UserCore', username: 'rev' }] },
      headPipeline: { __typename: 'Pipeline', id: gid('Ci::Pipeline', rest.head_pipeline.id), status: 'SUCCESS' },
      project: { __typename: 'Project', webUrl: (await w.rest('')).web_url, fullPath },
    });
  });

  it('sorts them by names in both spellings, and goes on from a cursor', async () => {
    const sorted = async (sort: string, first = 20, after: string | null = null) => {
      const { project } = await client.data('ProjectMergeRequests', { fullPath, state: 'all', sort, first, after });
      return project.mergeRequests;
    };
    const rest = await w.rest('/merge_requests?state=all&order_by=created_at&sort=asc');
    const expected = rest.map(({ iid }: Json) => String(iid));
    for (const sort of ['CREATED_ASC', 'created_asc'])
      expect((await sorted(sort)).nodes.map(({ iid }: Json) => iid)).toEqual(expected);
    expect((await sorted('TITLE_DESC')).nodes.map(({ title }: Json) => title)).toEqual([
      'Tulips',
      'Draft: Roses',
      'Carrots',
    ]);
    const one = await sorted('CREATED_ASC', 1);
    const two = await sorted('CREATED_ASC', 1, one.pageInfo.endCursor);
    expect([...one.nodes, ...two.nodes].map(({ iid }: Json) => iid)).toEqual(expected.slice(0, 2));
    expect((await sorted('CREATED_ASC', 20, '')).nodes.length).toBe(3);
  });

  it('lists those of its user: assigned, authored, to review', async () => {
    const list = async (operation: string, who: typeof owner) => {
      const { currentUser } = await clientOf(world, 'raycast', who).data(operation, {
        first: 20,
        state: 'opened',
        includeArchived: false,
      });
      return iids(Object.entries<Json>(currentUser).find(([name]) => name !== '__typename')?.[1]);
    };
    expect(await list('CurrentUserAssignedMergeRequests', owner)).toEqual(['1']);
    expect(await list('CurrentUserAuthoredMergeRequests', developer)).toEqual(['1']);
    expect(await list('CurrentUserReviewMergeRequests', reviewer)).toEqual(['1']);
    expect(await list('CurrentUserReviewMergeRequests', developer)).toEqual([]);
  });

  it('shows a merge request and an issue by their global IDs', async () => {
    const { project: _, ...merge } = (
      await client.data('GetMRDetail', { id: gid('MergeRequest', (await w.rest('/merge_requests/1')).id) })
    ).mergeRequest;
    expect(merge).toEqual({ __typename: 'MergeRequest', description: 'Closes #1' });
    const { issue } = await client.data('GetIssueDetail', { id: gid('Issue', w.parent.id) });
    expect(issue).toEqual({ __typename: 'Issue', description: 'Every morning', webUrl: w.parent.web_url });
    expect(await client.data('GetIssueDetail', { id: gid('Issue', w.hidden.issue.id) })).toEqual({ issue: null });
    const wrong = await client.ask('GetMRDetail', { id: gid('Issue', w.parent.id) });
    expect(wrong.errors[0].message).toContain(
      `"${gid('Issue', w.parent.id)}" does not represent an instance of MergeRequest`,
    );
  });

  it('shows discussions, and the lines that one is about', async () => {
    const rest = await w.rest('/merge_requests/1/discussions');
    const { project } = await client.data('MergeRequestDiscussions', { fullPath, iid: '1', first: 25 });
    const nodes = project.mergeRequest.discussions.nodes;
    expect(nodes.map(({ id, resolvable, resolved }: Json) => [id, resolvable, resolved])).toEqual(
      rest.map(({ id, notes }: Json) => [gid('Discussion', id), notes[0].resolvable, notes[0].resolved ?? false]),
    );
    const { position } = nodes[0].notes.nodes[0];
    expect(position).toMatchObject({ __typename: 'DiffPosition', filePath: 'beds.txt', newLine: 2, oldLine: null });
    const { repository } = (
      await client.data('MergeRequestDiscussionDiff', {
        fullPath,
        headSha: position.diffRefs.headSha,
        contextRef: position.diffRefs.headSha,
        filePath: position.filePath,
      })
    ).project;
    const diff = await w.rest(`/repository/commits/${position.diffRefs.headSha}/diff`);
    expect(repository.commit.diffs.map(({ diff: text, newPath, oldPath }: Json) => [text, newPath, oldPath])).toEqual(
      diff.map((one: Json) => [one.diff, one.new_path, one.old_path]),
    );
    expect(repository.blobs.nodes).toEqual([{ __typename: 'RepositoryBlob', rawTextBlob: 'beans\ncarrots\n' }]);
  });

  it('lists branches by a pattern, with the titles of their commits and what protects them', async () => {
    const names = async (searchPattern: string, offset = 0, limit = 20) =>
      (await client.data('ProjectBranchNames', { fullPath, searchPattern, offset, limit })).project.repository;
    expect(await names('*')).toMatchObject({
      rootRef: 'master',
      branchNames: ['feature/roses', 'feature/tulips', 'master', 'topic'],
    });
    expect((await names('feature/*')).branchNames).toEqual(['feature/roses', 'feature/tulips']);
    expect((await names('*', 1, 2)).branchNames).toEqual(['feature/tulips', 'master']);
    expect((await names('none')).branchNames).toEqual([]);
    const { repository } = (
      await client.data('ProjectBranchCommits', { fullPath, ref0: 'topic', ref1: 'master', ref2: 'none' })
    ).project;
    expect([repository.b0.title, repository.b2]).toEqual(['Sow carrots', null]);
    const { project } = await client.data('ProjectBranchRules', { fullPath });
    const rules = await w.rest('/protected_branches');
    expect(
      project.branchRules.nodes.map(({ name, branchProtection }: Json) => [name, branchProtection.allowForcePush]),
    ).toEqual(rules.map(({ name, allow_force_push }: Json) => [name, allow_force_push]));
  });

  it('lists commits with the pipeline of each', async () => {
    const { project } = await client.data('MergeRequestCommits', { fullPath, iid: '1', first: 20 });
    const [commit] = project.mergeRequest.commits.nodes;
    const rest = await w.rest('/merge_requests/1');
    expect(commit).toMatchObject({
      __typename: 'Commit',
      sha: rest.sha,
      title: 'Sow carrots',
      pipelines: {
        nodes: [
          { id: gid('Ci::Pipeline', rest.head_pipeline.id), iid: String(rest.head_pipeline.iid), status: 'SUCCESS' },
        ],
      },
    });
    const commits = await w.rest('/repository/commits?ref_name=master');
    const pages: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const data: Json = await client.data('ProjectCommits', { fullPath, ref: 'master', first: 2, after });
      const { nodes, pageInfo } = data.project.repository.commits;
      pages.push(...nodes.map(({ sha }: Json) => sha));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(pages).toEqual(commits.map(({ id }: Json) => id));
  });

  it('lists pipelines, and the jobs of one by stages', async () => {
    const rest = await w.rest('/pipelines');
    const { project } = await client.data('ProjectPipelines', { fullPath, first: 20 });
    expect(
      project.pipelines.nodes.map(({ id, iid, status, ref, sha, path }: Json) => [id, iid, status, ref, sha, path]),
    ).toEqual(
      rest.map((one: Json) => [
        gid('Ci::Pipeline', one.id),
        String(one.iid),
        one.status.toUpperCase(),
        one.ref,
        one.sha,
        new URL(one.web_url).pathname,
      ]),
    );
    expect(project.pipelines.nodes[0]).toMatchObject({
      duration: 62,
      startedAt: '2031-01-02T03:04:05Z',
      finishedAt: '2031-01-02T03:05:07Z',
    });
    const { sha, iid, id } = rest[3];
    expect((await client.data('PipelineForCommit', { fullPath, sha })).project.pipelines.nodes).toMatchObject([
      { iid: String(iid) },
    ]);
    const jobs = await w.rest(`/pipelines/${id}/jobs`);
    const { pipeline } = (await client.data('GetPipelineJobs', { fullPath, pipelineIID: iid })).project;
    expect(
      pipeline.stages.nodes.map(({ name, jobs: { nodes } }: Json) => [name, nodes.map((job: Json) => job.name).sort()]),
    ).toEqual([
      ['build', ['compile']],
      ['test', ['lint', 'unit']],
    ]);
    const [compile] = pipeline.stages.nodes[0].jobs.nodes;
    expect(numberIn(compile.id, 'Ci::Build')).toBe(jobs.find(({ name }: Json) => name === 'compile').id);
    expect((await client.data('GetPipelineJobs', { fullPath, pipelineIID: '999' })).project.pipeline).toBeNull();
  });

  it('lists milestones of a project, and of a group with those inside', async () => {
    const { project } = await client.data('GetProjectMilestones', { fullPath });
    const path = new URL(w.milestone.web_url).pathname;
    expect(project.milestones.nodes).toEqual([
      {
        __typename: 'Milestone',
        id: gid('Milestone', w.milestone.id),
        title: 'Spring',
        dueDate: '2031-04-01',
        state: 'active',
        expired: false,
        webPath: path,
        stats: { __typename: 'MilestoneStats', closedIssuesCount: 0, totalIssuesCount: 1 },
      },
    ]);
    const { group } = await clientOf(world, 'raycast', owner).data('GetGroupMilestones', { fullPath: 'team' });
    expect(group.milestones.nodes.map(({ title }: Json) => title).sort()).toEqual(['Inside', 'Spring', 'Year']);
  });
});

describe('Decap', () => {
  const client = clientOf(world, 'decap-cms', owner);

  it('lists files without folders, first with an empty cursor, then by pages', async () => {
    const variables = { repo: fullPath, branch: 'master', path: '', recursive: true, cursor: '' };
    const { nodes, pageInfo } = (await client.data('files', variables)).project.repository.tree.blobs;
    const rest = (await w.rest('/repository/tree?ref=master&recursive=true')).filter(
      ({ type }: Json) => type === 'blob',
    );
    expect(nodes).toEqual(rest.map(({ id, path, name, type }: Json) => ({ __typename: 'Blob', type, id, path, name })));
    expect(pageInfo.hasNextPage).toBe(false);
    const posts = await client.data('files', { ...variables, path: 'posts', recursive: false });
    expect(posts.project.repository.tree.blobs.nodes.map(({ path }: Json) => path)).toEqual([
      'posts/one.md',
      'posts/two.md',
    ]);
  });

  it('reads the texts of files, of those that are there', async () => {
    const { nodes } = (
      await client.data('blobs', {
        repo: fullPath,
        branch: 'master',
        paths: ['posts/one.md', 'posts/none.md', 'posts/two.md'],
      })
    ).project.repository.blobs;
    expect(nodes.map(({ __typename, data }: Json) => [__typename, data])).toEqual([
      ['RepositoryBlob', 'one\n'],
      ['RepositoryBlob', 'two\n'],
    ]);
    expect(new Set(nodes.map(({ id }: Json) => id)).size).toBe(2);
  });

  it('reads who changed a file last', async () => {
    const { repository } = (await client.data('lastCommits', { repo: fullPath, branch: 'master' })).project;
    const author = {
      __typename: 'UserCore',
      id: gid('User', owner.id),
      username: 'olivia',
      name: 'Name of olivia',
      publicEmail: expect.toBeOneOf([null, '']),
    };
    expect(repository.tree0.lastCommit).toMatchObject({ authorName: 'Name of olivia', author });
    expect(repository.tree1.lastCommit.authoredDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
  });
});

describe('gitlab-plus', () => {
  const client = clientOf(world, 'gitlab-plus', developer);

  it('shows a merge request beside a link to it', async () => {
    const { mergeRequest } = (await client.data('MergeRequestQuery', { fullPath, iid: '1' })).workspace;
    expect(mergeRequest).toMatchObject({
      title: 'Carrots',
      titleHtml: 'Carrots',
      milestone: { title: 'Spring', dueDate: '2031-04-01', startDate: '2031-03-01' },
    });
    expect(mergeRequest.labels.nodes).toEqual([
      {
        id: gid('ProjectLabel', w.label.id),
        title: 'bug',
        description: 'Broken',
        color: '#ff0000',
        textColor: expect.stringMatching(/^#/),
        __typename: 'Label',
      },
    ]);
  });

  it('fills a form: users, labels, milestones, projects', async () => {
    const { users } = (await client.data('autocompleteUsers', { fullPath, search: 're' })).workspace;
    expect(users.map(({ username, __typename }: Json) => [username, __typename])).toEqual([
      ['rev', 'AutocompletedUser'],
    ]);
    expect((await client.data('autocompleteUsers', { fullPath, search: 'outsider' })).workspace.users).toEqual([]);
    expect((await client.data('currentUser')).currentUser).toMatchObject({
      username: 'dev',
      webPath: '/dev',
      __typename: 'CurrentUser',
    });
    const labels = await client.data('projectLabels', { fullPath, searchTerm: 'wide' });
    expect(labels.workspace.labels.nodes.map(({ id }: Json) => id)).toEqual([gid('GroupLabel', w.groupLabel.id)]);
    const milestones = await client.data('projectMilestones', { fullPath, title: 'Spr', state: 'active' });
    expect(milestones.workspace.attributes.nodes).toMatchObject([
      { id: gid('Milestone', w.milestone.id), webUrl: new URL(w.milestone.web_url).pathname },
    ]);
    const { group } = await clientOf(world, 'gitlab-plus', owner).data('groupProjects', {
      fullPath: 'team',
      search: '',
    });
    expect(group.projects.nodes.map((one: Json) => [one.fullPath, one.archived]).sort()).toEqual([
      ['team/garden', false],
      ['team/inner/shed', false],
    ]);
  });
});

describe('git-nudge', () => {
  it('shows people by their names, and where its user works', async () => {
    const client = clientOf(world, 'git-nudge', developer);
    const { users } = await client.data('GetUsers', { usernames: ['rev', 'olivia', 'nobody-here'] });
    expect([users.count, users.nodes.map(({ username }: Json) => username).sort()]).toEqual([2, ['olivia', 'rev']]);
    const { currentUser } = await client.data('GetMe');
    expect(currentUser.projectMemberships.nodes.map(({ project }: Json) => project?.name)).toEqual(['Garden']);
    expect(currentUser.groupMemberships.nodes).toEqual([]);
    const { body } = await world.api(developer).get(`/users/${developer.id}/contributed_projects`);
    expect(currentUser.contributedProjects).toMatchObject({
      count: body.length,
      nodes: body.map(({ id, name, web_url }: Json) => ({ id: gid('Project', id), name, webUrl: web_url })),
    });
    const owners = await clientOf(world, 'git-nudge', owner).data('GetMe');
    expect(owners.currentUser.groupMemberships.nodes.map(({ group }: Json) => group.name)).toContain('Team');
  });
});

describe('git-filesystem', () => {
  const client = clientOf(world, 'git-filesystem', owner);

  it('lists repositories of an owner and of its user, and looks for a file in all of them', async () => {
    const paths = async (login: string) =>
      (await client.data('getAllRepositoriesForOwner', { login })).namespace?.projects.nodes.map(
        (one: Json) => one.fullPath,
      );
    expect(await paths('team')).toEqual(['team/garden']);
    expect(await paths('olivia')).toEqual([]);
    expect(await paths(DECOY)).toBeUndefined();
    const all = await client.data('getAllRepositories');
    expect(all.projects.nodes.map(({ name, namespace }: Json) => [name, namespace.path]).sort()).toEqual([
      ['Garden', 'team'],
      ['Shed', 'inner'],
    ]);
    const found = await client.data('searchByFilePath', { filePath: 'posts/one.md' });
    const [commit] = await w.rest('/repository/commits?path=posts/one.md&ref_name=master');
    const at = Object.fromEntries(
      found.projects.nodes.map((one: Json) => [one.fullPath, one.repository?.tree?.lastCommit ?? null]),
    );
    expect(at).toEqual({ 'team/garden': { shortId: commit.short_id }, 'team/inner/shed': null });
  });

  it('knows namespaces, and whether a project is archived', async () => {
    expect(await client.data('getNamespaceId', { name: 'team' })).toEqual({
      namespace: { id: gid('Group', w.group.id) },
    });
    expect((await client.data('getNamespaceId', { name: 'olivia' })).namespace.id).toMatch(
      /^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/,
    );
    expect(await client.data('getNamespaceId', { name: 'nobody-here' })).toEqual({ namespace: null });
    expect(await client.data('isRepositoryArchived', { fullPath })).toEqual({ project: { archived: false } });
  });
});

describe('The Web IDE', () => {
  const client = clientOf(world, 'web-ide', developer);

  it('asks what it may do, and for heads and sizes of changes', async () => {
    const { project } = await client.data('getProjectUserPermissions', { projectPath: fullPath });
    expect(project.userPermissions).toEqual({ createMergeRequestIn: true, readMergeRequest: true, pushCode: true });
    const branch = await w.rest('/repository/branches/topic');
    expect(
      (await client.data('getRefMetadata', { projectPath: fullPath, ref: 'topic' })).project.repository.tree.lastCommit,
    ).toEqual({ sha: branch.commit.id });
    const found = await client.data('searchProjectBranches', {
      projectPath: fullPath,
      searchPattern: '*roses*',
      offset: 0,
      limit: 10,
    });
    expect(found.project.repository.branchNames).toEqual(['feature/roses']);
    const { id } = await w.rest('/merge_requests/1');
    const stats = await client.data('getMergeRequestDiffStats', { gid: gid('MergeRequest', id) });
    expect(stats.mergeRequest.diffStats).toEqual([
      { path: 'beds.txt', additions: 1, deletions: 1 },
      { path: 'tools.txt', additions: 1, deletions: 0 },
    ]);
  });
});
