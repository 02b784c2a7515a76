import { describe, expect, it } from 'vitest';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [admin, reader] = [await world.user({ admin: true }), await world.user()];

/** A project that a reader has asked for several times: what is read of it is known, and whose token it is. */
async function asked(visibility: string, who: TestUser) {
  const { body: project } = await world.api(owner).post('/projects', { name: world.unique('project'), visibility });
  const at = `/projects/${project.id}/issues`;
  for (let time = 0; time < 4; time++) expect((await world.api(who).get(at)).status).toBe(200);
  return { at, project, statusOf: async (user?: TestUser) => (await world.api(user).get(at)).status };
}

describe('A project that is read beside who asks', () => {
  it('takes one statement less from the third request on', async () => {
    const who = await world.user();
    const { at } = await asked('internal', reader);
    const counts: number[] = [];
    for (let time = 0; time < 3; time++) counts.push((await world.statements(() => world.api(who).get(at))).length);
    // The first request of a user notes that they were there today.
    expect(counts[1]).toBe(counts[2]);
    expect(counts[0]).toBeGreaterThan(counts[1] ?? 0);
    expect(counts[2]).toBe(2);
  });

  it('is not shown any more once it is private', async () => {
    const { project, statusOf } = await asked('internal', reader);
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'private' });
    expect([await statusOf(reader), await statusOf(owner)]).toEqual([404, 200]);
  });

  it('is not shown to others for whom the same was read', async () => {
    const { statusOf } = await asked('private', owner);
    for (let time = 0; time < 3; time++) {
      expect([await statusOf(reader), await statusOf(), await statusOf(owner)]).toEqual([404, 401, 200]);
    }
  });

  it('is shown by its path as by its ID, and where it went', async () => {
    const { project } = await asked('private', owner);
    const path = (text: string) => `/projects/${encodeURIComponent(text)}/issues`;
    const former = project.path_with_namespace;
    for (let time = 0; time < 3; time++) expect((await world.api(owner).get(path(former))).status).toBe(200);
    await world.api(owner).put(`/projects/${project.id}`, { path: `${project.path}-moved` });
    for (let time = 0; time < 3; time++) {
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
    for (let time = 0; time < 3; time++) expect([await ask(whole.token), await ask(users.token)]).toEqual([200, 403]);
    await world.api(admin).delete(`/users/${owner.id}/impersonation_tokens/${whole.id}`);
    expect(await ask(whole.token)).toBe(401);
  });

  it('is read as who an administrator acts as', async () => {
    const { at } = await asked('private', admin);
    const as = async (user: TestUser) =>
      (await world.send('GET', `/api/v4${at}`, { headers: { 'PRIVATE-TOKEN': admin.token, SUDO: user.username } }))
        .status;
    for (let time = 0; time < 3; time++) expect([await as(reader), await as(owner)]).toEqual([404, 200]);
  });
});
