// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const asAdmin = world.api(admin);
const remains = (id: number) => world.db.user.count({ where: { id } });
const ghost = () => world.db.user.findFirstOrThrow({ where: { ghost: true } });

/** A user who has a part in everything that there is. */
async function busyUser() {
  const [user, owner] = [await world.user(), await world.user()];
  const group = await world.group({ owner });
  await world.member(group, user, 'master');
  const project = await world.project({ owner: user, namespaceId: group.id });
  const personal = await world.project({ owner: user });
  const issue = await world.issue(project, user, { assigneeId: user.id });
  const confidential = await world.issue(project, user, { confidential: true });
  await world.mergeRequest(project, user, { iid: 1 });
  await world.db.mergeRequest.updateMany({ where: { targetProjectId: project.id }, data: { assigneeId: user.id } });
  const subject = { subjectType: 'Issue', subjectId: issue.id };
  await world.db.note.create({ data: { ...subject, authorId: user.id, body: 'said' } });
  await world.db.awardEmoji.create({ data: { ...subject, userId: user.id, name: 'thumbsup' } });
  await world.db.subscription.create({ data: { ...subject, userId: user.id, subscribed: true } });
  await world.db.projectStar.create({ data: { projectId: project.id, userId: user.id } });
  await world.db.identity.create({ data: { userId: user.id, provider: 'p', externUid: user.username } });
  await world.api(user).post('/user/keys', { title: 'key', key: newKey() });
  await world.api(user).post('/user/emails', { email: `second.${user.username}@example.org` });
  const token = await world.token(user);
  return { user, owner, group, project, personal, issue, confidential, token };
}

describe('DELETE /users/:id', () => {
  it('gives what others build on to the ghost, and takes the rest away', LONG, async () => {
    const { user, owner, project, personal, issue, confidential, token } = await busyUser();
    const { status, body } = await asAdmin.delete(`/users/${user.id}`);
    expect([status, body.id, body.email]).toEqual([200, user.id, `${user.username}@example.org`]);
    const { id: ghostId, username, state } = await ghost();
    expect([username, state]).toEqual(['ghost', 'blocked']);
    const asOwner = world.api(owner);
    expect((await asOwner.get(`/projects/${project.id}/issues/${issue.iid}`)).body).toMatchObject({
      author: { id: ghostId, username: 'ghost', state: 'blocked' },
      assignee: null,
      upvotes: 0,
      user_notes_count: 1,
    });
    expect((await asOwner.get(`/projects/${project.id}/issues/${confidential.iid}`)).body.author.id).toBe(ghostId);
    expect((await asOwner.get(`/projects/${project.id}`)).body).toMatchObject({ creator_id: ghostId });
    expect(await world.db.mergeRequest.findFirst({ where: { targetProjectId: project.id } })).toMatchObject({
      authorId: ghostId,
      assigneeId: null,
    });
    expect(await world.db.note.findFirst({ where: { body: 'said', subjectId: issue.id } })).toMatchObject({
      authorId: ghostId,
    });
    const whose = { where: { userId: user.id } };
    const left = await Promise.all([
      remains(user.id),
      world.db.member.count(whose),
      world.db.sshKey.count(whose),
      world.db.email.count(whose),
      world.db.personalAccessToken.count(whose),
      world.db.identity.count(whose),
      world.db.projectStar.count(whose),
      world.db.awardEmoji.count(whose),
      world.db.subscription.count(whose),
      world.db.event.count({ where: { authorId: user.id } }),
    ]);
    expect(left).toEqual(left.map(() => 0));
    expect(await world.db.projectCounters.findUnique({ where: { projectId: project.id } })).toMatchObject({ stars: 0 });
    for (const credential of [token, user.token]) {
      expect(await world.api(credential).get('/user')).toMatchObject({ status: 401 });
    }
    expect(await asAdmin.get(`/projects/${personal.id}`)).toMatchObject({ status: 404 });
    await world.until(async () => (await world.db.project.count({ where: { id: personal.id } })) === 0);
    await world.until(async () => (await world.db.namespace.count({ where: { path: user.username } })) === 0);
  });

  it('frees username, path and addresses at once', LONG, async () => {
    const { user } = await busyUser();
    await asAdmin.delete(`/users/${user.id}`);
    const { username } = user;
    const again = { username, name: 'Again', email: `second.${username}@example.org`, password: 'long enough' };
    expect(await asAdmin.post('/users', again)).toMatchObject({ status: 201, body: { username } });
  });

  it('is 200 without a body for who is not there', LONG, async () => {
    expect(await asAdmin.delete('/users/999999')).toMatchObject({ status: 200, body: null });
    const { id } = await world.user();
    expect(await asAdmin.delete(`/users/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await asAdmin.delete(`/users/${id}`)).toMatchObject({ status: 200, body: null });
    expect(await asAdmin.delete('/users/abc')).toMatchObject({ status: 404, body: { error: '404 Not Found' } });
  });

  it('happens once when it is asked for many times at once', LONG, async () => {
    const { user } = await busyUser();
    const answers = await Promise.all(Array.from({ length: 5 }, () => asAdmin.delete(`/users/${user.id}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body !== null)).toHaveLength(1);
  });

  it('of somebody who is just writing ends well, and leaves nothing of theirs', LONG, async () => {
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'public' });
    for (let round = 0; round < 4; round += 1) {
      const writer = await world.user();
      await world.member(project, writer, 'reporter');
      const issues = await Promise.all(Array.from({ length: 4 }, () => world.issue(project, writer)));
      const at = `/projects/${project.id}/issues`;
      const [deleted] = await Promise.all([
        asAdmin.delete(`/users/${writer.id}`),
        ...issues.map(({ iid }) => world.api(writer).put(`${at}/${iid}`, { state_event: 'close' })),
        ...issues.map(() => world.api(writer).post(at, { title: 'late' })),
      ]);
      expect(deleted.status).toBe(200);
      expect(await remains(writer.id)).toBe(0);
      expect(await world.db.issue.count({ where: { authorId: writer.id } })).toBe(0);
    }
  });

  it('keeps groups that nobody else owns', LONG, async () => {
    const owner = await world.user();
    const group = await world.group({ owner });
    await asAdmin.delete(`/users/${owner.id}`);
    expect(await world.db.namespace.findUnique({ where: { id: group.id } })).toMatchObject({ deletedAt: null });
  });

  it('is for administrators', async () => {
    const [user, other] = [await world.user(), await world.user()];
    for (const target of [user, other]) {
      expect(await world.api(user).delete(`/users/${target.id}`)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden' },
      });
    }
    expect(await world.api(user).delete('/users/999999')).toMatchObject({ status: 403 });
    expect(await world.api().delete(`/users/${user.id}`)).toMatchObject({ status: 401 });
    expect(await remains(user.id)).toBe(1);
  });

  it('is refused to administrators of themselves, so that one is left', async () => {
    expect(await asAdmin.delete(`/users/${admin.id}`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - Administrators cannot delete themselves' },
    });
    const second = await world.user({ admin: true });
    const answers = await Promise.all([
      asAdmin.delete(`/users/${second.id}?sudo=${second.id}`),
      world.api(second).delete(`/users/${admin.id}?sudo=${admin.id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect([await remains(admin.id), await remains(second.id)]).toEqual([1, 1]);
  });

  it('of each other by two administrators at once leaves one of them', LONG, async () => {
    for (let round = 0; round < 5; round += 1) {
      const pair = [await world.user({ admin: true }), await world.user({ admin: true })] as [TestUser, TestUser];
      const [a, b] = pair;
      const answers = await Promise.all([world.api(a).delete(`/users/${b.id}`), world.api(b).delete(`/users/${a.id}`)]);
      expect((await remains(a.id)) + (await remains(b.id))).toBe(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('works the same in GraphQL', async () => {
    const user = await world.user();
    const query = `mutation { deleteUser(input: {id: ${user.id}}) { user { username email } } }`;
    expect((await world.graphql(query, {}, user)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(query, {}, admin)).body.data.deleteUser.user).toEqual({
      username: user.username,
      email: `${user.username}@example.org`,
    });
    expect((await world.graphql(query, {}, admin)).body.data.deleteUser.user).toBeNull();
  });
});

describe('The ghost', () => {
  it('is in no list and nobody can change it', async () => {
    await asAdmin.delete(`/users/${(await world.user()).id}`);
    const { id, username } = await ghost();
    expect((await asAdmin.get(`/users?username=${username}`)).body).toEqual([]);
    expect((await asAdmin.get('/users?search=ghost')).body).toEqual([]);
    expect((await asAdmin.get('/users?blocked=true')).body).toEqual([]);
    expect(await asAdmin.get(`/users/${id}`)).toMatchObject({ status: 200, body: { username, name: 'Ghost User' } });
    expect(await asAdmin.put(`/users/${id}`, { name: 'x' })).toMatchObject({ status: 404 });
    expect(await asAdmin.post(`/users/${id}/unblock`)).toMatchObject({ status: 404 });
    expect(await asAdmin.post(`/users/${id}/keys`, { title: 'x', key: newKey() })).toMatchObject({ status: 404 });
    expect(await asAdmin.delete(`/users/${id}`)).toMatchObject({ status: 200, body: null });
    expect(await ghost()).toMatchObject({ id, state: 'blocked' });
  });
});
