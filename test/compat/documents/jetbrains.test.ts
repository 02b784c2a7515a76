import { describe, expect, it } from 'vitest';
import { clientOf, gid, person, time } from '../../support/client_documents.ts';
import { DECOY, startClientWorld } from '../../support/client_world.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';

const w = await startClientWorld();
const { world, owner, developer, reviewer, guest, outsider } = w;
const client = clientOf(world, 'jetbrains', owner);
const projectId = 'team/garden';
const mergeRequestId = '1';
const byName = (one: Json, other: Json) => (one.name < other.name ? -1 : 1);

describe('The plugin of JetBrains', () => {
  it('asks for version and edition first, which visitors are not told', async () => {
    const { version, revision } = await w.world
      .api(owner)
      .get('/version')
      .then(({ body }) => body);
    const expected = { metadata: { enterprise: false, version, revision } };
    expect(await client.data('getMetadata')).toEqual(expected);
    expect(await clientOf(world, 'jetbrains').data('getMetadata')).toEqual({ metadata: null });
  });

  it('signs in by who the token belongs to, and takes null for no account', async () => {
    const { body } = await world.api(owner).get('/user');
    expect(await client.data('getCurrentUser')).toEqual({ currentUser: person(body) });
    expect(await clientOf(world, 'jetbrains').data('getCurrentUser')).toEqual({ currentUser: null });
  });

  it('is told by 401 that a token is not valid', async () => {
    const headers = { Authorization: 'Bearer nonsense' };
    const answer = await world.send('POST', '/api/graphql', { headers, body: { query: '{ currentUser { id } }' } });
    expect([answer.status, answer.body]).toEqual([401, { errors: [{ message: 'Invalid token' }] }]);
  });

  it('opens a project with what decides how its merge requests are merged', async () => {
    const rest = await w.rest('');
    const expected = {
      id: gid('Project', rest.id),
      name: rest.name,
      nameWithNamespace: rest.name_with_namespace,
      path: rest.path,
      fullPath: rest.path_with_namespace,
      httpUrlToRepo: rest.http_url_to_repo,
      sshUrlToRepo: rest.ssh_url_to_repo,
      squashReadOnly: false,
      removeSourceBranchAfterMerge: rest.remove_source_branch_after_merge,
      onlyAllowMergeIfAllDiscussionsAreResolved: rest.only_allow_merge_if_all_discussions_are_resolved,
      onlyAllowMergeIfPipelineSucceeds: rest.only_allow_merge_if_pipeline_succeeds,
      allowMergeOnSkippedPipeline: rest.allow_merge_on_skipped_pipeline,
      mergeRequestsFfOnlyEnabled: rest.merge_method === 'ff',
      allowsMultipleMergeRequestAssignees: true,
      allowsMultipleMergeRequestReviewers: true,
      userPermissions: { createSnippet: true },
      repository: { rootRef: rest.default_branch },
    };
    const { project } = await client.data('getProject', { fullPath: projectId });
    const several = {
      allowsMultipleMergeRequestAssignees: expect.any(Boolean),
      allowsMultipleMergeRequestReviewers: expect.any(Boolean),
    };
    expect(project).toEqual({ ...expected, ...several });
    expect((await client.data('getProject', { fullPath: 'Team/Garden' })).project.id).toBe(expected.id);
    expect(await client.data('getProjectIsForked', { fullPath: projectId })).toEqual({ project: { isForked: false } });
    const guests = await clientOf(world, 'jetbrains', guest).data('getProject', { fullPath: projectId });
    expect(guests.project.userPermissions).toEqual({ createSnippet: false });
    const decoy = await client.ask('getProject', { fullPath: `${DECOY}/${DECOY}` });
    expect(decoy).toEqual({ data: { project: null } });
  });

  it('shows a merge request in one document, lists of a thousand cut to a hundred', LONG, async () => {
    const rest = await w.rest('/merge_requests/1');
    const jobs = await w.rest(`/pipelines/${rest.head_pipeline.id}/jobs`);
    const commits = await w.rest('/merge_requests/1/commits');
    const whole = {
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: expect.any(String),
      endCursor: expect.any(String),
    };
    const data = await client.data('getMergeRequest', { projectId, mergeRequestId });
    const { targetProject, sourceProject, headPipeline, ...shown } = data.project.mergeRequest;
    expect([targetProject.fullPath, sourceProject.fullPath]).toEqual([projectId, projectId]);
    expect(headPipeline.jobs.nodes.toSorted(byName)).toEqual(
      jobs.toSorted(byName).map(({ name, status, allow_failure, web_url }: Json) => ({
        name,
        status: status.toUpperCase(),
        allowFailure: allow_failure,
        detailedStatus: { detailsPath: new URL(web_url).pathname },
      })),
    );
    expect(shown).toEqual({
      id: gid('MergeRequest', rest.id),
      iid: '1',
      title: rest.title,
      description: rest.description,
      webUrl: rest.web_url,
      createdAt: time(rest.created_at),
      targetBranch: rest.target_branch,
      sourceBranch: rest.source_branch,
      labels: { pageInfo: whole, nodes: [{ title: 'bug', color: '#ff0000' }] },
      diffRefs: {
        baseSha: rest.diff_refs.base_sha,
        startSha: rest.diff_refs.start_sha,
        headSha: rest.diff_refs.head_sha,
      },
      conflicts: rest.has_conflicts,
      mergeStatusEnum: rest.merge_status.toUpperCase(),
      mergeable: rest.detailed_merge_status === 'mergeable',
      state: rest.state,
      draft: rest.draft,
      squash: rest.squash,
      squashOnMerge: rest.squash_on_merge,
      defaultSquashCommitMessage: rest.title,
      defaultMergeCommitMessage: expect.stringMatching(/^Merge branch 'topic' into 'master'\n/),
      shouldRemoveSourceBranch: rest.should_remove_source_branch,
      forceRemoveSourceBranch: rest.force_remove_source_branch,
      shouldBeRebased: false,
      rebaseInProgress: false,
      author: person(rest.author),
      approvedBy: { pageInfo: whole, nodes: [person(rest.reviewers[0])] },
      assignees: { pageInfo: whole, nodes: rest.assignees.map(person) },
      reviewers: {
        pageInfo: whole,
        nodes: [{ ...person(rest.reviewers[0]), mergeRequestInteraction: { approved: true, reviewed: true } }],
      },
      commits: { pageInfo: whole, nodes: commits.map(shownCommit) },
      userPermissions: { canApprove: true, canMerge: true, createNote: true, updateMergeRequest: true },
    });
    const seen = await clientOf(world, 'jetbrains', guest).ask('getMergeRequest', { projectId, mergeRequestId });
    expect([seen.errors, seen.data.project?.mergeRequest ?? null]).toEqual([undefined, null]);
    expect(await client.data('getMergeRequest', { projectId, mergeRequestId: '999' })).toEqual({
      project: { mergeRequest: null },
    });
  });

  it('reads commits by pages', async () => {
    const [commit] = await w.rest('/merge_requests/1/commits');
    const data = await client.data('getMergeRequestCommits', { projectId, mergeRequestId, pageSize: 1000 });
    expect(data.project.mergeRequest.commits.nodes).toEqual([shownCommit(commit)]);
    expect(data.project.mergeRequest.commits.pageInfo.hasNextPage).toBe(false);
  });

  it('shows threads with positions, awards and what the reader may do, by pages', async () => {
    const rest = await w.rest('/merge_requests/1/discussions');
    const found: Json[] = [];
    let cursor: string | null = null;
    do {
      const data: Json = await client.data('getMergeRequestDiscussions', {
        projectId,
        mriid: '1',
        pageSize: 2,
        cursor,
      });
      const { nodes, pageInfo } = data.project.mergeRequest.discussions;
      found.push(...nodes);
      cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (cursor !== null);
    expect(found.map(({ id, replyId }) => [id, replyId])).toEqual(
      rest.map(({ id }: Json) => [gid('Discussion', id), gid('Discussion', id)]),
    );
    const notes = found.flatMap(({ notes: { nodes } }) => nodes);
    expect(notes).toEqual(rest.flatMap((one: Json) => one.notes).map(shownNote));
    expect(notes[0].awardEmoji.nodes).toEqual([
      { name: 'seedling', emoji: '🌱', user: expect.objectContaining({ username: 'olivia' }) },
    ]);
    expect(JSON.stringify(found)).not.toContain(DECOY);
  });

  it('counts merge requests without reading them', async () => {
    const count = async (query: string) =>
      Number((await world.api(owner).get(`/projects/${w.project.id}/merge_requests?${query}`)).headers['x-total']);
    const data = await client.data('getMergeRequestMetrics', { projectId, username: 'dev' });
    expect(data.project).toEqual({
      allMRCount: { count: await count('state=all') },
      openMRCount: { count: await count('state=opened') },
      openAssignedMRCount: { count: 0 },
      openAuthoredMRCount: { count: await count('state=opened&author_username=dev') },
      openReviewAssignedMRCount: { count: 0 },
    });
    const reviews = await client.data('getMergeRequestMetrics', { projectId, username: 'rev' });
    expect(reviews.project).toMatchObject({
      openReviewAssignedMRCount: { count: 1 },
      openAuthoredMRCount: { count: 0 },
    });
  });

  it('finds the merge requests of branches', async () => {
    const find = async (variables: Json) => {
      const data = await client.data('findProjectMergeRequests', { projectId, ...variables });
      return data.project.mergeRequests.nodes.map(({ iid, sourceProject }: Json) => [iid, sourceProject.fullPath]);
    };
    expect(await find({ sourceBranches: ['topic'], state: 'opened' })).toEqual([['1', projectId]]);
    expect(await find({ sourceBranches: ['topic', 'feature/roses'], targetBranches: ['master'] })).toEqual([
      ['2', projectId],
      ['1', projectId],
    ]);
    expect(await find({ sourceBranches: ['feature/roses'], state: 'opened' })).toEqual([]);
    expect(await find({ sourceBranches: ['none'] })).toEqual([]);
  });

  it('offers labels, those of the group too, and members', async () => {
    const labels = await client.data('getProjectLabels', { fullPath: projectId });
    expect(labels.project.labels.nodes.map(({ title }: Json) => title).sort()).toEqual(['bug', 'team-wide']);
    const rest = await w.rest('/members/all');
    const members = await client.data('getProjectMembers', { fullPath: projectId });
    const users = members.project.projectMembers.nodes.map(({ user }: Json) => user.username).sort();
    expect(users).toEqual(rest.map(({ username }: Json) => username).sort());
  });

  it('learns from work items whether there can be several assignees', async () => {
    const data = await client.data('getProjectWidgets', { fullPath: projectId, pageSize: 1 });
    const [item] = data.project.workItems.nodes;
    expect(item.workItemType.name).toMatch(/^(Issue|Task)$/);
    expect(item.widgets).toContainEqual({
      __typename: 'WorkItemWidgetAssignees',
      allowsMultipleAssignees: expect.any(Boolean),
    });
    expect(data.project.workItems.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  it('offers places for projects: the own namespace and groups, in both of its forms', async () => {
    const own = { id: expect.stringMatching(/^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/), fullPath: 'olivia' };
    const groups = [
      { id: gid('Group', w.group.id), fullPath: 'team', userPermissions: { createProjects: true } },
      { id: gid('Group', w.inner.id), fullPath: 'team/inner', userPermissions: { createProjects: true } },
    ];
    const data = await client.data('getMemberNamespaces');
    expect(data.currentUser.namespace).toMatchObject(own);
    expect(data.groups.nodes.toSorted((a: Json, b: Json) => (a.fullPath < b.fullPath ? -1 : 1))).toMatchObject(groups);
    const old = await client.data('getMemberNamespacesOld');
    expect(old.currentUser.groupMemberships.nodes.map(({ group }: Json) => group.fullPath)).toContain('team');
    expect(JSON.stringify([data, old])).not.toContain(DECOY);
  });

  it('offers the projects of its user alone, for settings, cloning and snippets', async () => {
    for (const operation of ['getMemberProjects', 'getMemberProjectsForClone', 'getMemberProjectsForSnippets']) {
      const paths = async (who: typeof owner) => {
        const data = await clientOf(world, 'jetbrains', who).data(operation);
        return data.projects.nodes.map(({ fullPath }: Json) => fullPath).sort();
      };
      expect(await paths(developer)).toEqual(['team/garden']);
      expect(await paths(reviewer)).toEqual(['team/garden']);
      expect(await paths(outsider)).toEqual([`${DECOY}/${DECOY}`]);
    }
  });
});

function shownCommit({ id, short_id, title, message, authored_date, author_name }: Json) {
  return {
    sha: id,
    shortId: short_id,
    title,
    fullTitle: title,
    description: message.slice(title.length).replace(/^\n+/, '').trimEnd(),
    authoredDate: new Date(authored_date).toISOString().replace('.000Z', 'Z'),
    author: expect.objectContaining({ username: 'olivia' }),
    authorName: author_name,
  };
}

function shownNote(note: Json) {
  const { position } = note;
  return {
    id: gid(note.type ?? 'Note', note.id),
    createdAt: time(note.created_at),
    author: person(note.author),
    body: note.body,
    system: note.system,
    url: expect.stringMatching(new RegExp(`/team/garden/-/merge_requests/1#note_${note.id}$`)),
    resolvable: note.resolvable,
    resolved: note.resolved ?? false,
    awardEmoji: { nodes: expect.any(Array) },
    position: position
      ? {
          diffRefs: { baseSha: position.base_sha, headSha: position.head_sha, startSha: position.start_sha },
          filePath: position.new_path,
          positionType: 'text',
          oldLine: position.old_line,
          oldPath: position.old_path,
          newLine: position.new_line,
          newPath: position.new_path,
        }
      : null,
    userPermissions: { resolveNote: note.resolvable, adminNote: !note.system },
  };
}
