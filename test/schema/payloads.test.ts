import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const member = await world.user();
let group: GroupRow;
let project: ProjectRow;

beforeAll(async () => {
  group = await world.group({ owner });
  project = await world.project({ owner, namespaceId: group.id });
});

async function change(name: string, input: object, selection: string, who: TestUser = owner) {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const { body } = await world.graphql(query, { input }, who);
  expect(body.errors).toBeUndefined();
  return body.data[name];
}

/** Deletions of what is in no project and in no group, or whose payload has the record. */
const WITHOUT_PLACE = [
  'deleteAccount',
  'deleteBroadcastMessage',
  'deleteCommitComment',
  'deleteContainerTags',
  'deleteCustomAttribute',
  'deleteEmail',
  'deleteFeatureToggle',
  'deleteFile',
  'deleteGpgKey',
  'deleteMergedBranches',
  'deleteOAuthApplication',
  'deletePagesDeployment',
  'deletePipelineScheduleVariable',
  'deletePublicDeployKey',
  'deleteRunner',
  'deleteSnippet',
  'deleteSshKey',
  'deleteSystemWebhook',
  'deleteTimelog',
  'deleteTopic',
  'deleteUser',
];

describe('The payload of a deletion', () => {
  it('has what the record was deleted from', () => {
    const deletions = Object.values(schema.getMutationType()?.getFields() ?? {}).filter(({ name }) =>
      /^delete/.test(name),
    );
    const without = deletions.filter(({ type }) => {
      const fields = isObjectType(type) ? type.getFields() : {};
      return !['project', 'group', 'subject'].some((parent) => fields[parent]);
    });
    expect(deletions.length).toBeGreaterThan(40);
    expect(without.map(({ name }) => name).sort()).toEqual(WITHOUT_PLACE);
  });

  it('shows the project or the group as it is then, by whichever field the input names it', async () => {
    const { iid } = await world.issue(project, owner);
    const counted = 'project { id openIssuesCount }';
    const id = toGlobalId('Project', project.id);
    expect(await change('deleteIssue', { project: project.fullPath, iid }, counted)).toEqual({
      project: { id, openIssuesCount: 0 },
    });
    const label = await world.label(project, owner, 'short-lived');
    const place = 'project { id } group { id }';
    const owned = { owner: { project: project.id }, label: { id: toGlobalId('Label', label.id) } };
    expect(await change('deleteLabel', owned, place)).toEqual({ project: { id }, group: null });
  });

  it('shows the project of a record that is named by its ID alone', async () => {
    const inProject = await change('createMilestone', { project: project.id, title: 'One' }, 'milestone { id }');
    const inGroup = await change('createMilestone', { group: group.id, title: 'Two' }, 'milestone { id }');
    const [first, second] = [inProject.milestone.id, inGroup.milestone.id];
    const place = 'deletedMilestoneId project { fullPath } group { fullPath }';
    expect(await change('deleteMilestone', { id: first }, place)).toEqual({
      ...{ deletedMilestoneId: first, project: { fullPath: project.fullPath }, group: null },
    });
    expect(await change('deleteMilestone', { id: second }, place)).toEqual({
      ...{ deletedMilestoneId: second, project: null, group: { fullPath: group.fullPath } },
    });
    const hook = await change(
      'createProjectWebhook',
      { project: project.id, url: 'http://example.com' },
      'webhook { id }',
    );
    expect(await change('deleteWebhook', { id: hook.webhook.id }, place.replace('Milestone', 'Webhook'))).toMatchObject(
      {
        project: { fullPath: project.fullPath },
      },
    );
  });

  it('shows the group around a project or a group, none around a personal project', LONG, async () => {
    const inside = await world.project({ owner, namespaceId: group.id });
    const fullPath = 'group { fullPath }';
    expect(await change('deleteProject', { project: inside.id }, fullPath)).toEqual({
      group: { fullPath: group.fullPath },
    });
    const subgroup = await world.group({ owner, parentId: group.id });
    expect(await change('deleteGroup', { group: subgroup.id }, fullPath)).toEqual({
      group: { fullPath: group.fullPath },
    });
    const own = await world.project({ owner });
    expect(await change('deleteProject', { project: own.id }, fullPath)).toEqual({ group: null });
  });

  it('shows nothing of a project that the caller has left', async () => {
    await world.member(project, member, 'developer');
    const leave = { project: project.id, userId: member.id };
    const left = await change('removeProjectMember', leave, 'removedUserId project { id }', member);
    expect(left).toEqual({ removedUserId: toGlobalId('User', member.id), project: null });
  });

  it('shows what a note was on', async () => {
    const { id, iid } = await world.issue(project, owner);
    const on = { id: toGlobalId('Issue', id) };
    const { note } = await change('createNote', { on, body: 'Hello' }, 'note { id }');
    expect(await change('deleteNote', { id: note.id }, 'deletedNoteId subject { ... on Issue { iid } }')).toEqual({
      deletedNoteId: note.id,
      subject: { iid },
    });
  });
});

describe('The payload of a note with quick actions', () => {
  it('says what each did, in their order, and why some did nothing', async () => {
    const { id } = await world.issue(project, owner);
    await world.label(project, owner, 'bug');
    const body = ['/reopen', '/title New', '/label ~bug ~unknown', '/unlabel', 'Text', '/rebase', '/close'].join('\n');
    const { quickActions, notApplied } = await change(
      'createNote',
      { on: { id: toGlobalId('Issue', id) }, body },
      'notApplied quickActions { name argument applied message }',
    );
    expect(quickActions).toEqual([
      { name: 'reopen', argument: '', applied: false, message: '/reopen is overridden by a later one' },
      { name: 'title', argument: 'New', applied: true, message: null },
      { name: 'label', argument: '~bug ~unknown', applied: true, message: expect.stringContaining('~unknown') },
      { name: 'unlabel', argument: '', applied: true, message: null },
      { name: 'rebase', argument: '', applied: false, message: '/rebase is for merge requests' },
      { name: 'close', argument: '', applied: true, message: null },
    ]);
    expect(notApplied).toHaveLength(2);
    const plain = await change(
      'createNote',
      { on: { id: toGlobalId('Issue', id) }, body: 'Only text' },
      'quickActions { name }',
    );
    expect(plain).toEqual({ quickActions: [] });
  });
});

describe('The payload of a mutation over several people', () => {
  const results = 'results { path member { userId accessLevel } error { code message } }';
  const refused = (path: string, code: string, message: string) => ({ path, member: null, error: { code, message } });

  it('has the member or the error of each, by its position', async () => {
    const place = await world.group({ owner });
    const [first, second] = [await world.user(), await world.user()];
    const input = {
      ...{ group: place.id, accessLevel: 'DEVELOPER' },
      userIds: [first.id, 999_999, owner.id],
      usernames: ['nobody-here', second.username.toUpperCase()],
    };
    const added = (path: string, { id }: TestUser) => ({
      path,
      member: { userId: id, accessLevel: 'DEVELOPER' },
      error: null,
    });
    expect(await change('addGroupMembers', input, `status ${results}`)).toEqual({
      status: 'error',
      results: [
        added('input.userIds.0', first),
        refused('input.userIds.1', 'NOT_FOUND', 'User not found'),
        refused('input.userIds.2', 'CONFLICT', 'The group must keep an owner'),
        refused('input.usernames.0', 'NOT_FOUND', 'User not found'),
        added('input.usernames.1', second),
      ],
    });
    const one = { group: place.id, accessLevel: 'DEVELOPER', usernames: [member.username] };
    expect((await change('addGroupMembers', one, results)).results).toEqual([added('input.usernames.0', member)]);
  });

  it('adds who is named, and nobody whose name fits as a pattern', async () => {
    const pattern = world.unique('a_b');
    const other = await world.user({ username: pattern.replace('_', 'x') });
    const named = await world.user({ username: pattern });
    const input = { project: project.id, accessLevel: 'DEVELOPER', usernames: [pattern] };
    const { member: added } = await change('addProjectMembers', input, 'member { userId }');
    expect(added.userId).toBe(named.id);
    expect(await world.db.member.count({ where: { projectId: project.id, userId: other.id } })).toBe(0);
  });

  it('says of each invitation what came of it', async () => {
    const someone = await world.user();
    const { email } = await world.db.user.findUniqueOrThrow({ where: { id: someone.id }, select: { email: true } });
    await world.db.applicationSettings.update({ where: { id: 1 }, data: { signupEnabled: false } });
    forgetSettings(world.db);
    const input = {
      ...{ owner: { project: project.id }, accessLevel: 'DEVELOPER', userIds: [999_999] },
      emails: [`${world.unique('new')}@example.com`, email],
    };
    expect((await change('inviteMembers', input, results)).results).toEqual([
      refused('input.emails.0', 'CONFLICT', 'There is no account with this address, and sign-up is disabled'),
      { path: 'input.emails.1', member: { userId: someone.id, accessLevel: 'DEVELOPER' }, error: null },
      refused('input.userIds.0', 'NOT_FOUND', 'User not found'),
    ]);
  });
});

describe('A change', () => {
  it('of an issue says whether it changed anything', async () => {
    const { iid } = await world.issue(project, owner, { title: 'Same' });
    const update = async (values: object) =>
      (await change('updateIssue', { project: project.id, iid, ...values }, 'changed issue { state }')) as object;
    expect(await update({ stateEvent: 'CLOSE' })).toEqual({ changed: true, issue: { state: 'CLOSED' } });
    expect(await update({ stateEvent: 'CLOSE' })).toEqual({ changed: false, issue: { state: 'CLOSED' } });
    expect(await update({ discussionLocked: true })).toMatchObject({ changed: true });
    expect(await update({ discussionLocked: true, title: 'Same' })).toMatchObject({ changed: false });
    expect(await update({ title: 'Other' })).toMatchObject({ changed: true });
  });

  it('of the protection of a branch says so, too', LONG, async () => {
    const made = await world.project({ owner, initializeWithReadme: true });
    const branch = await world.db.project.findUniqueOrThrow({
      where: { id: made.id },
      select: { defaultBranch: true },
    });
    const which = { project: made.id, name: branch.defaultBranch ?? 'master' };
    const run = async (name: string, values: object = {}) =>
      (await change(name, { ...which, ...values }, 'changed')).changed;
    await run('unprotectBranch');
    expect(await run('unprotectBranch')).toBe(false);
    expect(await run('protectBranch', { developersCanPush: true })).toBe(true);
    expect(await run('protectBranch', { developersCanPush: true })).toBe(false);
    expect(await run('protectBranch', { developersCanPush: false })).toBe(true);
    expect(await run('unprotectBranch')).toBe(true);
  });

  it('names each user who does not fit by the position in the list, with all else that is wrong', async () => {
    const stranger = await world.user();
    const there = await change('createMilestone', { project: project.id, title: 'Here' }, 'milestone { id }');
    const elsewhere = await world.project({ owner });
    const input = {
      ...{ project: elsewhere.id, title: ' ', milestoneId: there.milestone.id },
      assigneeIds: [owner.id, stranger.id, 0, 999_999].map((id) => (id === 0 ? '0' : toGlobalId('User', id))),
    };
    const { body } = await world.graphql(
      'mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { iid } } }',
      { input },
      owner,
    );
    const wrong = ['is not a user who can read the project'];
    expect(body.errors[0].extensions).toEqual({
      code: 'VALIDATION_FAILED',
      fields: {
        'input.title': ["can't be blank"],
        'input.assigneeIds.1': wrong,
        'input.assigneeIds.3': wrong,
        'input.milestoneId': ['is not a milestone of the project'],
      },
    });
    const { status } = await world
      .api(owner)
      .post(`/projects/${elsewhere.id}/issues`, { title: 'New', assignee_ids: [stranger.id] });
    expect(status).toBe(201);
  });
});
