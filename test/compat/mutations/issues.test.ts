import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gid } from '../../support/client_documents.ts';
import { mutator } from '../../support/compat_mutations.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';
import { opened, withTopic } from '../../support/merge_requests.ts';
import { startWorld, type TestUser } from '../../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [reporter, guest, outsider] = [await world.user(), await world.user(), await world.user()];
const { done, refused, missing, wrongClass } = mutator(world);
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const elsewhere = await world.project({ owner });
const at = `/projects/${project.id}`;
let iid: string;
const rest = async (number: number | string = iid): Promise<Json> =>
  (await world.api(owner).get(`${at}/issues/${number}`)).body;
const which = () => ({ projectPath: project.fullPath, iid });

beforeAll(async () => {
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await world.issue(elsewhere, owner);
});

beforeEach(async () => {
  iid = String((await world.issue(project, owner)).iid);
});

function itIsGuarded(
  name: string,
  input: () => Json,
  refusedTo: (TestUser | undefined)[] = [guest, outsider, undefined],
) {
  it('is refused to those who may not, and for issues that are not there', async () => {
    const before = await rest();
    for (const who of refusedTo) await missing(who, name, { ...which(), ...input() });
    for (const wrong of ['9999', '0', 'one']) await missing(reporter, name, { ...which(), ...input(), iid: wrong });
    await missing(reporter, name, { ...which(), ...input(), projectPath: 'no/project' });
    expect({ ...(await rest()), updated_at: null }).toEqual({ ...before, updated_at: null });
  });
}

describe('createIssue', () => {
  it('opens one with all that a form has', async () => {
    const own = await world.label(project, owner);
    const { body: around } = await world
      .api(owner)
      .post(`/groups/${group.id}/labels`, { name: world.unique('around'), color: '#123456' });
    const milestone = await world.milestone(project, owner);
    const input = {
      projectPath: project.fullPath,
      title: 'Whole',
      description: 'Text',
      confidential: true,
      dueDate: '2031-05-06',
      type: 'INCIDENT',
      locked: true,
      labelIds: [gid('ProjectLabel', own.id), gid('GroupLabel', around.id)],
      labels: ['fresh'],
      milestoneId: gid('Milestone', milestone.id),
      assigneeIds: [gid('User', reporter.id)],
    };
    const { issue } = await done(
      reporter,
      'createIssue',
      input,
      'issue { id iid title type dueDate confidential labels { nodes { title } } assignees { nodes { username } } }',
    );
    const found = await rest(issue.iid);
    expect(issue).toMatchObject({
      id: gid('Issue', found.id),
      iid: String(found.iid),
      title: 'Whole',
      type: 'INCIDENT',
      dueDate: '2031-05-06',
      confidential: true,
      assignees: { nodes: [{ username: reporter.username }] },
    });
    expect(found).toMatchObject({
      description: 'Text',
      issue_type: 'incident',
      discussion_locked: true,
      milestone: { id: milestone.id },
    });
    expect(found.labels.toSorted()).toEqual([around.name, 'fresh', own.title].sort());
  });

  it('opens one with a title alone, for guests too', async () => {
    const { issue } = await done(
      guest,
      'createIssue',
      { projectPath: project.fullPath, title: 'Small' },
      'issue { iid state }',
    );
    expect([issue.state, (await rest(issue.iid)).title]).toEqual(['opened', 'Small']);
  });

  it('stands before or after another', async () => {
    const other = await rest();
    const create = async (beside: Json) =>
      (
        await done(
          reporter,
          'createIssue',
          { projectPath: project.fullPath, title: 'Beside', ...beside },
          'issue { iid }',
        )
      ).issue.iid;
    const after = await create({ moveAfterId: gid('Issue', other.id) });
    const before = await create({ moveBeforeId: gid('Issue', other.id) });
    const { body } = await world.api(owner).get(`${at}/issues?order_by=relative_position&sort=asc&per_page=100`);
    const order = body.map((one: Json) => String(one.iid));
    expect([order.indexOf(before) < order.indexOf(iid), order.indexOf(iid) < order.indexOf(after)]).toEqual([
      false,
      false,
    ]);
  });

  it('follows up on the threads of a merge request', LONG, async () => {
    await withTopic(world, project, owner);
    const merge = await opened(world, project, owner);
    const { body: thread } = await world
      .api(owner)
      .post(`${at}/merge_requests/${merge.iid}/discussions`, { body: 'Later' });
    const input = {
      projectPath: project.fullPath,
      title: 'Follow',
      mergeRequestToResolveDiscussionsOf: gid('MergeRequest', merge.id),
      discussionToResolve: thread.id,
    };
    await done(owner, 'createIssue', input, 'issue { iid }');
    const { body } = await world.api(owner).get(`${at}/merge_requests/${merge.iid}/discussions/${thread.id}`);
    expect(body.notes[0].resolved).toBe(true);
    await missing(owner, 'createIssue', { ...input, mergeRequestToResolveDiscussionsOf: gid('MergeRequest', 999_999) });
  });

  it('tells of wrong values in the payload', LONG, async () => {
    const input = { projectPath: project.fullPath, title: 'x' };
    const foreign = await world.label(elsewhere, owner);
    for (const wrong of [
      { title: '' },
      { title: 'x'.repeat(256) },
      { type: 'REQUIREMENT' },
      { milestoneId: gid('Milestone', 999_999) },
      { assigneeIds: [gid('User', 999_999)] },
    ]) {
      await refused(owner, 'createIssue', { ...input, ...wrong }, 'issue');
    }
    await refused(owner, 'createIssue', { ...input, labelIds: [gid('ProjectLabel', foreign.id)] }, 'issue');
    await missing(owner, 'createIssue', { ...input, labelIds: [gid('ProjectLabel', 999_999)] });
    await wrongClass(owner, 'createIssue', { ...input, assigneeIds: [gid('Group', 1)] }, gid('Group', 1), 'User');
  });

  it('is not for outsiders', async () => {
    for (const who of [outsider, undefined])
      await missing(who, 'createIssue', { projectPath: project.fullPath, title: 'x' });
    await missing(owner, 'createIssue', { projectPath: 'no/project', title: 'x' });
  });
});

describe('updateIssue', () => {
  it('closes and opens one', LONG, async () => {
    for (const [stateEvent, state] of [
      ['CLOSE', 'closed'],
      ['REOPEN', 'opened'],
    ]) {
      expect((await done(reporter, 'updateIssue', { ...which(), stateEvent }, 'issue { state }')).issue).toEqual({
        state,
      });
      expect((await rest()).state).toBe(state);
    }
  });

  it('sets labels and the milestone by their IDs, or clears them', async () => {
    const [label, milestone] = [await world.label(project, owner), await world.milestone(project, owner)];
    const input = { labelIds: [gid('ProjectLabel', label.id)], milestoneId: gid('Milestone', milestone.id) };
    const { issue } = await done(
      reporter,
      'updateIssue',
      { ...which(), ...input },
      'issue { labels { nodes { id } } milestone { id } }',
    );
    expect(issue).toEqual({ labels: { nodes: [{ id: input.labelIds[0] }] }, milestone: { id: input.milestoneId } });
    expect(await rest()).toMatchObject({ labels: [label.title], milestone: { id: milestone.id } });
    await done(reporter, 'updateIssue', { ...which(), labelIds: [String(label.id)] });
    expect((await rest()).milestone.id).toBe(milestone.id);
    await done(reporter, 'updateIssue', { ...which(), labelIds: [], milestoneId: null });
    expect(await rest()).toMatchObject({ labels: [], milestone: null });
  });

  it('tells of wrong ones', async () => {
    await refused(reporter, 'updateIssue', { ...which(), milestoneId: gid('Milestone', 999_999) }, 'issue');
    await missing(reporter, 'updateIssue', { ...which(), labelIds: [gid('ProjectLabel', 999_999)] });
    for (const wrong of [{ milestoneId: gid('User', 1) }, { labelIds: [gid('User', 1)] }]) {
      const body = await mutator(world).send(reporter, 'updateIssue', { ...which(), ...wrong });
      expect(body).toMatchObject({
        data: { updateIssue: null },
        errors: [{ message: expect.stringContaining(`"${gid('User', 1)}" does not represent an instance of`) }],
      });
    }
  });

  itIsGuarded('updateIssue', () => ({ stateEvent: 'CLOSE' }));
});

describe('issueMove', () => {
  it('moves one to another project', async () => {
    const { issue } = await done(
      owner,
      'issueMove',
      { ...which(), targetProjectPath: elsewhere.fullPath },
      'issue { id iid webUrl }',
    );
    const { body } = await world.api(owner).get(`/projects/${elsewhere.id}/issues/${issue.iid}`);
    expect(issue).toEqual({ id: gid('Issue', body.id), iid: String(body.iid), webUrl: body.web_url });
    expect((await rest()).state).toBe('closed');
  });

  it('tells of a target that is none', async () => {
    await refused(owner, 'issueMove', { ...which(), targetProjectPath: project.fullPath }, 'issue');
    await missing(owner, 'issueMove', { ...which(), targetProjectPath: 'no/project' });
    await missing(reporter, 'issueMove', { ...which(), targetProjectPath: elsewhere.fullPath });
  });

  itIsGuarded('issueMove', () => ({ targetProjectPath: elsewhere.fullPath }));
});

describe('issueSetAssignees', () => {
  it('sets people by their names, and none', async () => {
    for (const usernames of [[reporter.username, owner.username].sort(), []]) {
      const { issue } = await done(
        reporter,
        'issueSetAssignees',
        { ...which(), assigneeUsernames: usernames },
        'issue { assignees { nodes { username } } }',
      );
      expect(issue.assignees.nodes.map(({ username }: Json) => username).sort()).toEqual(usernames);
      expect((await rest()).assignees.map(({ username }: Json) => username).sort()).toEqual(usernames);
    }
  });

  it('tells of names that nobody has in the payload', async () => {
    for (const name of ['nobody-here', outsider.username])
      await refused(reporter, 'issueSetAssignees', { ...which(), assigneeUsernames: [name] }, 'issue');
  });

  itIsGuarded('issueSetAssignees', () => ({ assigneeUsernames: [reporter.username] }));
});

describe('issueSetSeverity', () => {
  it('sets that of an incident', async () => {
    await done(reporter, 'createIssue', { projectPath: project.fullPath, title: 'Fire', type: 'INCIDENT' });
    const [incident] = (await world.api(owner).get(`${at}/issues?issue_type=incident&search=Fire`)).body;
    const input = { projectPath: project.fullPath, iid: String(incident.iid), severity: 'CRITICAL' };
    const { issue } = await done(reporter, 'issueSetSeverity', input, 'issue { iid severity }');
    expect(issue).toEqual({ iid: String(incident.iid), severity: 'CRITICAL' });
    expect((await rest(incident.iid)).severity).toBe('CRITICAL');
  });

  itIsGuarded('issueSetSeverity', () => ({ severity: 'LOW' }));
});

describe('timelogDelete', () => {
  const spend = async () => {
    await world.api(owner).post(`${at}/issues/${iid}/add_spent_time`, { duration: '1h', summary: 'Dug' });
    const { id } = await world.db.timelog.findFirstOrThrow({ orderBy: { id: 'desc' } });
    return gid('Timelog', id);
  };

  it('deletes an entry, which it shows once more', async () => {
    const id = await spend();
    const { timelog } = await done(owner, 'timelogDelete', { id }, 'timelog { id timeSpent summary spentAt }');
    expect(timelog).toEqual({
      id,
      timeSpent: 3600,
      summary: 'Dug',
      spentAt: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
    });
    expect((await rest()).time_stats.total_time_spent).toBe(0);
    await missing(owner, 'timelogDelete', { id });
  });

  it('is refused to others', async () => {
    const id = await spend();
    for (const who of [reporter, guest, outsider, undefined]) await missing(who, 'timelogDelete', { id });
    await wrongClass(owner, 'timelogDelete', { id: gid('Issue', 1) }, gid('Issue', 1), 'Timelog');
    expect((await rest()).time_stats.total_time_spent).toBe(3600);
  });
});
