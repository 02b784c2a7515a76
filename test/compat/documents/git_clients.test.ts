import { describe, expect, it } from 'vitest';
import { clientOf, gid, numberIn, time } from '../../support/client_documents.ts';
import { DECOY, startClientWorld } from '../../support/client_world.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';

const w = await startClientWorld();
const { world, owner, developer } = w;
const fullPath = 'team/garden';
const iids = ({ nodes }: Json) => nodes.map(({ iid }: Json) => iid);

describe('GitLens', () => {
  const client = clientOf(world, 'gitlens', developer);
  /** It takes an answer with a key `errors` for a failure, whatever else is in it. */
  const ask = async (operation: string, variables: Json) => {
    const body = await client.ask(operation, variables);
    expect('errors' in body).toBe(false);
    return body.data;
  };

  it('finds the default branch and the number of a project', async () => {
    expect(await ask('getDefaultBranch', { fullPath })).toEqual({ project: { repository: { rootRef: 'master' } } });
    const { project } = await ask('getProjectId', { fullPath });
    expect(numberIn(project.id, 'Project')).toBe(w.project.id);
    expect(await ask('getProjectId', { fullPath: `${DECOY}/${DECOY}` })).toEqual({ project: null });
    expect(await ask('getDefaultBranch', { fullPath: 'team/inner/none' })).toEqual({ project: null });
  });

  it('looks for an issue and a merge request of a number at once, of which one may be missing', async () => {
    const rest = await w.rest('/merge_requests/1');
    const issue = await w.rest('/issues/1');
    const { project } = await ask('getIssueOrMergeRequest', { fullPath, iid: '1' });
    const author = {
      id: gid('User', developer.id),
      name: 'Name of dev',
      avatarUrl: rest.author.avatar_url,
      webUrl: rest.author.web_url,
    };
    const common = ({ title, description, state, created_at, updated_at, web_url }: Json) => ({
      author,
      iid: '1',
      title,
      description,
      state,
      createdAt: time(created_at),
      updatedAt: time(updated_at),
      webUrl: web_url,
    });
    expect(project.mergeRequest).toEqual({ ...common(rest), mergedAt: null });
    expect(project.issue).toEqual({ ...common(issue), closedAt: null });
    expect((await ask('getIssueOrMergeRequest', { fullPath, iid: '4' })).project).toMatchObject({
      mergeRequest: null,
      issue: { iid: '4', state: 'closed' },
    });
    expect((await ask('getIssueOrMergeRequest', { fullPath, iid: '77' })).project).toEqual({
      mergeRequest: null,
      issue: null,
    });
  });

  it('shows the merge request of a branch: the latest, or the latest of each state', async () => {
    const rest = await w.rest('/merge_requests/3');
    const { project } = await ask('getMergeRequestForBranch', { fullPath, branches: ['feature/tulips'] });
    expect(project.mergeRequests.nodes).toMatchObject([{ iid: '3', state: 'merged', mergedAt: time(rest.merged_at) }]);
    const states = await ask('getMergeRequestForBranchByState', {
      fullPath,
      branches: ['topic', 'feature/roses', 'feature/tulips'],
    });
    expect([iids(states.project.opened), iids(states.project.merged), iids(states.project.closed)]).toEqual([
      ['1'],
      ['3'],
      ['2'],
    ]);
    expect(
      (await ask('getMergeRequestForBranch', { fullPath, branches: ['none'] })).project.mergeRequests.nodes,
    ).toEqual([]);
  });

  it('reads a merge request, and several by their global IDs, those it cannot see as null', async () => {
    const rest = await w.rest('/merge_requests/1');
    const place = { id: gid('Project', w.project.id), fullPath, webUrl: (await w.rest('')).web_url };
    const { project } = await ask('getMergeRequest', { fullPath, iid: '1' });
    const diffRefs = { baseSha: rest.diff_refs.base_sha, headSha: rest.diff_refs.head_sha };
    expect(project.mergeRequest).toMatchObject({
      id: gid('MergeRequest', rest.id),
      diffRefs,
      project: place,
      sourceProject: place,
    });
    const other = await w.rest('/merge_requests/2');
    const ids = [rest.id, w.hidden.merge.id, other.id].map((id) => gid('MergeRequest', id));
    expect(await ask('getMergeRequests', { id_0: ids[0], id_1: ids[1], id_2: ids[2] })).toEqual({
      mergeRequest_0: { diffRefs, project: place, sourceProject: place },
      mergeRequest_1: null,
      mergeRequest_2: expect.objectContaining({ project: place }),
    });
  });

  it('finds users by a name, with the number in their global IDs', async () => {
    const { users } = await ask('findUser', { search: 'rev' });
    const { body: rest } = await world.api(developer).get(`/users/${w.reviewer.id}`);
    expect(users.nodes).toEqual([
      {
        id: gid('User', rest.id),
        name: rest.name,
        username: 'rev',
        publicEmail: expect.toBeOneOf([null, '']),
        state: 'active',
        avatarUrl: rest.avatar_url,
        webUrl: rest.web_url,
      },
    ]);
    expect(/gid:\/\/gitlab\/User\/([0-9]+)\b/.exec(users.nodes[0].id)?.[1]).toBe(String(w.reviewer.id));
  });
});

describe('GitKraken', () => {
  const client = clientOf(world, 'gitkraken', owner);
  const account = ({ id, name, username, avatar_url, web_url }: Json) => ({
    id: gid('User', id),
    name,
    username,
    avatarUrl: avatar_url,
    webUrl: web_url,
  });

  it('knows accounts: its own, by name, by address, of a commit, of a project', async () => {
    const { body: self } = await world.api(owner).get('/user');
    expect((await client.data('getCurrentUser')).currentUser).toMatchObject(account(self));
    expect((await client.data('getAccountForUsername', { username: 'olivia' })).user).toMatchObject(account(self));
    expect(await client.data('getAccountForUsername', { username: 'nobody-here' })).toEqual({ user: null });
    expect((await client.data('getAccountForEmail', { email: 'nobody@example.net' })).users.nodes).toEqual([]);
    const { diff_refs: refs } = await w.rest('/merge_requests/1');
    const data = await client.data('getUserForCommit', { fullPath, sha: refs.head_sha });
    expect(data.project.repository.commit).toMatchObject({ sha: refs.head_sha, author: account(self) });
    const none = await client.ask('getUserForCommit', { fullPath, sha: 'f'.repeat(40) });
    expect(none).toEqual({ data: { project: { repository: { commit: null } } } });
    const members = await client.data('getAccountsForRepo', { fullPath });
    expect(members.project.projectMembers.nodes.map(({ user }: Json) => user.username).sort()).toEqual([
      'dev',
      'gus',
      'olivia',
      'rev',
    ]);
  });

  it('reads a batch of projects, of which one does not exist and one is not seen, without an error', async () => {
    const data = await client.ask(
      'batchGetRepos',
      {},
      { REPO_0: fullPath, REPO_1: `${DECOY}/${DECOY}`, REPO_2: 'team/none' },
    );
    expect(data).toEqual({
      data: { getRepo_0: expect.objectContaining({ fullPath }), getRepo_1: null, getRepo_2: null },
    });
    const rest = await w.rest('');
    expect((await client.data('getRepo', { fullPath })).project).toEqual({
      id: gid('Project', rest.id),
      name: rest.name,
      fullPath,
      description: rest.description,
      httpUrlToRepo: rest.http_url_to_repo,
      sshUrlToRepo: rest.ssh_url_to_repo,
      webUrl: rest.web_url,
      archived: false,
      isForked: false,
      namespace: { id: gid('Group', w.group.id), fullPath: 'team', path: 'team' },
      repository: { rootRef: 'master' },
      userPermissions: {
        adminOperations: true,
        createMergeRequestIn: true,
        downloadCode: true,
        pushCode: true,
        readMergeRequest: true,
      },
    });
    const mine = await client.data('getReposForCurrentUser');
    expect(mine.projects.nodes.map((one: Json) => one.fullPath).sort()).toEqual(['team/garden', 'team/inner/shed']);
  });

  it('tells apart what somebody may do in a project', async () => {
    const may = async (who: typeof owner) =>
      (await clientOf(world, 'gitkraken', who).data('getRepo', { fullPath })).project?.userPermissions;
    expect(await may(developer)).toEqual({
      adminOperations: false,
      createMergeRequestIn: true,
      downloadCode: true,
      pushCode: true,
      readMergeRequest: true,
    });
    expect(await may(w.guest)).toMatchObject({ adminOperations: false, pushCode: false });
    expect((await may(w.outsider)) ?? null).toBeNull();
  });

  it('shows merge requests with reviews, checks and rights, by project and by person', LONG, async () => {
    const rest = await w.rest('/merge_requests/1');
    const { project } = await client.data('getPullRequestForRepo', { fullPath, iid: '1' });
    expect(project.mergeRequest).toMatchObject({
      id: gid('MergeRequest', rest.id),
      iid: '1',
      state: 'opened',
      conflicts: false,
      mergeable: true,
      mergeStatusEnum: 'CAN_BE_MERGED',
      approved: expect.any(Boolean),
      upvotes: rest.upvotes,
      userNotesCount: rest.user_notes_count,
      commitCount: 1,
      assignees: { nodes: rest.assignees.map(account) },
      reviewers: {
        nodes: [
          { ...account(rest.reviewers[0]), mergeRequestInteraction: { approved: true, reviewState: 'APPROVED' } },
        ],
      },
      approvedBy: { nodes: [account(rest.reviewers[0])] },
      labels: {
        nodes: [{ id: gid('ProjectLabel', w.label.id), title: 'bug', color: '#ff0000', description: 'Broken' }],
      },
      milestone: { id: gid('Milestone', w.milestone.id), title: 'Spring' },
      diffStatsSummary: { additions: 2, deletions: 1, fileCount: 2 },
      headPipeline: {
        id: gid('Ci::Pipeline', rest.head_pipeline.id),
        status: 'SUCCESS',
        detailedStatus: { label: rest.head_pipeline.detailed_status.label },
      },
      userPermissions: { canMerge: true, canApprove: true, updateMergeRequest: true },
    });
    const listed = await client.data('getPullRequestsForRepo', { fullPath, state: 'all' });
    const order = await w.rest('/merge_requests?state=all&order_by=updated_at&sort=desc');
    expect(iids(listed.project.mergeRequests)).toEqual(order.map(({ iid }: Json) => String(iid)));
    expect(listed.project.mergeRequests.count).toBe(3);
    const of = async (operation: string, username: string) => {
      const { user } = await client.data(operation, { username });
      return Object.values<Json>(user)[0];
    };
    expect(await of('getPullRequestsForUserAuthored', 'dev')).toMatchObject({ count: 1, nodes: [{ iid: '1' }] });
    expect(await of('getPullRequestsForUserAssigned', 'olivia')).toMatchObject({ count: 1, nodes: [{ iid: '1' }] });
    expect(await of('getPullRequestsForUserReviewRequested', 'rev')).toMatchObject({ count: 1, nodes: [{ iid: '1' }] });
    expect(await of('getPullRequestsForUserAuthored', 'outsider')).toMatchObject({ count: 0, nodes: [] });
  });

  it('shows issues with labels, milestones and comments, and filters them', async () => {
    const rest = await w.rest(`/issues/${w.parent.iid}`);
    const { project } = await client.data('GetSingleIssue', { fullPath, iid: String(w.parent.iid) });
    expect(project.issue).toMatchObject({
      id: gid('Issue', rest.id),
      iid: '1',
      state: 'opened',
      type: 'ISSUE',
      upvotes: 1,
      userNotesCount: rest.user_notes_count,
      assignees: { nodes: [account(rest.assignees[0])] },
      milestone: { id: gid('Milestone', w.milestone.id), title: 'Spring' },
    });
    expect(project.issue.labels.nodes.map(({ id, title }: Json) => [id, title]).sort()).toEqual(
      [
        [gid('GroupLabel', w.groupLabel.id), 'team-wide'],
        [gid('ProjectLabel', w.label.id), 'bug'],
      ].sort(),
    );
    expect(
      project.issue.notes.nodes
        .filter(({ system }: Json) => !system)
        .map(({ body }: Json) => body)
        .sort(),
    ).toEqual(['Is the tap open?', 'Only for us']);
    const list = async (variables: Json) =>
      iids((await client.data('GetIssuesFromProject', { fullPath, ...variables })).project.issues).sort();
    expect(await list({ state: 'closed' })).toEqual(['4']);
    expect(await list({ labelName: ['bug'] })).toEqual(['1']);
    expect(await list({ assigneeUsername: 'dev' })).toEqual(['1']);
    expect(await list({ authorUsername: 'nobody-here' })).toEqual([]);
    const confidential = await clientOf(world, 'gitkraken', w.guest).data('GetIssuesFromProject', { fullPath });
    expect(JSON.stringify(confidential)).not.toContain(DECOY);
  });

  it('lists milestones and labels, those of the groups around too', async () => {
    const milestones = await client.data('getMilestonesForRepo', { fullPath });
    expect(milestones.project.milestones.nodes).toEqual([
      {
        id: gid('Milestone', w.milestone.id),
        iid: '1',
        title: 'Spring',
        description: null,
        state: 'active',
        dueDate: '2031-04-01',
      },
      {
        id: gid('Milestone', w.groupMilestone.id),
        iid: expect.any(String),
        title: 'Year',
        description: null,
        state: 'active',
        dueDate: '2031-12-31',
      },
    ]);
    const labels = await client.data('getLabelsForRepo', { fullPath });
    expect(labels.project.labels.nodes.map(({ title }: Json) => title).sort()).toEqual(['bug', 'team-wide']);
  });

  it('writes a note where the request for changes, which is paid, is missing', async () => {
    const body = await client.ask('MergeRequestRequestChanges', { fullPath, iid: '1' });
    expect(body.errors[0].message).toMatch(
      /Field '[^']+' (?:doesn'?t|does not) exist on type|Field '[^']+' is not defined|undefined field '[^']+' on type/,
    );
    expect(body).not.toHaveProperty('data');
  });
});
