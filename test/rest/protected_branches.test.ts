import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const master = await world.user();
const developer = await world.user();
const reporter = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

const REFUSED = { status: 400, body: { message: 'You are not allowed to push into this branch' } };

async function members(made: ProjectRow): Promise<void> {
  await world.member(made, master, 'master');
  await world.member(made, developer, 'developer');
  await world.member(made, reporter, 'reporter');
}

function write(who: TestUser, branch: string, repository = at) {
  const given = { branch, commit_message: 'x', content: world.unique('content') };
  return world.api(who).post(`${repository}/files/${world.unique('file')}`, given);
}

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}/repository`;
  await members(project);
  expect((await write(owner, 'master')).status).toBe(201);
  for (const branch of ['topic', 'release/1.0', 'release/2.0']) {
    await api.post(`${at}/branches`, { branch, ref: 'master' });
  }
});

describe('PUT /projects/:id/repository/branches/:branch/protect', () => {
  it('keeps developers out, and lets them in again', LONG, async () => {
    const protect = (given = {}) => world.api(master).put(`${at}/branches/topic/protect`, given);
    expect((await write(developer, 'topic')).status).toBe(201);
    const first = await protect();
    expect(first).toMatchObject({
      status: 200,
      body: { name: 'topic', protected: true, developers_can_push: false, developers_can_merge: false },
    });
    expect(await write(developer, 'topic')).toMatchObject(REFUSED);
    expect((await write(master, 'topic')).status).toBe(201);
    expect((await protect({ developers_can_push: true })).body).toMatchObject({
      developers_can_push: true,
      developers_can_merge: false,
    });
    expect((await write(developer, 'topic')).status).toBe(201);
    // What is not said stays.
    expect((await protect({ developers_can_merge: 'yes' })).body).toMatchObject({
      developers_can_push: true,
      developers_can_merge: true,
    });
    expect((await protect({ developers_can_push: false })).body).toMatchObject({ developers_can_push: false });
    expect(await write(developer, 'topic')).toMatchObject(REFUSED);
    const free = await world.api(master).put(`${at}/branches/topic/unprotect`);
    expect(free).toMatchObject({ status: 200, body: { protected: false, developers_can_merge: false } });
    expect((await world.api(master).put(`${at}/branches/topic/unprotect`)).status).toBe(200);
    expect((await write(developer, 'topic')).status).toBe(201);
  });

  it('may be asked for twice at once', LONG, async () => {
    const path = `${at}/branches/release/1.0/protect`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.put(path, { developers_can_push: true })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await world.db.protectedBranch.count({ where: { projectId: project.id, name: 'release/1.0' } })).toBe(1);
    expect((await api.put(`${at}/branches/release%2F1.0/unprotect`)).body).toMatchObject({ protected: false });
  });

  itEveryNth(2, ['protect', 'unprotect'])(
    'refuses to %s for missing branches, wrong values and lesser members',
    async (verb) => {
      const before = await world.db.protectedBranch.count();
      const tried = async (who: TestUser | undefined, name = 'topic', given = {}) => {
        const { status, body } = await world.api(who).put(`${at}/branches/${name}/${verb}`, given);
        return [status, body.message ?? body.error];
      };
      expect(await tried(owner, 'nowhere')).toEqual([404, '404 Branch Not Found']);
      expect(await tried(developer)).toEqual([403, '403 Forbidden']);
      expect(await tried(reporter, 'nowhere')).toEqual([403, '403 Forbidden']);
      expect(await tried(undefined)).toEqual([401, '401 Unauthorized']);
      expect(await tried(await world.user())).toEqual([404, '404 Project Not Found']);
      if (verb === 'protect') {
        expect(await tried(owner, 'topic', { developers_can_push: 'maybe' })).toEqual([
          400,
          'developers_can_push is invalid',
        ]);
      }
      expect(await world.db.protectedBranch.count()).toBe(before);
    },
  );
});

describe('Protected names', () => {
  it('may be patterns, which hold for branches that are yet to come', LONG, async () => {
    await world.db.protectedBranch.create({ data: { projectId: project.id, name: 'release/*' } });
    expect((await api.get(`${at}/branches/release%2F2.0`)).body).toMatchObject({ protected: true });
    expect(await write(developer, 'release/2.0')).toMatchObject(REFUSED);
    const given = { branch: 'release/3.0', ref: 'master' };
    expect(await world.api(developer).post(`${at}/branches`, given)).toMatchObject(REFUSED);
    expect((await world.api(master).post(`${at}/branches`, given)).status).toBe(201);
    expect(await api.delete(`${at}/branches/release%2F3.0`)).toMatchObject({
      status: 405,
      body: { message: 'Protected branch cant be removed' },
    });
  });

  itEveryNth(4, [
    ['*', 'anything/at.all', true],
    ['*-stable', '9-1-stable', true],
    ['*-stable', 'stable', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['a.c', 'abc', false],
    ['MASTER', 'master', false],
  ])('%s matches %s: %s', (name, branch, matching) => {
    const protections = [{ projectId: 1, name, allowForcePush: false, levels: [] }];
    expect(protectionOf(protections, branch).protected).toBe(matching);
  });
});

describe('The first branch', () => {
  itEveryNth(4, [
    [0, 201, { protected: false, developers_can_push: false }],
    [1, 201, { protected: true, developers_can_push: true }],
    [2, 400, { protected: true, developers_can_push: false }],
  ])('is protected as the setting %i says', async (level, developers, protection) => {
    await world.api(admin).put('/application/settings', { default_branch_protection: level });
    const own = await world.project({ owner });
    await members(own);
    const repository = `/projects/${own.id}/repository`;
    const byDeveloper = await write(developer, 'main', repository);
    expect(byDeveloper.status).toBe(developers);
    if (developers === 400) {
      expect(byDeveloper).toMatchObject(REFUSED);
      expect((await write(master, 'main', repository)).status).toBe(201);
    }
    expect((await api.get(`${repository}/branches/main`)).body).toMatchObject({
      ...protection,
      developers_can_merge: false,
    });
    expect((await api.get(`/projects/${own.id}`)).body.default_branch).toBe('main');
    // Later branches are not.
    await api.post(`${repository}/branches`, { branch: 'second', ref: 'main' });
    expect((await api.get(`${repository}/branches/second`)).body).toMatchObject({ protected: false });
  });
});
