// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createKey } from '#src/domain/users/keys/save.ts';
import { commitFile } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const admin = await world.user({ admin: true });
const owner = await world.user();
const api = world.api(admin);
const PATH = '/system';

beforeAll(async () => {
  const { status } = await api.post('/hooks', { url: receiver.url(PATH), token: 'shared' });
  expect(status).toBe(201);
});

/** The next event of that name about what the fields say. */
async function told(name: string, fields: object) {
  const is = (body: Record<string, unknown>) =>
    body.event_name === name && Object.entries(fields).every(([key, value]) => body[key] === value);
  const found = await receiver.next(PATH, ({ body }) => is(body));
  expect(found.headers).toMatchObject({ 'x-gitlab-event': 'System Hook', 'x-gitlab-token': 'shared' });
  return found.body;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('System hooks hear of', () => {
  it('projects: created, changed, renamed, transferred and deleted', LONG, async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner, visibility: 'internal' });
    const { id: project_id, path } = project;
    expect(await told('project_create', { project_id })).toEqual({
      event_name: 'project_create',
      created_at: TIME,
      updated_at: TIME,
      name: project.name,
      path,
      path_with_namespace: project.fullPath,
      project_id,
      owner_name: `Name of ${owner.username}`,
      owner_email: `${owner.username}@example.org`,
      project_visibility: 'internal',
    });
    const as = world.api(owner);
    await as.put(`/projects/${project_id}`, { description: 'Other', visibility: 'private' });
    expect(await told('project_update', { project_id })).toMatchObject({ project_visibility: 'private' });
    await as.put(`/projects/${project_id}`, { path: `${path}-new` });
    const renamed = { path: `${path}-new`, old_path_with_namespace: project.fullPath };
    expect(await told('project_rename', { project_id })).toMatchObject(renamed);
    await api.post(`/groups/${group.id}/projects/${project_id}`);
    expect(await told('project_transfer', { project_id })).toMatchObject({
      path_with_namespace: `${group.fullPath}/${path}-new`,
      old_path_with_namespace: `${owner.username}/${path}-new`,
      owner_name: group.name,
      owner_email: '',
    });
    await api.delete(`/projects/${project_id}`);
    expect(await told('project_destroy', { project_id })).toMatchObject({ path: `${path}-new` });
    const names = receiver.at(PATH).flatMap(({ body }) => (body.project_id === project_id ? [body.event_name] : []));
    expect(names.filter((name) => name.startsWith('project_'))).toEqual([
      'project_create',
      'project_update',
      'project_rename',
      'project_transfer',
      'project_destroy',
    ]);
  });

  it('users: created, renamed and deleted, with what goes with them', LONG, async () => {
    const username = world.unique('newcomer');
    const made = { username, name: 'New', email: `${username}@example.org`, password: 'long enough 1', confirm: false };
    const { body: user } = await api.post('/users', made);
    const common = { user_id: user.id, name: 'New', email: `${username}@example.org` };
    expect(await told('user_create', { user_id: user.id })).toEqual({
      event_name: 'user_create',
      created_at: TIME,
      updated_at: TIME,
      username,
      ...common,
    });
    await api.put(`/users/${user.id}`, { username: `${username}x` });
    const renamed = { username: `${username}x`, old_username: username };
    expect(await told('user_rename', { user_id: user.id })).toMatchObject(renamed);
    const project = await world.project({ owner });
    await world.api(owner).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 30 });
    await createKey(world.as(admin), { userId: user.id, title: 'mine', key: newKey() });
    await api.delete(`/users/${user.id}`);
    expect(await told('user_destroy', { user_id: user.id })).toMatchObject({ ...common, username: `${username}x` });
    expect(await told('key_destroy', { username: `${username}x` })).toMatchObject({ key: expect.any(String) });
    expect(await told('user_remove_from_team', { user_id: user.id })).toMatchObject({ project_id: project.id });
    const last = receiver.at(PATH).filter(({ body }) => body.username === `${username}x` || body.user_id === user.id);
    expect(last.at(-1)?.body.event_name).toBe('user_destroy');
  });

  it('members of projects and groups: added and removed', LONG, async () => {
    const user = await world.user();
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    const as = world.api(owner);
    await as.post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 40 });
    expect(await told('user_add_to_team', { user_id: user.id })).toEqual({
      event_name: 'user_add_to_team',
      created_at: TIME,
      project_name: project.name,
      project_path: project.path,
      project_path_with_namespace: project.fullPath,
      project_id: project.id,
      user_id: user.id,
      user_name: `Name of ${user.username}`,
      user_username: user.username,
      user_email: `${user.username}@example.org`,
      access_level: 'Master',
      project_visibility: 'private',
    });
    await as.delete(`/projects/${project.id}/members/${user.id}`);
    expect(await told('user_remove_from_team', { user_id: user.id })).toMatchObject({ access_level: 'Master' });
    await as.post(`/groups/${group.id}/members`, { user_id: user.id, access_level: 20 });
    const inGroup = { group_id: group.id, group_path: group.path, group_access: 'Reporter' };
    expect(await told('user_add_to_group', { user_id: user.id })).toMatchObject(inGroup);
    await as.delete(`/groups/${group.id}/members/${user.id}`);
    expect(await told('user_remove_from_group', { user_id: user.id })).toMatchObject(inGroup);
  });

  it('members whose last day is over, and who come back', async () => {
    const user = await world.user();
    const project = await world.project({ owner });
    const where = { projectId: project.id, userId: user.id };
    await world.db.member.create({ data: { ...where, accessLevel: 30, expiresAt: new Date('2020-01-01') } });
    await world.api(owner).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 20 });
    await told('user_add_to_team', { user_id: user.id, access_level: 'Reporter' });
    await world.db.member.updateMany({ where, data: { expiresAt: new Date('2020-01-01') } });
    await world.handlers()['members.expire']({}, undefined as never);
    await told('user_remove_from_team', { user_id: user.id, access_level: 'Reporter' });
  });

  it('groups: created, and deleted with the projects inside', LONG, async () => {
    const group = await world.group({ owner });
    expect(await told('group_create', { group_id: group.id })).toEqual({
      event_name: 'group_create',
      created_at: TIME,
      updated_at: TIME,
      name: group.name,
      path: group.path,
      full_path: group.fullPath,
      group_id: group.id,
      owner_name: null,
      owner_email: null,
    });
    expect(await told('user_add_to_group', { group_id: group.id })).toMatchObject({ group_access: 'Owner' });
    const project = await world.project({ owner, namespaceId: group.id });
    await world.api(owner).delete(`/groups/${group.id}`);
    await told('group_destroy', { group_id: group.id });
    await told('project_destroy', { project_id: project.id });
  });

  it('keys: added and removed', LONG, async () => {
    const { body: key } = await world.api(owner).post('/user/keys', { title: 'work', key: newKey() });
    const { username } = owner;
    expect(await told('key_create', { id: key.id })).toMatchObject({ username, key: key.key, created_at: TIME });
    await world.api(owner).delete(`/user/keys/${key.id}`);
    expect(await told('key_destroy', { id: key.id })).toMatchObject({ username, key: key.key });
  });

  it('pushes, if they want to, and nothing else of projects', LONG, async () => {
    const project = await world.project({ owner });
    await world.issue(project, owner);
    const sha = await commitFile(world, owner, project);
    const { body } = await receiver.next(PATH, (one) => one.body.after === sha);
    expect(body).toMatchObject({ event_name: 'push', object_kind: 'push', project_id: project.id });
    const kinds = receiver.at(PATH).map((one) => one.body.object_kind ?? null);
    expect(new Set(kinds)).toEqual(new Set([null, 'push']));
  });
});

describe('Hooks of a group', () => {
  const CREATE = `mutation ($group: GroupRef!, $url: String!) {
    createGroupWebhook(input: { group: $group, url: $url, issuesEvents: true }) {
      webhook { id databaseId groupId projectId hasToken pushEvents }
    }
  }`;

  it('hear of all projects below it, and of no others', LONG, async () => {
    const group = await world.group({ owner });
    const inner = await world.group({ owner, parentId: group.id });
    const projects: ProjectRow[] = [];
    for (const namespaceId of [group.id, inner.id]) projects.push(await world.project({ owner, namespaceId }));
    const elsewhere = await world.project({ owner });
    const url = receiver.url('/group');
    const { body } = await world.graphql(CREATE, { group: group.fullPath, url }, owner);
    const { webhook } = body.data.createGroupWebhook;
    expect(webhook).toMatchObject({ groupId: group.id, projectId: null, hasToken: false, pushEvents: true });
    for (const project of [elsewhere, ...projects]) await world.issue(project, owner, { title: project.path });
    const heard = await receiver.some('/group', 2);
    expect(heard.map((one) => one.body.object_attributes.title)).toEqual(projects.map(({ path }) => path));
    expect(heard[0]?.headers['x-gitlab-event']).toBe('Issue Hook');
    const list = '{ group(ref: "REF") { webhooks(first: 5) { totalCount nodes { id url } } } }';
    const listed = await world.graphql(list.replace('REF', group.fullPath), {}, owner);
    expect(listed.body.data.group.webhooks).toEqual({ totalCount: 1, nodes: [{ id: webhook.id, url }] });
    const node = await world.graphql('query ($id: ID!) { node(id: $id) { id __typename } }', { id: webhook.id }, owner);
    expect(node.body.data.node).toEqual({ id: webhook.id, __typename: 'Webhook' });
  });

  it('are for owners of the group alone', async () => {
    const group = await world.group({ owner });
    const master = await world.user();
    await world.member(group, master, 'master');
    const stranger = await world.user();
    const given = { group: group.fullPath, url: receiver.url('/never') };
    const codes = [];
    for (const who of [master, stranger]) {
      const { body } = await world.graphql(CREATE, given, who);
      codes.push(body.errors[0].extensions.code);
    }
    expect(codes).toEqual(['FORBIDDEN', 'NOT_FOUND']);
    const { body } = await world.graphql(CREATE, given, owner);
    const { id } = body.data.createGroupWebhook.webhook;
    for (const [who, code] of [
      [master, 'FORBIDDEN'],
      [stranger, 'NOT_FOUND'],
    ] as const) {
      const found = await world.graphql(
        'query ($id: ID!) { webhook(id: $id) { url } node(id: $id) { id } }',
        { id },
        who,
      );
      expect(found.body.errors[0].extensions.code).toBe(code);
      expect(found.body.data?.node ?? null).toBeNull();
      const removed = 'mutation ($id: ID!) { deleteWebhook(input: { id: $id }) { deletedWebhookId } }';
      expect((await world.graphql(removed, { id }, who)).body.errors[0].extensions.code).toBe(code);
    }
  });
});
