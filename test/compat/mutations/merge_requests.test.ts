// Takes long: the long run has it.
// @module-tag long
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gid, numberIn } from '../../support/client_documents.ts';
import { mutator } from '../../support/compat_mutations.ts';
import type { Json } from '../../support/http.ts';
import { commitTo, opened, withTopic } from '../../support/merge_requests.ts';
import { startWorld, type TestUser } from '../../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [developer, reporter, guest, outsider] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const { done, refused, missing, wrongClass } = mutator(world);
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const elsewhere = await world.project({ owner });
const at = `/projects/${project.id}`;
const rest = async (path = ''): Promise<Json> =>
  (await world.api(owner).get(`${at}/merge_requests/${iid}${path}`)).body;
let iid: string;
let branch: string;

beforeAll(async () => {
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await withTopic(world, project, owner, 'first');
});

/** Each test has a merge request of its own. */
beforeEach(async () => {
  branch = world.unique('branch');
  await world.api(owner).post(`${at}/repository/branches?branch=${branch}&ref=master`);
  await commitTo(world, project, owner, branch, `${branch}.txt`);
  const record = await opened(world, project, developer, { title: 'Change', sourceBranch: branch });
  await world.idle();
  iid = String(record.iid);
});

const which = () => ({ projectPath: project.fullPath, iid });
/** Who is told that the merge request is not there. */
const OTHERS: (TestUser | undefined)[] = [guest, outsider, undefined];
const shown = 'mergeRequest { iid state }';

/** What holds for every change of a merge request: who may make it, and what is said where there is none. */
function itIsGuarded(name: string, input: () => Json, refusedTo = OTHERS) {
  it('is refused to those who may not, and for merge requests that are not there', async () => {
    const before = await rest();
    for (const who of refusedTo) await missing(who, name, { ...which(), ...input() });
    for (const wrong of ['9999', '0', '', 'one', '99999999999'])
      await missing(developer, name, { ...which(), ...input(), iid: wrong });
    await missing(developer, name, { ...which(), ...input(), projectPath: 'no/project' });
    const after = await rest();
    expect({ ...after, updated_at: null }).toEqual({ ...before, updated_at: null });
  });
}

describe('mergeRequestCreate', () => {
  const input = (changes: Json = {}) => ({
    projectPath: project.fullPath,
    sourceBranch: branch,
    targetBranch: 'master',
    title: 'New',
    ...changes,
  });

  it('opens one', async () => {
    await world.api(owner).put(`${at}/merge_requests/${iid}`, { state_event: 'close' });
    const { mergeRequest } = await done(
      developer,
      'mergeRequestCreate',
      input(),
      'mergeRequest { id iid title state author { username } }',
    );
    const { body } = await world.api(owner).get(`${at}/merge_requests/${mergeRequest.iid}`);
    expect(mergeRequest).toEqual({
      id: gid('MergeRequest', body.id),
      iid: String(body.iid),
      title: 'New',
      state: 'opened',
      author: { username: developer.username },
    });
  });

  it('tells of branches and titles that are wrong, and of one that is open, in the payload', async () => {
    for (const wrong of [
      {},
      { sourceBranch: 'none' },
      { targetBranch: 'none' },
      { title: '' },
      { title: 'x'.repeat(256) },
    ]) {
      await refused(developer, 'mergeRequestCreate', input(wrong), 'mergeRequest');
    }
  });

  it('is for developers', async () => {
    for (const who of [reporter, ...OTHERS]) await missing(who, 'mergeRequestCreate', input());
    await missing(developer, 'mergeRequestCreate', input({ projectPath: 'no/project' }));
    await missing(developer, 'mergeRequestCreate', input({ projectPath: elsewhere.fullPath }));
  });
});

describe('mergeRequestUpdate', () => {
  it('closes and opens one', async () => {
    for (const [state, expected] of [
      ['CLOSED', 'closed'],
      ['OPEN', 'opened'],
    ]) {
      expect((await done(developer, 'mergeRequestUpdate', { ...which(), state }, shown)).mergeRequest).toEqual({
        iid,
        state: expected,
      });
      expect((await rest()).state).toBe(expected);
    }
  });

  itIsGuarded('mergeRequestUpdate', () => ({ state: 'CLOSED' }));
});

describe('mergeRequestSetDraft', () => {
  it('marks one as a draft and as ready', async () => {
    for (const draft of [true, false]) {
      const { mergeRequest } = await done(
        developer,
        'mergeRequestSetDraft',
        { ...which(), draft },
        'mergeRequest { draft title }',
      );
      expect(mergeRequest).toEqual({ draft, title: draft ? 'Draft: Change' : 'Change' });
      expect((await rest()).draft).toBe(draft);
    }
  });

  itIsGuarded('mergeRequestSetDraft', () => ({ draft: true }));
});

describe('mergeRequestSetAssignees and mergeRequestSetReviewers', () => {
  const kinds: [string, string, string][] = [
    ['mergeRequestSetAssignees', 'assigneeUsernames', 'assignees'],
    ['mergeRequestSetReviewers', 'reviewerUsernames', 'reviewers'],
  ];
  describe.each(kinds)('%s', (name, argument, field) => {
    it('sets people by their names, and none', async () => {
      for (const people of [[reporter, owner], [developer], []]) {
        const usernames = people.map(({ username }) => username);
        const { mergeRequest } = await done(
          developer,
          name,
          { ...which(), [argument]: usernames },
          `mergeRequest { ${field} { nodes { username } } }`,
        );
        expect(mergeRequest[field].nodes.map(({ username }: Json) => username).sort()).toEqual(usernames.toSorted());
        expect((await rest())[field].map(({ username }: Json) => username).sort()).toEqual(usernames.toSorted());
      }
    });

    it('tells of names that nobody has in the payload', async () => {
      await refused(developer, name, { ...which(), [argument]: ['nobody-here'] }, 'mergeRequest');
      await refused(developer, name, { ...which(), [argument]: [outsider.username] }, 'mergeRequest');
      expect((await rest())[field]).toEqual([]);
    });

    itIsGuarded(name, () => ({ [argument]: [developer.username] }));
  });
});

describe('mergeRequestSetMilestone', () => {
  it('sets a milestone of the project or a group around it, and none', async () => {
    const own = await world.milestone(project, owner);
    const { body: around } = await world.api(owner).post(`/groups/${group.id}/milestones`, { title: 'Around' });
    for (const milestone of [own, around]) {
      const milestoneId = gid('Milestone', milestone.id);
      const { mergeRequest } = await done(
        developer,
        'mergeRequestSetMilestone',
        { ...which(), milestoneId },
        'mergeRequest { milestone { id title } }',
      );
      expect(mergeRequest.milestone).toEqual({ id: milestoneId, title: milestone.title });
      expect((await rest()).milestone.id).toBe(milestone.id);
    }
    const { mergeRequest } = await done(
      developer,
      'mergeRequestSetMilestone',
      { ...which(), milestoneId: null },
      'mergeRequest { milestone { id } }',
    );
    expect([mergeRequest.milestone, (await rest()).milestone]).toEqual([null, null]);
  });

  it('tells of milestones of other projects, and of none, in the payload', async () => {
    const { id } = await world.milestone(elsewhere, owner);
    await refused(
      developer,
      'mergeRequestSetMilestone',
      { ...which(), milestoneId: gid('Milestone', id) },
      'mergeRequest',
    );
    await refused(
      developer,
      'mergeRequestSetMilestone',
      { ...which(), milestoneId: gid('Milestone', 999_999) },
      'mergeRequest',
    );
    await wrongClass(
      developer,
      'mergeRequestSetMilestone',
      { ...which(), milestoneId: gid('Issue', id) },
      gid('Issue', id),
      'Milestone',
    );
  });

  itIsGuarded('mergeRequestSetMilestone', () => ({ milestoneId: null }));
});

describe('mergeRequestSetLabels', () => {
  it('sets labels by their IDs, of the project and of groups around it, and none', async () => {
    const own = await world.label(project, owner);
    const { body: around } = await world
      .api(owner)
      .post(`/groups/${group.id}/labels`, { name: world.unique('around'), color: '#123456' });
    const labelIds = [gid('ProjectLabel', own.id), gid('GroupLabel', around.id)];
    const { mergeRequest } = await done(
      developer,
      'mergeRequestSetLabels',
      { ...which(), labelIds },
      'mergeRequest { labels { nodes { id title } } }',
    );
    expect(mergeRequest.labels.nodes.map(({ id }: Json) => id).sort()).toEqual(labelIds.toSorted());
    expect((await rest()).labels.toSorted()).toEqual([around.name, own.title].sort());
    await done(developer, 'mergeRequestSetLabels', { ...which(), labelIds: [gid('Label', own.id)] });
    expect((await rest()).labels).toEqual([own.title]);
    await done(developer, 'mergeRequestSetLabels', { ...which(), labelIds: [] });
    expect((await rest()).labels).toEqual([]);
  });

  it('makes no label of one from another project, and tells of one that is missing', async () => {
    const foreign = await world.label(elsewhere, owner);
    const [message] = await refused(
      owner,
      'mergeRequestSetLabels',
      { ...which(), labelIds: [gid('ProjectLabel', foreign.id)] },
      'mergeRequest',
    );
    expect(message).toBe(`Label ${foreign.id} does not belong to the project`);
    await missing(developer, 'mergeRequestSetLabels', { ...which(), labelIds: [gid('ProjectLabel', foreign.id)] });
    await missing(developer, 'mergeRequestSetLabels', { ...which(), labelIds: [gid('ProjectLabel', 999_999)] });
    await wrongClass(
      developer,
      'mergeRequestSetLabels',
      { ...which(), labelIds: [gid('User', 1)] },
      gid('User', 1),
      'Label',
    );
    expect(await world.db.label.count({ where: { projectId: project.id, title: foreign.title } })).toBe(0);
  });

  itIsGuarded('mergeRequestSetLabels', () => ({ labelIds: [] }));
});

describe('mergeRequestReviewerRereview', () => {
  const reviewers =
    'mergeRequest { reviewers { nodes { username mergeRequestInteraction { reviewState approved } } } }';

  it('asks a reviewer again, whose review is as at first', async () => {
    await done(developer, 'mergeRequestSetReviewers', { ...which(), reviewerUsernames: [owner.username] });
    await world.api(owner).post(`${at}/merge_requests/${iid}/approve`);
    const input = { ...which(), userId: gid('User', owner.id) };
    const { mergeRequest } = await done(developer, 'mergeRequestReviewerRereview', input, reviewers);
    expect(mergeRequest.reviewers.nodes).toMatchObject([
      { username: owner.username, mergeRequestInteraction: { reviewState: 'UNREVIEWED' } },
    ]);
  });

  it('tells of users who do not review it', async () => {
    await missing(developer, 'mergeRequestReviewerRereview', { ...which(), userId: gid('User', reporter.id) });
    await wrongClass(
      developer,
      'mergeRequestReviewerRereview',
      { ...which(), userId: gid('Group', 1) },
      gid('Group', 1),
      'User',
    );
  });

  itIsGuarded('mergeRequestReviewerRereview', () => ({ userId: gid('User', owner.id) }));
});

describe('mergeRequestAccept', () => {
  it('merges the head that was seen, with messages', async () => {
    const { sha } = await rest();
    const input = { ...which(), sha, commitMessage: 'Bring it in', shouldRemoveSourceBranch: true };
    const { mergeRequest } = await done(owner, 'mergeRequestAccept', input, 'mergeRequest { id state mergedAt }');
    const merged = await rest();
    expect([mergeRequest.state, merged.state]).toEqual(['merged', 'merged']);
    expect(numberIn(mergeRequest.id, 'MergeRequest')).toBe(merged.id);
    const { body: commit } = await world.api(owner).get(`${at}/repository/commits/${merged.merge_commit_sha}`);
    expect(commit.message.trimEnd()).toBe('Bring it in');
    await world.idle();
    expect((await world.api(owner).get(`${at}/repository/branches/${branch}`)).status).toBe(404);
  });

  it('squashes what is to be squashed', async () => {
    const second = await commitTo(world, project, owner, branch, 'second.txt');
    await world.idle();
    await done(
      owner,
      'mergeRequestAccept',
      { ...which(), sha: second, squash: true, squashCommitMessage: 'As one' },
      shown,
    );
    const { squash_commit_sha: squashed } = await rest();
    expect((await world.api(owner).get(`${at}/repository/commits/${squashed}`)).body.message.trimEnd()).toBe('As one');
  });

  it('tells of another head, and of one that is closed, in the payload', async () => {
    await refused(owner, 'mergeRequestAccept', { ...which(), sha: 'f'.repeat(40) }, 'mergeRequest');
    const { sha } = await rest();
    await world.api(owner).put(`${at}/merge_requests/${iid}`, { state_event: 'close' });
    await refused(owner, 'mergeRequestAccept', { ...which(), sha }, 'mergeRequest');
    expect((await rest()).state).toBe('closed');
  });

  itIsGuarded('mergeRequestAccept', () => ({ sha: 'f'.repeat(40) }), [reporter, ...OTHERS]);
});
