// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { registerRunner } from '../support/runner.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, admin, master, developer, reporter] = [
  await world.user(),
  await world.user({ admin: true }),
  await world.user(),
  await world.user(),
  await world.user(),
];
const { address } = remotes(world, owner);

/** A project with a commit on `main`, which is not protected, and members of each role. */
async function start(visibility: 'private' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  const at = `/projects/${project.id}`;
  await world.api(owner).post(`${at}/repository/files/a.txt`, { branch: 'main', commit_message: 'x', content: 'a' });
  await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
  return { project, at };
}

const level = (accessLevel: number, description: string) => ({
  id: expect.any(Number),
  access_level: accessLevel,
  access_level_description: description,
  deploy_key_id: null,
  user_id: null,
  group_id: null,
});
const MAINTAINERS = level(40, 'Maintainers');
const DEVELOPERS = level(30, 'Developers + Maintainers');
const NO_ONE = level(0, 'No one');
const ADMINISTRATORS = level(60, 'Administrators');
const encode = encodeURIComponent;

describe('Protections of branches', () => {
  it('are created, read by their literal name, changed and removed, in the records that clients of today read', async () => {
    const { project, at } = await start();
    const api = world.api(owner);
    const created = await api.post(`${at}/protected_branches`, { name: 'release/*' });
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      id: expect.any(Number),
      name: 'release/*',
      push_access_levels: [MAINTAINERS],
      merge_access_levels: [MAINTAINERS],
      unprotect_access_levels: [MAINTAINERS],
      allow_force_push: false,
      code_owner_approval_required: false,
      inherited: false,
    });
    const given = { push_access_level: 0, merge_access_level: 30, unprotect_access_level: 60, allow_force_push: true };
    const other = await api.post(`${at}/protected_branches`, { name: 'main', ...given });
    expect(other.body).toMatchObject({
      push_access_levels: [NO_ONE],
      merge_access_levels: [DEVELOPERS],
      unprotect_access_levels: [ADMINISTRATORS],
      allow_force_push: true,
    });
    const ids = [created.body, other.body].flatMap((one: Json) =>
      ['push', 'merge', 'unprotect'].flatMap((kind) => one[`${kind}_access_levels`].map(({ id }: Json) => id)),
    );
    expect(new Set(ids).size).toBe(6);
    expect((await api.get(`${at}/protected_branches`)).body).toEqual([other.body, created.body]);
    expect((await api.get(`${at}/protected_branches?search=LEASE`)).body).toEqual([created.body]);
    expect((await api.get(`${at}/protected_branches/release%2F*`)).body).toEqual(created.body);
    expect((await api.get(`${at}/protected_branches/release%2F1`)).status).toBe(404);
    const [pushLevel] = created.body.push_access_levels;
    const changed = await api.patch(`${at}/protected_branches/release%2F*`, {
      allow_force_push: true,
      allowed_to_push: [{ id: pushLevel.id, access_level: 30 }],
      allowed_to_merge: [{ access_level: 30 }],
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...created.body,
        allow_force_push: true,
        push_access_levels: [{ ...DEVELOPERS, id: pushLevel.id }],
        merge_access_levels: [created.body.merge_access_levels[0], DEVELOPERS],
      },
    ]);
    const [first, second] = changed.body.merge_access_levels;
    const swapped = await api.patch(`${at}/protected_branches/release%2F*`, {
      allowed_to_merge: [
        { id: first.id, access_level: 30 },
        { id: second.id, access_level: 40 },
      ],
    });
    expect(swapped.body.merge_access_levels).toEqual([
      { ...DEVELOPERS, id: first.id },
      { ...MAINTAINERS, id: second.id },
    ]);
    const removed = await api.patch(`${at}/protected_branches/release%2F*`, {
      allowed_to_merge: [{ id: first.id, _destroy: true }],
    });
    expect(removed.body.merge_access_levels).toEqual([{ ...MAINTAINERS, id: second.id }]);
    expect((await api.delete(`${at}/protected_branches/release%2F*`)).status).toBe(204);
    expect((await api.delete(`${at}/protected_branches/release%2F*`)).body).toEqual({ message: '404 Not found' });
    expect(await world.db.protectedBranch.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('refuse values that make no rule, in the words of v4, and change nothing', async () => {
    const { project, at } = await start();
    const api = world.api(owner);
    const other = await start();
    const foreign = await world.api(owner).post(`${other.at}/protected_branches`, { name: 'x' });
    const { body: made } = await api.post(`${at}/protected_branches`, { name: 'main' });
    const { body: key } = await api.post(`${at}/deploy_keys`, { title: 'reads', key: newKey() });
    const before = await world.db.protectedBranchLevel.findMany({ orderBy: { id: 'asc' } });
    const taken = ['Push access levels access level has already been taken'];
    const cases: [object, number, unknown][] = [
      [{ name: 'main' }, 409, { message: "Protected branch 'main' already exists" }],
      [{}, 400, { error: 'name is missing' }],
      [{ name: ' ' }, 422, { message: ["Name can't be blank"] }],
      [{ name: 'x'.repeat(256) }, 422, { message: ['Name is too long (maximum is 255 characters)'] }],
      [{ name: 'b', push_access_level: 20 }, 400, { error: 'push_access_level does not have a valid value' }],
      [{ name: 'b', unprotect_access_level: 0 }, 400, { error: 'unprotect_access_level does not have a valid value' }],
      [{ name: 'b', allowed_to_push: [{ access_level: 30 }, { access_level: 30 }] }, 422, { message: taken }],
      [{ name: 'b', push_access_level: 40, allowed_to_push: [{ access_level: 40 }] }, 422, { message: taken }],
      [
        { name: 'b', allowed_to_push: [{ user_id: owner.id }] },
        422,
        { message: ['Push access levels cannot name a user or a group'] },
      ],
      [
        { name: 'b', allowed_to_merge: [{ group_id: 1 }] },
        422,
        { message: ['Merge access levels cannot name a user or a group'] },
      ],
      [{ name: 'b', allowed_to_push: [{}] }, 422, { message: ["Push access levels access level can't be blank"] }],
      [
        { name: 'b', allowed_to_unprotect: [{ access_level: 0 }] },
        422,
        { message: ['Unprotect access levels access level is not included in the list'] },
      ],
      [
        { name: 'b', allowed_to_push: [{ deploy_key_id: key.id }] },
        422,
        { message: ['Push access levels deploy key is not enabled for this project'] },
      ],
      [
        { name: 'b', allowed_to_merge: [{ deploy_key_id: key.id }] },
        422,
        { message: ['Merge access levels cannot name a deploy key'] },
      ],
    ];
    for (const [given, status, body] of cases) {
      const answer = await api.post(`${at}/protected_branches`, given);
      expect([given, answer.status, answer.body]).toEqual([given, status, body]);
    }
    const [foreignLevel] = foreign.body.push_access_levels;
    const change = (allowed: object, name = 'main') =>
      api.patch(`${at}/protected_branches/${name}`, { allow_force_push: true, allowed_to_push: [allowed] });
    expect(await change({ id: foreignLevel.id, _destroy: true })).toMatchObject({ status: 404 });
    expect(await change({ access_level: 40 })).toMatchObject({ status: 422, body: { message: taken } });
    expect(await change({ access_level: 30 }, 'nothing')).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
    expect((await api.get(`${at}/protected_branches/main`)).body).toEqual(made);
    expect(await world.db.protectedBranchLevel.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
    expect(await world.db.protectedBranch.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('are 1,000 in a project at most, and as quickly applied to the longest names as to any', async () => {
    const { project, at } = await start();
    const data = Array.from({ length: 1000 }, (_, n) => ({ projectId: project.id, name: `${'*a'.repeat(120)}${n}` }));
    await world.db.protectedBranch.createMany({ data });
    expect(await world.api(owner).post(`${at}/protected_branches`, { name: 'more' })).toMatchObject({
      status: 422,
      body: { message: ['Name exceeds the limit of 1000 protections in a project'] },
    });
    const branch = 'a'.repeat(200);
    expect((await world.api(developer).post(`${at}/repository/branches`, { branch, ref: 'main' })).status).toBe(201);
  });

  it('are made once of a name, however many ask at the same time', async () => {
    const { project, at } = await start();
    const name = 'once';
    const all = await Promise.all([1, 2, 3, 4].map(() => world.api(owner).post(`${at}/protected_branches`, { name })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await world.db.protectedBranch.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('are shown to those who read the code, and changed by masters whom they let unprotect', async () => {
    const { at } = await start('public');
    await world.api(owner).post(`${at}/protected_branches`, { name: 'main', unprotect_access_level: 60 });
    const statuses = async (who?: TestUser) => {
      const api = world.api(who);
      const one = `${at}/protected_branches/main`;
      return [
        (await api.get(`${at}/protected_branches`)).status,
        (await api.get(one)).status,
        (await api.post(`${at}/protected_branches`, { name: 'main' })).status,
        (await api.patch(one, { allow_force_push: true })).status,
        (await api.put(`${at}/repository/branches/main/protect`, { developers_can_push: true })).status,
        (await api.put(`${at}/repository/branches/main/unprotect`)).status,
        (await api.delete(one)).status,
      ];
    };
    expect(await statuses()).toEqual([200, 200, 401, 401, 401, 401, 401]);
    expect(await statuses(await world.user())).toEqual([200, 200, 403, 403, 403, 403, 403]);
    expect(await statuses(developer)).toEqual([200, 200, 403, 403, 403, 403, 403]);
    expect(await statuses(master)).toEqual([200, 200, 409, 403, 403, 403, 403]);
    expect(await statuses(admin)).toEqual([200, 200, 409, 200, 200, 200, 404]);
    const hidden = await start();
    expect((await world.api(reporter).get(`${hidden.at}/protected_branches`)).status).toBe(200);
    const guest = await world.user();
    await world.member(hidden.project, guest, 'guest');
    expect((await world.api(guest).get(`${hidden.at}/protected_branches`)).status).toBe(403);
    expect((await world.api(await world.user()).get(`${hidden.at}/protected_branches`)).status).toBe(404);
  });

  it('and the endpoints of 2017 speak of the same rule', async () => {
    const { at } = await start();
    const api = world.api(owner);
    const branch = `${at}/repository/branches/main`;
    await api.put(`${branch}/protect`, { developers_can_push: true });
    const rule = async () => (await api.get(`${at}/protected_branches/main`)).body;
    const first = await rule();
    expect(first).toMatchObject({ push_access_levels: [DEVELOPERS], merge_access_levels: [MAINTAINERS] });
    await api.put(`${branch}/protect`, { developers_can_merge: true });
    expect(await rule()).toMatchObject({
      push_access_levels: first.push_access_levels,
      merge_access_levels: [DEVELOPERS],
    });
    await api.patch(`${at}/protected_branches/main`, {
      allowed_to_push: [{ id: first.push_access_levels[0].id, access_level: 0 }],
    });
    const shown = async () => {
      const { body } = await api.get(branch);
      return [body.protected, body.developers_can_push, body.developers_can_merge];
    };
    expect(await shown()).toEqual([true, false, true]);
    // What is not said stays, also a level that 2017 had not.
    await api.put(`${branch}/protect`, { developers_can_merge: false });
    expect(await rule()).toMatchObject({ push_access_levels: [NO_ONE], merge_access_levels: [MAINTAINERS] });
    await api.put(`${branch}/protect`, { developers_can_push: false });
    expect(await rule()).toMatchObject({ push_access_levels: [MAINTAINERS] });
    await api.post(`${at}/protected_branches`, { name: 'ma*', merge_access_level: 30 });
    expect(await shown()).toEqual([true, false, true]);
    await api.put(`${branch}/unprotect`);
    expect(await shown()).toEqual([true, false, true]);
    expect((await api.get(`${at}/protected_branches`)).body.map(({ name }: Json) => name)).toEqual(['ma*']);
    expect((await api.delete(branch)).status).toBe(405);
  });

  it('follow what a server of the previous version writes, and it reads what this one writes', async () => {
    const { project, at } = await start();
    const { id } = await world.db.protectedBranch.create({
      data: { projectId: project.id, name: 'main', developersCanPush: true },
    });
    const rule = async () => (await world.api(owner).get(`${at}/protected_branches/main`)).body;
    expect(await rule()).toMatchObject({ push_access_levels: [DEVELOPERS], merge_access_levels: [MAINTAINERS] });
    await world.db.protectedBranch.update({
      where: { id },
      data: { developersCanPush: false, developersCanMerge: true },
    });
    const now = await rule();
    expect(now).toMatchObject({ push_access_levels: [MAINTAINERS], merge_access_levels: [DEVELOPERS] });
    await world.api(owner).patch(`${at}/protected_branches/main`, {
      allowed_to_push: [{ access_level: 30 }],
      allowed_to_merge: [{ id: now.merge_access_levels[0].id, access_level: 60 }],
    });
    expect(await world.db.protectedBranch.findUnique({ where: { id } })).toMatchObject({
      developersCanPush: true,
      developersCanMerge: false,
    });
  });
});

const ROLES = { admin, owner, master, developer, reporter };
/** Whom each rule lets push: the names of roles. */
const RULES: [rules: Record<string, object>, pushers: (keyof typeof ROLES)[], mergers: (keyof typeof ROLES)[]][] = [
  [{}, ['admin', 'owner', 'master', 'developer'], ['admin', 'owner', 'master', 'developer']],
  [{ 'to*': {} }, ['admin', 'owner', 'master'], ['admin', 'owner', 'master']],
  [{ topic: { push_access_level: 0, merge_access_level: 0 } }, [], []],
  [{ topic: { push_access_level: 0, merge_access_level: 30 } }, [], ['admin', 'owner', 'master', 'developer']],
  [{ '*': { push_access_level: 60, merge_access_level: 60 } }, ['admin'], ['admin']],
  [
    { 't*c': { push_access_level: 30, merge_access_level: 40 } },
    ['admin', 'owner', 'master', 'developer'],
    ['admin', 'owner', 'master', 'developer'],
  ],
  // Of several rules, what one of them allows is allowed.
  [
    { topic: { push_access_level: 0, merge_access_level: 0 }, 'to*': { push_access_level: 40, merge_access_level: 0 } },
    ['admin', 'owner', 'master'],
    ['admin', 'owner', 'master'],
  ],
  [{ topic: { push_access_level: 0, merge_access_level: 0 }, 'else*': { push_access_level: 30 } }, [], []],
];

describe('A rule decides', () => {
  it.each(RULES)('with %o for %j who may push, and for %j who may merge', LONG, async (rules, pushers, mergers) => {
    const { project, at } = await start();
    const repository = `${at}/repository`;
    await world.api(owner).post(`${repository}/branches`, { branch: 'topic', ref: 'main' });
    await world.api(owner).post(`${repository}/branches`, { branch: 'source', ref: 'main' });
    const { body: picked } = await world.api(owner).post(`${repository}/commits`, {
      branch: 'source',
      commit_message: 'Pick me',
      actions: [{ action: 'create', file_path: 'picked.txt', content: 'x' }],
    });
    for (const [name, given] of Object.entries(rules)) {
      expect((await world.api(owner).post(`${at}/protected_branches`, { name, ...given })).status).toBe(201);
    }
    const ways: Record<string, (who: TestUser) => Promise<boolean>> = {
      commits: async (who) => {
        const actions = [{ action: 'create', file_path: world.unique('file'), content: '' }];
        const given = { branch: 'topic', commit_message: 'x', actions };
        return (await world.api(who).post(`${repository}/commits`, given)).status === 201;
      },
      files: async (who) => {
        const given = { branch: 'topic', commit_message: 'x', content: '' };
        return (await world.api(who).post(`${repository}/files/${world.unique('file')}`, given)).status === 201;
      },
      git: async (who) => {
        const copy = await clone(address(project, who)).catch(() => null);
        if (copy === null) return false;
        await run(copy, 'checkout', '--quiet', 'topic');
        await commitFile(copy, world.unique('file'), 'x');
        const { code, said } = await gitClient(copy, 'push', 'origin', 'HEAD:topic');
        if (code !== 0 && Object.keys(rules).length > 0 && who !== reporter) {
          expect(said).toContain('You are not allowed to push code to protected branches on this project.');
        }
        return code === 0;
      },
      cherryPick: async (who) => {
        const path = `${repository}/commits/${picked.id}/cherry_pick`;
        const { status, body } = await world.api(who).post(path, { branch: 'topic' });
        return status === 201 || body.error_code === 'empty';
      },
    };
    // One rule lies below all ways: each set of rules is tried by two of them in turn.
    const nth = RULES.findIndex(([given]) => given === rules) % 2;
    const tried = Object.entries(ways).filter((_, at) => at % 2 === nth);
    const seen: Record<string, string[]> = {};
    for (const [way, attempt] of tried) {
      seen[way] = [];
      for (const [role, who] of Object.entries(ROLES)) if (await attempt(who)) seen[way]?.push(role);
    }
    expect(seen).toEqual(Object.fromEntries(tried.map(([way]) => [way, pushers])));
    const merging: string[] = [];
    for (const [role, who] of Object.entries(ROLES)) {
      const source = world.unique('from');
      const actions = [{ action: 'create', file_path: source, content: '' }];
      await world.api(admin).post(`${repository}/branches`, { branch: source, ref: 'topic' });
      await world.api(admin).post(`${repository}/commits`, { branch: source, commit_message: 'x', actions });
      const given = { source_branch: source, target_branch: 'topic', title: 'Merge' };
      const { body: request } = await world.api(admin).post(`${at}/merge_requests`, given);
      const { status } = await world.api(who).put(`${at}/merge_requests/${request.iid}/merge`);
      if (status === 200) merging.push(role);
      else await world.api(admin).put(`${at}/merge_requests/${request.iid}`, { state_event: 'close' });
    }
    expect(merging).toEqual(mergers);
  });
});

describe('A push that drops commits', () => {
  it('needs a rule that allows it, and the right to push', LONG, async () => {
    const { project, at } = await start();
    const rules = `${at}/protected_branches`;
    await world.api(owner).post(rules, { name: 'main', push_access_level: 40 });
    const copy = await clone(address(project, master));
    const forced = async (who: TestUser) => {
      await run(copy, 'commit', '--quiet', '--amend', '--allow-empty', '-m', world.unique('message'));
      return gitClient(copy, 'push', '--force', address(project, who), 'HEAD:main');
    };
    const refused = 'You are not allowed to force push code to a protected branch on this project.';
    expect((await forced(master)).said).toContain(refused);
    await world.api(owner).post(rules, { name: 'ma*', push_access_level: 40, allow_force_push: true });
    expect((await forced(developer)).said).toContain('You are not allowed to push code to protected branches');
    expect((await forced(master)).code).toBe(0);
    await world.api(owner).delete(`${rules}/${encode('ma*')}`);
    expect((await forced(master)).said).toContain(refused);
    expect((await gitClient(copy, 'push', address(project, master), ':main')).code).toBe(1);
  });
});

describe('Protections of tags', () => {
  it('are created, read by their literal name and removed by masters', async () => {
    const { project, at } = await start('public');
    const api = world.api(owner);
    const tags = `${at}/protected_tags`;
    const { status, body } = await api.post(tags, { name: 'v*' });
    expect([status, body]).toEqual([201, { name: 'v*', create_access_levels: [MAINTAINERS] }]);
    const { body: other } = await api.post(tags, { name: 'a', create_access_level: 0 });
    expect(other).toEqual({ name: 'a', create_access_levels: [NO_ONE] });
    expect((await api.get(tags)).body).toEqual([other, body]);
    expect((await api.get(`${tags}/v*`)).body).toEqual(body);
    expect((await api.get(`${tags}/v1`)).body).toEqual({ message: '404 Not found' });
    expect(await api.post(tags, { name: 'v*' })).toMatchObject({
      status: 422,
      body: { message: ['Name has already been taken'] },
    });
    expect(await api.post(tags, { name: 'b', create_access_level: 60 })).toMatchObject({
      status: 400,
      body: { error: 'create_access_level does not have a valid value' },
    });
    for (const who of [undefined, await world.user(), developer]) {
      const expected = who ? 403 : 401;
      expect((await world.api(who).get(tags)).status).toBe(expected);
      expect((await world.api(who).get(`${tags}/a`)).status).toBe(expected);
      expect((await world.api(who).post(tags, { name: 'c' })).status).toBe(expected);
      expect((await world.api(who).delete(`${tags}/a`)).status).toBe(expected);
    }
    expect((await world.api(master).delete(`${tags}/a`)).status).toBe(204);
    expect((await world.api(master).delete(`${tags}/a`)).status).toBe(404);
    expect(await world.db.protectedTag.count({ where: { projectId: project.id } })).toBe(1);
  });

  it(
    'decide who creates tags, by the API and by pushes; nobody moves them, and masters delete them by the API',
    LONG,
    async () => {
      const { project, at } = await start();
      const tags = `${at}/protected_tags`;
      await world.api(owner).post(tags, { name: 'v*' });
      await world.api(owner).post(tags, { name: 'never', create_access_level: 0 });
      const refused = 'You are not allowed to create this tag as it is protected.';
      const make = (who: TestUser, name: string) =>
        world.api(who).post(`${at}/repository/tags`, { tag_name: name, ref: 'main' });
      expect(await make(developer, 'v1')).toMatchObject({ status: 405, body: { message: refused } });
      expect(await make(admin, 'never')).toMatchObject({ status: 405, body: { message: refused } });
      expect((await make(developer, 'free')).status).toBe(201);
      expect((await make(master, 'v1')).status).toBe(201);
      expect((await make(reporter, 'v2')).status).toBe(403);
      const copy = await clone(address(project, owner));
      await run(copy, 'tag', 'v3');
      const push = (who: TestUser, ...refs: string[]) =>
        gitClient(copy, 'push', '--force', address(project, who), ...refs);
      expect((await push(developer, 'v3')).said).toContain(refused);
      expect((await push(master, 'v3')).code).toBe(0);
      await commitFile(copy, 'b.txt', 'two\n');
      expect((await push(owner, 'HEAD:refs/tags/v3')).said).toContain('Protected tags cannot be updated.');
      expect((await push(owner, ':refs/tags/v3')).said).toContain('Protected tags cannot be deleted');
      expect((await push(developer, 'HEAD:refs/tags/free')).code).toBe(0);
      const drop = async (who: TestUser, name: string) =>
        (await world.api(who).delete(`${at}/repository/tags/${name}`)).status;
      expect(await drop(developer, 'v3')).toBe(403);
      expect(await drop(developer, 'free')).toBe(204);
      expect(await drop(master, 'v3')).toBe(204);
    },
  );
});

it('protected variables reach jobs of protected tags whose starters may create them', LONG, async () => {
  const { project, at } = await start();
  const api = world.api(owner);
  await api.post(`${at}/variables`, { key: 'SECRET', value: 'hush', protected: true });
  await api.post(`${at}/protected_tags`, { name: 'v*' });
  const content = 'all: { script: build }';
  await api.post(`${at}/repository/files/.gitlab-ci.yml`, { branch: 'main', commit_message: 'CI', content });
  const runner = await registerRunner(world, {});
  const secretOf = async (ref: string) => {
    await api.post(`${at}/repository/tags`, { tag_name: ref, ref: 'main' });
    const { body: pipeline } = await api.post(`${at}/pipeline`, { ref });
    // Pushes make pipelines, too.
    const isOther = { projectId: project.id, pipelineId: { not: pipeline.id } };
    await world.db.job.updateMany({ where: isOther, data: { status: 'success' } });
    const { variables, git_info: info } = await runner.take();
    expect(info.ref).toBe(ref);
    return variables.find(({ key }: Json) => key === 'SECRET')?.value;
  };
  expect(await secretOf('v1')).toBe('hush');
  expect(await secretOf('other')).toBeUndefined();
});

it('rules go with their project, and a fork has its own', async () => {
  const { project, at } = await start('public');
  await world.api(owner).post(`${at}/protected_branches`, { name: 'kept/*', push_access_level: 0 });
  const group = await world.group({ owner });
  await world.api(admin).post(`/groups/${group.id}/projects/${project.id}`);
  expect((await world.api(owner).get(`${at}/protected_branches`)).body).toMatchObject([
    { name: 'kept/*', push_access_levels: [NO_ONE] },
  ]);
  const fork = (await world.api(master).post(`${at}/fork`)).body;
  expect((await world.api(master).get(`/projects/${fork.id}/protected_branches`)).status).toBe(200);
  expect(await world.db.protectedBranch.count({ where: { projectId: fork.id, name: 'kept/*' } })).toBe(0);
});
