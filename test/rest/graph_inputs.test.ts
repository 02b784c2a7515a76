// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const stranger = await world.user();
let project: ProjectRow;
let other: ProjectRow;
let group: GroupRow;

beforeAll(async () => {
  group = await world.group({ owner });
  project = await world.project({ owner });
  other = await world.project({ owner });
  await world.member(project, guest, 'guest');
});

/** Runs a mutation; what its payload has, or the error. */
async function run(name: string, input: object, selection: string, who: TestUser = owner) {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const { body } = await world.graphql(query, { input }, who);
  return body.errors ? { error: body.errors[0] } : body.data[name];
}

describe('An input that names a record', () => {
  it('takes its global ID, and the number of the REST API', async () => {
    for (const userId of [toGlobalId('User', stranger.id), `${stranger.id}`, stranger.id]) {
      const add = { project: project.id, userId, accessLevel: 'REPORTER' };
      expect(await run('addProjectMember', add, 'member { userId accessLevel }')).toEqual({
        member: { userId: stranger.id, accessLevel: 'REPORTER' },
      });
      const gone = await run('removeProjectMember', { project: project.id, userId }, 'removedUserId');
      expect(gone).toEqual({ removedUserId: toGlobalId('User', stranger.id) });
    }
  });

  it('refuses the ID of another type and what is no ID, and names itself', async () => {
    const add = { project: project.id, accessLevel: 'GUEST' };
    for (const [userId, reason] of [
      [toGlobalId('Label', 1), 'userId is the ID of a record of type Label, not User'],
      ['nonsense', 'userId is not the ID of a User'],
    ]) {
      const { error } = await run('addProjectMember', { ...add, userId }, 'member { userId }');
      expect([error.message, error.extensions.code]).toEqual([reason, 'VALIDATION_FAILED']);
    }
  });

  it('does not need the project beside the ID, and tells nothing of records that the caller may not know of', async () => {
    const { id } = (await run('createMilestone', { project: project.id, title: 'One' }, 'milestone { id }')).milestone;
    const rename = (input: object, who?: TestUser) =>
      run('updateMilestone', { title: 'Two', ...input }, 'milestone { title }', who);
    expect(await rename({ id })).toEqual({ milestone: { title: 'Two' } });
    expect((await rename({ id, project: other.id })).error.extensions.code).toBe('NOT_FOUND');
    const hidden = (await rename({ id }, stranger)).error;
    const missing = (await rename({ id: toGlobalId('Milestone', 999_999) }, stranger)).error;
    expect([hidden.message, hidden.extensions]).toEqual([missing.message, missing.extensions]);
  });
});

describe('An input that names a project, a group or a namespace', () => {
  it('takes path, global ID and number', LONG, async () => {
    for (const ref of [project.fullPath, toGlobalId('Project', project.id), project.id, `${project.id}`]) {
      const { body } = await world.graphql(
        'query ($ref: ProjectRef!) { project(ref: $ref) { fullPath } }',
        { ref },
        owner,
      );
      expect(body.data.project.fullPath).toBe(project.fullPath);
    }
    const create = async (namespace: unknown) =>
      (await run('createProject', { path: world.unique('at'), namespace }, 'project { namespace { fullPath } }'))
        .project.namespace.fullPath;
    expect(await create(group.fullPath)).toBe(group.fullPath);
    expect(await create(toGlobalId('Group', group.id))).toBe(group.fullPath);
    expect(await create(group.id)).toBe(group.fullPath);
    expect(await create(toGlobalId('User', owner.id))).toBe(owner.username);
    expect(await create(owner.username)).toBe(owner.username);
  });

  it('refuses the ID of another type', async () => {
    const ref = toGlobalId('Group', group.id);
    const { body } = await world.graphql('query ($ref: ProjectRef!) { project(ref: $ref) { id } }', { ref }, owner);
    expect(body.errors[0].message).toContain('is the ID of a record of type Group, not Project');
  });

  it('is a path alone in the REST API, even if it looks like a global ID', async () => {
    const path = toGlobalId('Group', group.id);
    await world.api(owner).post('/groups', { name: 'Odd', path });
    expect((await world.api(owner).get(`/groups/${path}`)).body).toMatchObject({ path, name: 'Odd' });
    const { body } = await world.graphql(
      'query ($ref: GroupRef!) { group(ref: $ref) { fullPath } }',
      { ref: path },
      owner,
    );
    expect(body.data.group.fullPath).toBe(group.fullPath);
  });
});

describe('What a caller may not set', () => {
  const create = (input: object, who = guest) =>
    run('createIssue', { project: project.id, title: 'From a guest', ...input }, 'issue { iid labelTitles }', who);

  it('is refused with a reason in GraphQL, and nothing is done', async () => {
    const before = await world.db.issue.count();
    const { error } = await create({ labels: ['x'], dueDate: '2030-01-01' });
    expect([error.message, error.extensions.code]).toEqual([
      'Only reporters of the project can set labels, dueDate',
      'FORBIDDEN',
    ]);
    const timed = await create({ createdAt: '2001-01-01T00:00:00Z' });
    expect(timed.error.message).toMatch(/^Only administrators .*can set createdAt$/);
    expect(await world.db.issue.count()).toBe(before);
  });

  it('is left out where the caller says so, as in the REST API', async () => {
    expect((await create({ labels: ['x'], ignoreForbidden: true })).issue.labelTitles).toEqual([]);
    const { status, body } = await world
      .api(guest)
      .post(`/projects/${project.id}/issues`, { title: 'REST', labels: 'x' });
    expect([status, body.labels]).toEqual([201, []]);
  });

  it('is refused in changes too, clearing included', async () => {
    const { iid } = (await create({})).issue;
    const update = (input: object) =>
      run('updateIssue', { project: project.id, iid, ...input }, 'issue { title }', guest);
    expect((await update({ assigneeId: null })).error.extensions.code).toBe('FORBIDDEN');
    expect(await update({ title: 'Mine' })).toEqual({ issue: { title: 'Mine' } });
  });

  it('says which assignee or milestone does not fit', async () => {
    const foreign = (await run('createMilestone', { project: other.id, title: 'There' }, 'milestone { id }')).milestone
      .id;
    const { error } = await create({ assigneeId: toGlobalId('User', stranger.id), milestoneId: foreign }, owner);
    expect([error.extensions.code, error.message]).toEqual([
      'VALIDATION_FAILED',
      'assigneeId is not a user who can read the project, milestoneId is not a milestone of the project',
    ]);
  });
});

describe('Exactly one of several', () => {
  it('names a label: its ID or its title', async () => {
    const label = await world.label(project, owner, world.unique('label'));
    const which = (reference: object) =>
      run('subscribeToLabel', { project: project.id, label: reference }, 'changed label { id }');
    const id = toGlobalId('Label', label.id);
    expect(await which({ id })).toEqual({ changed: true, label: { id } });
    expect(await which({ title: label.title })).toEqual({ changed: false, label: { id } });
    expect((await which({ id, title: label.title })).error.message).toBe('label must have exactly one of its fields');
    expect(await run('deleteLabel', { project: project.id, label: { id } }, 'deletedLabelId')).toEqual({
      deletedLabelId: id,
    });
  });

  it('proves who the caller is: password or code', async () => {
    const { error } = await run('disableTwoFactor', { password: 'x', code: '1' }, 'user { id }');
    expect(error.message).toMatch(/exactly one/i);
  });
});

describe('Words that no enum has', () => {
  it('are refused in GraphQL by the schema, and in REST in the words of the contract', async () => {
    const add = { project: project.id, userId: stranger.id, accessLevel: 'EMPEROR' };
    expect((await run('addProjectMember', add, 'member { userId }')).error.message).toMatch(
      /^accessLevel must be one of/,
    );
    const level = await world
      .api(owner)
      .post(`/projects/${project.id}/members`, { user_id: stranger.id, access_level: 15 });
    expect(level).toMatchObject({ status: 400, body: { message: { access_level: ['is not included in the list'] } } });
  });
});
