import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const other = await world.project({ owner });
const group = await world.group({ owner });

async function ask(query: string, variables: object = {}) {
  const { body } = await world.send('POST', '/graphql', {
    headers: { 'PRIVATE-TOKEN': owner.token },
    body: { query, variables },
  });
  return body;
}

describe('A project or a group', () => {
  const CREATE =
    'mutation($input: CreateMilestoneInput!) { createMilestone(input: $input) { milestone { id title project { fullPath } group { fullPath } } } }';

  it('is named by owner, as one of the two', async () => {
    const inProject = await ask(CREATE, { input: { owner: { project: project.fullPath }, title: 'of a project' } });
    expect(inProject.data.createMilestone.milestone).toMatchObject({
      project: { fullPath: project.fullPath },
      group: null,
    });
    const inGroup = await ask(CREATE, { input: { owner: { group: group.fullPath }, title: 'of a group' } });
    expect(inGroup.data.createMilestone.milestone).toMatchObject({
      project: null,
      group: { fullPath: group.fullPath },
    });
    const both = await ask(CREATE, {
      input: { owner: { project: project.fullPath, group: group.fullPath }, title: 'x' },
    });
    expect(both.errors).toHaveLength(1);
  });

  it('is still named by the deprecated fields, but not by both', async () => {
    const { data } = await ask(CREATE, { input: { project: project.fullPath, title: 'by the older field' } });
    expect(data.createMilestone.milestone.project.fullPath).toBe(project.fullPath);
    const twice = await ask(CREATE, {
      input: { owner: { project: project.fullPath }, group: group.fullPath, title: 'twice' },
    });
    expect(twice.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect(twice.errors[0].message).toContain('owner');
    expect(await world.db.milestone.count({ where: { title: 'twice' } })).toBe(0);
  });

  it('must be the one that a record belongs to', async () => {
    const { data } = await ask(CREATE, { input: { owner: { project: project.fullPath }, title: 'held' } });
    const { id } = data.createMilestone.milestone;
    const DELETE = 'mutation($input: DeleteMilestoneInput!) { deleteMilestone(input: $input) { deletedMilestoneId } }';
    const wrong = await ask(DELETE, { input: { id, owner: { project: other.fullPath } } });
    expect(wrong.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await world.db.milestone.count({ where: { title: 'held' } })).toBe(1);
    const right = await ask(DELETE, { input: { id, owner: { project: project.fullPath } } });
    expect(right.data.deleteMilestone.deletedMilestoneId).toBe(id);
  });
});

describe('What undoes a change', () => {
  const share = 'mutation($input: ShareProjectInput!) { shareProject(input: $input) { share { groupId } } }';
  const unshare = 'mutation($input: UnshareProjectInput!) { unshareProject(input: $input) { unsharedGroupId } }';

  it('takes the names of what it undoes: of a share with a project', async () => {
    const [guests, others] = [await world.group({ owner }), await world.group({ owner })];
    const which = { project: project.fullPath, group: guests.fullPath };
    for (const { fullPath } of [guests, others]) {
      const { errors } = await ask(share, { input: { ...which, group: fullPath, accessLevel: 'GUEST' } });
      expect(errors).toBeUndefined();
    }
    expect((await ask(unshare, { input: which })).errors).toBeUndefined();
    const left = await world.db.projectShare.findMany({ where: { projectId: project.id } });
    expect(left.map(({ groupId }) => groupId)).toEqual([others.id]);
    const byId = await ask(unshare, { input: { project: project.fullPath, groupId: String(others.id) } });
    expect(byId.errors).toBeUndefined();
    expect(await world.db.projectShare.count({ where: { projectId: project.id } })).toBe(0);
    const none = await ask(unshare, { input: { project: project.fullPath } });
    expect(none.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  });

  it('takes the names of what it undoes: of a share with a group', async () => {
    const guests = await world.group({ owner });
    const which = { group: group.fullPath, invitedGroup: guests.fullPath };
    const given = await ask('mutation($input: ShareGroupInput!) { shareGroup(input: $input) { group { id } } }', {
      input: { ...which, accessLevel: 'GUEST' },
    });
    expect(given.errors).toBeUndefined();
    const undo = 'mutation($input: UnshareGroupInput!) { unshareGroup(input: $input) { group { id } } }';
    expect((await ask(undo, { input: which })).errors).toBeUndefined();
    expect(await world.db.groupShare.count({ where: { groupId: guests.id } })).toBe(0);
  });

  it('takes the names of what it undoes: of projects and groups whose jobs may use another', async () => {
    const allow = 'mutation($input: AllowJobTokensInput!) { allowJobTokens(input: $input) { targetId } }';
    const disallow = 'mutation($input: DisallowJobTokensInput!) { disallowJobTokens(input: $input) { targetId } }';
    for (const allowed of [{ allowedProject: other.fullPath }, { allowedGroup: group.fullPath }]) {
      const input = { project: project.fullPath, ...allowed };
      expect((await ask(allow, { input })).errors).toBeUndefined();
      expect((await ask(disallow, { input })).errors).toBeUndefined();
    }
    const where = { projectId: project.id };
    const left = [await world.db.jobTokenProject.count({ where }), await world.db.jobTokenGroup.count({ where })];
    expect(left).toEqual([0, 0]);
  });
});

describe('The level 40', () => {
  it('is read as MAINTAINER and as MASTER, and answered as MASTER', async () => {
    const ADD = `mutation($input: AddProjectMemberInput!) { addProjectMember(input: $input) { member { accessLevel } } }`;
    for (const accessLevel of ['MAINTAINER', 'MASTER']) {
      const { id: userId } = await world.user();
      const { data } = await ask(ADD, { input: { project: project.fullPath, userId: String(userId), accessLevel } });
      expect(data.addProjectMember.member.accessLevel).toBe('MASTER');
    }
    const literal = await ask(`{ projects(filter: { minAccessLevel: MAINTAINER }) { nodes { fullPath } } }`);
    expect(literal.data.projects.nodes).toContainEqual({ fullPath: project.fullPath });
  });
});

describe('A list of variables', () => {
  const list = (args: string) =>
    ask(`{ project(ref: "${project.fullPath}") { variables(${args}) { totalCount nodes { key environmentScope } } } }`);
  const keys = ({ data }: { data: { project: { variables: { nodes: { key: string }[] } } } }) =>
    data.project.variables.nodes.map(({ key }) => key);

  beforeAll(async () => {
    for (const [key, environmentScope, isMasked] of [
      ['B', '*', true],
      ['A', 'production', false],
      ['C', '*', false],
      ['A', '*', false],
    ] as const) {
      const input = {
        owner: { project: project.fullPath },
        key,
        environmentScope,
        isMasked,
        value: 'long-enough-value',
      };
      await ask('mutation($input: CreateVariableInput!) { createVariable(input: $input) { variable { key } } }', {
        input,
      });
    }
  });

  it('is in order of creation unless its reader chooses another order', async () => {
    expect(keys(await list('first: 9'))).toEqual(['B', 'A', 'C', 'A']);
    expect(keys(await list('sort: DESC'))).toEqual(['A', 'C', 'A', 'B']);
    expect(keys(await list('orderBy: KEY'))).toEqual(['A', 'A', 'B', 'C']);
    expect(keys(await list('orderBy: KEY, sort: DESC, first: 1'))).toEqual(['C']);
  });

  it('has those that meet all conditions of a filter', async () => {
    expect(keys(await list('filter: { key: "A" }'))).toEqual(['A', 'A']);
    expect(keys(await list('filter: { key: "A", environmentScope: "production" }'))).toEqual(['A']);
    const masked = await list('filter: { masked: true }');
    expect(keys(masked)).toEqual(['B']);
    expect(masked.data.project.variables.totalCount).toBe(1);
    expect(keys(await list('filter: { masked: false }, orderBy: KEY'))).toEqual(['A', 'A', 'C']);
  });
});

describe('The tokens of a user', () => {
  const names = async (args: string) => {
    const { data, errors } = await ask(`{ viewer { personalAccessTokens(${args}) { totalCount nodes { name } } } }`);
    expect(errors).toBeUndefined();
    return data.viewer.personalAccessTokens.nodes.map(({ name }: { name: string }) => name);
  };

  beforeAll(async () => {
    for (const [name, revoked] of [
      ['deploying', false],
      ['building', false],
      ['deployed', true],
    ] as const) {
      const tokenHash = Buffer.from(world.unique(name));
      await world.db.personalAccessToken.create({
        data: { userId: owner.id, name, tokenHash, scopes: ['api'], revoked },
      });
    }
  });

  it('are ordered and filtered, beside their state', async () => {
    const all = await names('first: 20');
    expect(all.filter((name: string) => /deploy|build/.test(name))).toEqual(['deploying', 'building', 'deployed']);
    expect(await names('filter: { search: "DEPLOY" }')).toEqual(['deploying', 'deployed']);
    expect(await names('filter: { search: "deploy" }, state: ACTIVE')).toEqual(['deploying']);
    expect(await names('filter: { search: "ing", revoked: false }, orderBy: NAME_ASC')).toEqual([
      'building',
      'deploying',
    ]);
    const [first] = await names('filter: { search: "ing" }, orderBy: NAME_DESC, first: 1');
    expect(first).toBe('deploying');
  });
});
