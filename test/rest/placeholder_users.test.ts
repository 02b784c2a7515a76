import { describe, expect, it } from 'vitest';
import { MAX_UNKNOWN_USERS } from '#src/domain/project_archives/people.ts';
import type { Json } from '../support/http.ts';
import { archiveOf, contributions, moved, people } from '../support/placeholder_users.ts';
import { exported, imported, records, unpacked } from '../support/project_archives.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });

describe('Importing what users without an account have written', () => {
  it('keeps authors, assignees, reviewers, approvals and awards in the names of placeholders', async () => {
    const { api, at, id, placeholder } = await moved(world, { withMembers: true });
    const ann = await placeholder('71');
    const ben = await placeholder('72');
    expect([ann.name, ben.name]).toEqual(['Ann <b>Apple</b>', 'Ben']);
    expect(ann.username).toMatch(/^ann_placeholder_[0-9a-f]{10}$/);
    expect(ben.username).toMatch(/^user_placeholder_[0-9a-f]{10}$/);
    const { body: issue } = await api.get(`${at}/issues/1`);
    expect([issue.author.id, issue.assignees.map((one: Json) => one.id)]).toEqual([ann.id, [ann.id, ben.id]]);
    const { body: notes } = await api.get(`${at}/issues/1/notes?sort=asc`);
    expect(notes.map(({ author, body }: Json) => [author.id, body])).toEqual([
      [ann.id, 'Ripe'],
      [ben.id, 'Sweet'],
      [ann.id, 'Hush'],
    ]);
    expect((await api.get(`${at}/issues/1/award_emoji`)).body.map((one: Json) => one.user.id)).toEqual([ann.id]);
    const { body: merge } = await api.get(`${at}/merge_requests/1`);
    expect([merge.author.id, merge.merge_user.id, merge.reviewers.map((one: Json) => one.id)]).toEqual([
      ann.id,
      ben.id,
      [ann.id],
    ]);
    expect(await world.db.mergeRequestApproval.count({ where: { userId: ann.id } })).toBe(2);
    const shown = `query ($ref: ProjectRef!) { project(ref: $ref) { issue(iid: 1) { author { name placeholderSource } } } }`;
    const { path_with_namespace: ref } = (await api.get(at)).body;
    expect((await world.graphql(shown, { ref })).body.data.project.issue.author).toEqual({
      name: 'Ann <b>Apple</b>',
      placeholderSource: 'git.example.org',
    });
    expect(await world.db.member.count({ where: { projectId: id, userId: { in: [ann.id, ben.id] } } })).toBe(0);
  });

  it('makes one placeholder for a user of a source, whatever is imported from there, and others elsewhere', async () => {
    const { bring, group, rows, owner } = await moved(world);
    await bring();
    expect(await world.db.importSourceUser.count({ where: { namespaceId: group.id } })).toBe(rows.length);
    const other = archiveOf(people('other.example.org'), { issues: contributions().issues ?? [] });
    await imported(world, owner, { archive: other, path: world.unique('other'), more: { namespace: group.fullPath } });
    const hosts = await world.db.importSourceUser.findMany({
      where: { namespaceId: group.id },
      orderBy: { id: 'asc' },
      select: { sourceHostname: true, sourceUserIdentifier: true },
    });
    expect(hosts.map((one) => Object.values(one).join(' '))).toEqual([
      'git.example.org 71',
      'git.example.org 72',
      'other.example.org 71',
      'other.example.org 72',
    ]);
  });

  it('tells users of archives without a host apart by their names', async () => {
    const owner = await world.user();
    const issues = [{ id: 1, iid: 1, title: 'One', author_id: 5 }];
    for (const username of ['cleo', 'dora']) {
      const archive = archiveOf([{ id: 5, username, name: username }], { issues });
      await imported(world, owner, { archive, path: world.unique('nameless') });
    }
    const found = await world.db.importSourceUser.findMany({ where: { namespace: { ownerId: owner.id } } });
    expect(found.map((one) => one.sourceUserIdentifier).sort()).toEqual(['5:cleo', '5:dora']);
  });

  it('names the host of this server in archives', async () => {
    const { api, id, owner } = await moved(world);
    const [user] = records(unpacked(await exported(world, api, owner, { id })), 'users');
    expect(user.host).toBe(new URL(world.url).host);
  });

  it('is refused with more unknown users than it may have, before anybody is made', async () => {
    const owner = await world.user();
    const users = Array.from({ length: MAX_UNKNOWN_USERS + 1 }, (_, id) => ({ id: id + 1, username: `u${id}` }));
    const issues = [{ id: 1, iid: 1, title: 'One', author_id: 1 }];
    const record = await imported(world, owner, { archive: archiveOf(users, { issues }), path: world.unique('many') });
    expect(record).toMatchObject({
      import_status: 'failed',
      import_error: expect.stringMatching(/more than 20000 users/),
    });
    expect(await world.db.importSourceUser.count({ where: { namespace: { ownerId: owner.id } } })).toBe(0);
  });
});

describe('A placeholder', () => {
  it('is found by nobody but administrators, in no list and no search', async () => {
    const { api, placeholder, at } = await moved(world);
    const ann = await placeholder('71');
    for (const who of [api, world.api()]) {
      expect([401, 404]).toContain((await who.get(`/users/${ann.id}`)).status);
      expect([401, 404]).toContain((await who.get(`/users/${ann.id}/status`)).status);
    }
    expect((await world.api(admin).get(`/users/${ann.id}`)).body.name).toBe(ann.name);
    expect((await fetch(`${world.url}/${ann.username}`)).status).toBe(404);
    for (const search of ['Apple', ann.username]) {
      expect((await world.api(admin).get(`/users?search=${search}`)).body).toEqual([]);
      expect((await api.get(`/search?scope=users&search=${search}`)).body).toEqual([]);
    }
    expect((await api.get(`/users?username=${ann.username}`)).body).toEqual([]);
    expect((await api.get(`${at}/users?search=Apple`)).body).toEqual([]);
    expect((await api.get(`${at}/members/all`)).body.map((one: Json) => one.id)).not.toContain(ann.id);
  });

  it('cannot sign in, be made a member, be assigned, be asked to review, or be changed', async () => {
    const { api, placeholder, at, group } = await moved(world);
    const ann = await placeholder('71');
    expect(ann).toMatchObject({ admin: false, state: 'blocked', canCreateGroup: false, confirmedAt: null });
    expect(await world.db.namespace.count({ where: { ownerId: ann.id } })).toBe(0);
    expect(await world.db.personalAccessToken.count({ where: { userId: ann.id } })).toBe(0);
    for (const password of ['', 'password']) {
      const form = { grant_type: 'password', username: ann.username, password };
      const answer = await fetch(`${world.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    for (const place of [at, `/groups/${group.id}`]) {
      const member = await api.post(`${place}/members`, { user_id: ann.id, access_level: 30 });
      expect(member.status).toBeGreaterThanOrEqual(400);
    }
    expect(await world.db.member.count({ where: { userId: ann.id } })).toBe(0);
    const created = await api.post(`${at}/issues`, { title: 'New', assignee_ids: [ann.id] });
    expect(created.body.assignees).toEqual([]);
    await api.post(`${at}/issues/1/notes`, { body: `@${ann.username} look` });
    await api.post(`${at}/issues/1/todo`);
    await world.idle();
    expect(await world.db.todo.count({ where: { userId: ann.id } })).toBe(0);
    const asAdmin = world.api(admin);
    for (const action of ['block', 'unblock', 'activate']) await asAdmin.post(`/users/${ann.id}/${action}`);
    await asAdmin.put(`/users/${ann.id}`, { name: 'Real', admin: true });
    await asAdmin.post(`/users/${ann.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] });
    await asAdmin.delete(`/users/${ann.id}`);
    expect(await placeholder('71')).toEqual(ann);
    expect(await world.db.personalAccessToken.count({ where: { userId: ann.id } })).toBe(0);
  });

  it('is not counted among users', async () => {
    const count = async () => (await world.api(admin).get('/application/statistics')).body.users;
    const owner = await world.user();
    const before = await count();
    const archive = archiveOf(people('git.example.org'), contributions());
    await imported(world, owner, { archive, path: world.unique('counted') });
    expect(await count()).toBe(before);
  });

  it('gives no approval that counts', async () => {
    const { api, at, id } = await moved(world);
    await api.post(`${at}/approval_rules`, { name: 'Any', approvals_required: 1, rule_type: 'any_approver' });
    expect(
      await world.db.mergeRequestApproval.count({ where: { mergeRequest: { targetProjectId: id, iid: 2 } } }),
    ).toBe(1);
    expect((await api.get(`${at}/merge_requests/2/approvals`)).body.approvals_left).toBe(1);
  });
});
