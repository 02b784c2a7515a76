// Each test takes long: the long run has them all.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { beforeEach, describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reviewer = await world.user();
const client = new Gitlab({ host: world.url, token: owner.token });
const reviewing = new Gitlab({ host: world.url, token: reviewer.token });

let [groupId, id, iid] = [0, 0, 0];

/** A project in a group, and a merge request that changes two lines of a file of it, for the reviewer. */
beforeEach(async () => {
  const group = await client.Groups.create('Team', world.unique('team'), { visibility: 'private' });
  groupId = group.id;
  await client.GroupMembers.add(groupId, 30, { userId: reviewer.id });
  const project = await client.Projects.create({
    name: 'Reviewed',
    namespaceId: groupId,
    onlyAllowMergeIfAllDiscussionsAreResolved: true,
  });
  id = project.id;
  const write = (branch: string, action: 'create' | 'update', content: string) =>
    client.Commits.create(id, branch, `Write ${branch}`, [{ action, filePath: 'a.txt', content }]);
  await write('main', 'create', 'one\ntwo\nthree\n');
  await client.Branches.create(id, 'topic', 'main');
  await write('topic', 'update', 'one\n2\nthree\nfour\n');
  await write('topic', 'update', 'one\n2\nthree\nfour\nfive\n');
  const made = await client.MergeRequests.create(id, 'topic', 'main', 'Count further', {
    reviewerIds: [reviewer.id],
    assigneeIds: [owner.id, reviewer.id],
    labels: 'bug,ui',
    squash: true,
  });
  iid = made.iid;
});

describe('A client of today', () => {
  it('shows a merge request, its people and its changes, and finds it in lists at three levels', async () => {
    const shown = await client.MergeRequests.show(id, iid);
    expect(shown).toMatchObject({
      reviewers: [{ id: reviewer.id }],
      assignees: [{ id: owner.id }, { id: reviewer.id }],
      assignee: { id: owner.id },
      squash: true,
      draft: false,
      changes_count: '1',
      references: { short: `!${iid}` },
      blocking_discussions_resolved: true,
    });
    expect(await client.MergeRequests.allDiffs(id, iid)).toMatchObject([{ new_path: 'a.txt', new_file: false }]);
    expect(await client.MergeRequests.allCommits(id, iid)).toHaveLength(2);
    expect(await client.MergeRequests.allDiffVersions(id, iid)).toMatchObject([
      { head_commit_sha: shown.diff_refs.head_sha },
    ]);
    expect(await client.MergeRequests.allParticipants(id, iid)).toMatchObject([{ id: owner.id }, { id: reviewer.id }]);
    expect(await client.MergeRequests.showReviewers(id, iid)).toMatchObject([
      { user: { id: reviewer.id }, state: 'unreviewed' },
    ]);
    expect(await client.MergeRequests.allPipelines(id, iid)).toEqual([]);

    await client.MergeRequests.create(id, 'main', 'topic', 'Count back');
    const found = { reviewerId: reviewer.id, state: 'opened' } as const;
    for (const place of [{ projectId: id }, { groupId }, { scope: 'all' as const }]) {
      expect((await client.MergeRequests.all({ ...found, ...place })).map(({ title }) => title)).toEqual([
        'Count further',
      ]);
    }
    const merged = await client.MergeRequests.merge(id, iid, { shouldRemoveSourceBranch: true });
    expect(merged).toMatchObject({ state: 'merged', squash_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(await client.Commits.allMergeRequests(id, merged.merge_commit_sha ?? '')).toMatchObject([{ iid }]);
  });

  it('begins a thread on a line, answers, resolves it, and approves', async () => {
    const { diff_refs } = await reviewing.MergeRequests.show(id, iid);
    const thread = await reviewing.MergeRequestDiscussions.create(id, iid, 'Why a digit?', {
      position: {
        baseSha: diff_refs.base_sha,
        startSha: diff_refs.start_sha,
        headSha: diff_refs.head_sha,
        positionType: 'text',
        oldPath: 'a.txt',
        newPath: 'a.txt',
        newLine: '2',
      },
    });
    expect(thread).toMatchObject({
      individual_note: false,
      notes: [{ type: 'DiffNote', resolvable: true, resolved: false, position: { new_line: 2, old_line: null } }],
    });
    expect(await client.MergeRequests.show(id, iid)).toMatchObject({ blocking_discussions_resolved: false });
    const answer = await client.MergeRequestDiscussions.addNote(id, iid, thread.id, 'It is shorter');
    expect(answer).toMatchObject({ body: 'It is shorter', type: 'DiffNote' });
    await client.MergeRequestDiscussions.editNote(id, iid, thread.id, answer.id, { body: 'Shorter' });
    await client.MergeRequestDiscussions.resolve(id, iid, thread.id, true);
    expect(await client.MergeRequestDiscussions.show(id, iid, thread.id)).toMatchObject({
      notes: [{ resolved: true, resolved_by: { id: owner.id } }, { body: 'Shorter' }],
    });
    await client.MergeRequestNotes.create(id, iid, 'One more thing');
    const said = (await client.MergeRequestDiscussions.all(id, iid)).filter(({ notes }) => !notes?.[0]?.system);
    expect(said.map(({ individual_note }) => individual_note)).toEqual([false, true]);

    expect(await reviewing.MergeRequestApprovals.approve(id, iid)).toMatchObject({ approved: true });
    expect(await client.MergeRequestApprovals.showConfiguration(id, { mergerequestIId: iid })).toMatchObject({
      approved_by: [{ user: { id: reviewer.id } }],
      approvals_left: 0,
    });
    await reviewing.MergeRequestApprovals.unapprove(id, iid);
    expect(await client.MergeRequestApprovals.showConfiguration(id, { mergerequestIId: iid })).toMatchObject({
      approved_by: [],
    });
  });

  it('talks about issues and commits in threads', async () => {
    const issue = await client.Issues.create(id, 'Counts wrong', { assigneeIds: [owner.id, reviewer.id] });
    expect(issue).toMatchObject({ assignees: [{ id: owner.id }, { id: reviewer.id }] });
    const thread = await reviewing.IssueDiscussions.create(id, issue.iid, 'Since when?');
    await client.IssueDiscussions.addNote(id, issue.iid, thread.id, 'Since today');
    expect(await client.IssueDiscussions.all(id, issue.iid)).toMatchObject([
      { id: thread.id, notes: [{ body: 'Since when?' }, { body: 'Since today' }] },
    ]);
    expect(await client.Issues.allParticipants(id, issue.iid)).toMatchObject([{ id: owner.id }, { id: reviewer.id }]);
    const [commit] = await client.Commits.all(id, { refName: 'main' });
    const onCommit = await client.CommitDiscussions.create(id, commit?.id ?? '', 'A good beginning');
    expect(await client.CommitDiscussions.show(id, commit?.id ?? '', onCommit.id)).toMatchObject({
      notes: [{ body: 'A good beginning' }],
    });
  });

  it('plans with labels, milestones and boards of a group, and reads what happened', async () => {
    const label = await client.GroupLabels.create(groupId, 'urgent', '#ff0000');
    const milestone = await client.GroupMilestones.create(groupId, 'Autumn', { dueDate: '2031-10-31' });
    const board = await client.GroupIssueBoards.create(groupId, 'Everything');
    // The client’s types do not name what its method sends.
    await client.GroupIssueBoards.createList(groupId, board.id, { labelId: label.id } as object);
    expect(await client.GroupIssueBoards.allLists(groupId, board.id)).toMatchObject([{ label: { name: 'urgent' } }]);
    expect((await client.ProjectLabels.all(id)).map(({ name }) => name)).toEqual(['bug', 'ui', 'urgent']);

    const issue = await client.Issues.create(id, 'Soon', { labels: 'urgent', milestoneId: milestone.id });
    await client.Issues.create(id, 'Later');
    expect(await client.Issues.all({ groupId, labels: 'urgent', milestone: 'Autumn' })).toMatchObject([
      { title: 'Soon' },
    ]);
    expect(await client.GroupMilestones.allAssignedIssues(groupId, milestone.id)).toMatchObject([{ title: 'Soon' }]);
    await client.Issues.edit(id, issue.iid, { stateEvent: 'close', labels: '' });
    expect(await client.IssueLabelEvents.all(id, issue.iid)).toMatchObject([
      { action: 'add', label: { name: 'urgent' } },
      { action: 'remove', label: { name: 'urgent' } },
    ]);
    expect(await client.IssueStateEvents.all(id, issue.iid)).toMatchObject([{ state: 'closed' }]);
    expect(await client.IssueMilestoneEvents.all(id, issue.iid)).toMatchObject([
      { action: 'add', milestone: { title: 'Autumn' } },
    ]);
    const bug = (await client.ProjectLabels.all(id)).find(({ name }) => name === 'bug');
    expect(await client.ProjectLabels.promote(id, bug?.id ?? 0)).toMatchObject({ name: 'bug' });
    expect((await client.GroupLabels.all(groupId)).map(({ name }) => name)).toEqual(['bug', 'urgent']);
  });
});
