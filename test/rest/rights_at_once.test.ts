// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [admin, reader] = [await world.user({ admin: true }), await world.user()];

/** A project whose issues a reader has listed before. */
async function asked(visibility: string, who: TestUser) {
  const { body: project } = await world.api(owner).post('/projects', { name: world.unique('project'), visibility });
  const at = `/projects/${project.id}/issues`;
  for (let time = 0; time < 2; time++) expect((await world.api(who).get(at)).status).toBe(200);
  return { at, project, statusOf: async (user?: TestUser) => (await world.api(user).get(at)).status };
}

describe('A project that was read before', () => {
  it('has in its lists at once what the actor may see by now', async () => {
    const member = await world.user();
    const project = await world.project({ owner });
    await world.issue(project, owner, { title: 'Open' });
    await world.issue(project, owner, { title: 'Secret', confidential: true });
    const query = `{ project(ref: ${project.id}) { issues { nodes { title } } } }`;
    const seen = async () => {
      const { body } = await world.api(member).get(`/projects/${project.id}/issues`);
      const { body: graphql } = await world.graphql(query, {}, member);
      const nodes = graphql.data.project?.issues.nodes ?? [];
      const titles = (list: { title: string }[]) => list.map(({ title }) => title).sort();
      expect(titles(nodes)).toEqual(Array.isArray(body) ? titles(body) : []);
      return titles(nodes);
    };
    for (const [level, wanted] of [
      ['reporter', ['Open', 'Secret']],
      ['guest', ['Open']],
      ['developer', ['Open', 'Secret']],
      [null, []],
    ] as const) {
      await world.db.member.deleteMany({ where: { projectId: project.id, userId: member.id } });
      if (level) await world.member(project, member, level);
      for (let time = 0; time < 2; time += 1) expect(await seen()).toEqual(wanted);
    }
  });

  it('is shown to nobody over GraphQL either whose token has ended', async () => {
    const { project } = await asked('private', owner);
    const token = await world.token(owner);
    const query = `{ project(ref: ${project.id}) { name issues { totalCount } } }`;
    const ask = async () => (await world.graphql(query, {}, { ...owner, token })).body;
    for (let time = 0; time < 2; time += 1) expect((await ask()).data.project.name).toBe(project.name);
    await world.db.personalAccessToken.updateMany({ where: { userId: owner.id }, data: { revoked: true } });
    expect(await ask()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });

  it('is read by nobody who asks after the token was revoked, however many ask meanwhile', LONG, async () => {
    const { at } = await asked('private', owner);
    const token = await world.token(owner);
    const headers = { 'PRIVATE-TOKEN': token };
    const ask = async () => (await world.send('GET', `/api/v4${at}`, { headers })).status;
    for (let time = 0; time < 2; time += 1) expect(await ask()).toBe(200);
    let isRevoked = false;
    const late: number[] = [];
    const readers = Array.from({ length: 8 }, async () => {
      for (let left = 5; left > 0; ) {
        const isLate = isRevoked;
        const status = await ask();
        if (!isLate) continue;
        late.push(status);
        left -= 1;
      }
    });
    await world.db.personalAccessToken.updateMany({ where: { userId: owner.id }, data: { revoked: true } });
    isRevoked = true;
    await Promise.all(readers);
    expect(late).toEqual(Array(40).fill(401));
  });

  it('does not keep refusals from being told as they are', LONG, async () => {
    const [guest, project] = [await world.user(), await world.project({ owner })];
    await world.member(project, guest, 'guest');
    const ask = (path: string) => world.api(guest).get(`/projects/${project.id}/${path}`);
    for (let time = 0; time < 2; time += 1) {
      expect((await ask('variables')).status).toBe(403);
      expect((await ask('issues/999')).status).toBe(404);
      expect((await ask('issues?per_page=x')).status).toBe(400);
    }
    await world.api(admin).post(`/users/${guest.id}/block`);
    for (const path of ['variables', 'issues/999', 'issues', 'issues?per_page=x'])
      expect((await ask(path)).status).toBe(401);
  });

  it('is not shown any more once it is private', async () => {
    const { project, statusOf } = await asked('internal', reader);
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'private' });
    expect([await statusOf(reader), await statusOf(owner)]).toEqual([404, 200]);
  });

  it('is not shown to others for whom the same was read', async () => {
    const { statusOf } = await asked('private', owner);
    for (let time = 0; time < 2; time++) {
      expect([await statusOf(reader), await statusOf(), await statusOf(owner)]).toEqual([404, 401, 200]);
    }
  });

  it('is shown by its path as by its ID, and where it went', LONG, async () => {
    const { project } = await asked('private', owner);
    const path = (text: string) => `/projects/${encodeURIComponent(text)}/issues`;
    const former = project.path_with_namespace;
    for (let time = 0; time < 2; time++) expect((await world.api(owner).get(path(former))).status).toBe(200);
    await world.api(owner).put(`/projects/${project.id}`, { path: `${project.path}-moved` });
    for (let time = 0; time < 2; time++) {
      const { status, headers } = await world.api(owner).get(path(former));
      expect([status, headers.location]).toEqual([301, expect.stringContaining('-moved')]);
    }
    expect((await world.api(owner).get(path(`${former}-moved`))).status).toBe(200);
  });

  it('follows at once what an actor is', async () => {
    const boss = await world.user({ admin: true });
    const { statusOf } = await asked('private', boss);
    await world.db.user.update({ where: { id: boss.id }, data: { admin: false } });
    expect(await statusOf(boss)).toBe(404);
    await world.db.user.update({ where: { id: boss.id }, data: { admin: true } });
    expect([await statusOf(boss), await statusOf(boss)]).toEqual([200, 200]);
    await world.api(admin).post(`/users/${boss.id}/block`);
    expect(await statusOf(boss)).toBe(401);
  });

  it('is not shown by a token that is revoked, or reaches less', async () => {
    const { at } = await asked('private', owner);
    const make = async (scopes: string[]) => {
      const { body } = await world
        .api(admin)
        .post(`/users/${owner.id}/impersonation_tokens`, { name: 'x', scopes, expires_at: '2999-01-01' });
      return body as { id: number; token: string };
    };
    const ask = async (token: string) =>
      (await world.send('GET', `/api/v4${at}`, { headers: { 'PRIVATE-TOKEN': token } })).status;
    const [whole, users] = [await make(['api']), await make(['read_user'])];
    for (let time = 0; time < 2; time++) expect([await ask(whole.token), await ask(users.token)]).toEqual([200, 403]);
    await world.api(admin).delete(`/users/${owner.id}/impersonation_tokens/${whole.id}`);
    expect(await ask(whole.token)).toBe(401);
  });

  it('is read as who an administrator acts as', async () => {
    const { at } = await asked('private', admin);
    const as = async (user: TestUser) =>
      (await world.send('GET', `/api/v4${at}`, { headers: { 'PRIVATE-TOKEN': admin.token, SUDO: user.username } }))
        .status;
    for (let time = 0; time < 2; time++) expect([await as(reader), await as(owner)]).toEqual([404, 200]);
  });
});

describe('A request that comes again', () => {
  /** A caller with two projects, each with an issue and a secret one, who lists the issues of both time and again. */
  async function lists() {
    const [who, group] = [await world.user(), await world.group({ owner })];
    const projects: Awaited<ReturnType<typeof world.project>>[] = [];
    for (let count = 0; count < 2; count++) {
      const project = await world.project({ owner, namespaceId: group.id });
      await world.issue(project, owner, { title: 'Open' });
      await world.issue(project, owner, { title: 'Secret', confidential: true });
      await world.member(project, who, 'reporter');
      projects.push(project);
    }
    const query = `{ group(ref: ${group.id}) { projects(orderBy: ID, sort: ASC) { nodes { issues(sort: ASC) { nodes { title } } } } } }`;
    interface Listed {
      issues: { nodes: { title: string }[] };
    }
    const ask = async () => {
      const { body } = await world.graphql(query, {}, who);
      return (body.data.group.projects.nodes as Listed[]).map(({ issues }) => issues.nodes.map(({ title }) => title));
    };
    for (let time = 0; time < 2; time++) expect(await ask()).toEqual(Array(2).fill(['Open', 'Secret']));
    return { who, projects, ask };
  }

  it('has what was changed since', async () => {
    const { projects, ask } = await lists();
    const [first] = projects as [(typeof projects)[number]];
    await world.issue(first, owner, { title: 'New' });
    expect(await ask()).toEqual([
      ['Open', 'Secret', 'New'],
      ['Open', 'Secret'],
    ]);
  });

  it('has nothing that the caller may no longer see', async () => {
    const { who, projects, ask } = await lists();
    const [first, second] = projects.map(({ id }) => id);
    const of = (projectId: number | undefined) => ({ where: { userId: who.id, projectId } });
    await world.db.member.updateMany({ ...of(first), data: { accessLevel: 10 } });
    expect(await ask()).toEqual([['Open'], ['Open', 'Secret']]);
    await world.db.member.deleteMany(of(second));
    expect(await ask()).toEqual([['Open']]);
    for (let time = 0; time < 2; time++) expect(await ask()).toEqual([['Open']]);
  });
});
