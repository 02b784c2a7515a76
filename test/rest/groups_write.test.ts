import { afterEach, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { LONG } from '../support/long.ts';
import { GROUP_KEYS } from '../support/records.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const outsider = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });
const api = world.api(owner);

const DETAIL_KEYS = [
  ...GROUP_KEYS,
  'prevent_sharing_groups_outside_hierarchy',
  'shared_with_groups',
  'projects',
  'shared_projects',
];
const PATH_RULE =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const NAME_RULE = "can contain only letters, digits, '_', '.', dash and space.";
const forbidden = { status: 403, body: { message: '403 Forbidden' } };
const notFound = { status: 404, body: { message: '404 Group Not Found' } };
const fresh = (prefix = 'new') => {
  const name = world.unique(prefix);
  return { name, path: name };
};

async function settings(data: object) {
  await world.db.applicationSettings.update({ where: { id: 1 }, data });
  forgetSettings(world.db);
}
afterEach(() => settings({ restrictedVisibilityLevels: [], defaultGroupVisibility: 'private' }));

describe('POST /groups', () => {
  it('creates a group that its creator owns', LONG, async () => {
    const { name, path } = fresh();
    const given = {
      name,
      path,
      description: 'why',
      visibility: 'internal',
      lfs_enabled: false,
      request_access_enabled: true,
    };
    const { status, body } = await api.post('/groups', given);
    expect([status, Object.keys(body)]).toEqual([201, GROUP_KEYS]);
    expect(body).toMatchObject({ ...given, full_name: name, full_path: path, parent_id: null });
    expect(await world.db.member.findMany({ where: { namespaceId: body.id } })).toMatchObject([
      { userId: owner.id, accessLevel: 50, expiresAt: null },
    ]);
  });

  it('creates a group inside a group, for its owners', LONG, async () => {
    const parent = await world.group({ owner, visibility: 'internal' });
    const given = fresh();
    const { status, body } = await api.post('/groups', { ...given, parent_id: parent.id });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      parent_id: parent.id,
      full_path: `${parent.fullPath}/${given.path}`,
      full_name: `${parent.fullName} / ${given.name}`,
    });
    await world.member(parent, master, 'master');
    expect(await world.api(master).post('/groups', { ...fresh(), parent_id: parent.id })).toMatchObject(forbidden);
    expect(await world.api(outsider).post('/groups', { ...fresh(), parent_id: parent.id })).toMatchObject(forbidden);
    expect(await world.api(external).post('/groups', { ...fresh(), parent_id: parent.id })).toMatchObject(forbidden);
    expect(await api.post('/groups', { ...fresh(), parent_id: 999_999 })).toMatchObject(notFound);
    expect(await world.db.namespace.count({ where: { parentId: parent.id } })).toBe(1);
  });

  it('is for users who may create groups, and never for external ones', async () => {
    const barred = await world.user();
    await world.db.user.update({ where: { id: barred.id }, data: { canCreateGroup: false } });
    const turned = await world.user();
    await world.db.user.update({ where: { id: turned.id }, data: { external: true } });
    const before = await world.db.namespace.count({ where: { deletedAt: null } });
    for (const user of [barred, turned, external]) {
      expect(await world.api(user).post('/groups', fresh())).toMatchObject(forbidden);
    }
    expect(await world.api().post('/groups', fresh())).toMatchObject({ status: 401 });
    expect(await world.db.namespace.count({ where: { deletedAt: null } })).toBe(before);
    const limited = await world.user({ admin: true });
    await world.db.user.update({ where: { id: limited.id }, data: { canCreateGroup: false } });
    expect(await world.api(limited).post('/groups', fresh())).toMatchObject({ status: 201 });
  });

  it('takes the visibility of the settings, but not wider than the group around', async () => {
    await settings({ defaultGroupVisibility: 'public' });
    const { body: top } = await api.post('/groups', fresh());
    expect(top.visibility).toBe('public');
    const parent = await world.group({ owner, visibility: 'internal' });
    const { body } = await api.post('/groups', { ...fresh(), parent_id: parent.id });
    expect(body.visibility).toBe('internal');
  });

  it('refuses more visibility than the group around has, and restricted levels to all but administrators', async () => {
    const parent = await world.group({ owner, visibility: 'internal' });
    expect(await api.post('/groups', { ...fresh(), parent_id: parent.id, visibility: 'public' })).toMatchObject({
      status: 400,
      body: { message: 'Failed to save group {:visibility_level=>["public is not allowed in a internal group."]}' },
    });
    await settings({ restrictedVisibilityLevels: ['public'] });
    const given = { ...fresh(), visibility: 'public' };
    expect(await api.post('/groups', given)).toMatchObject({
      status: 400,
      body: {
        message: 'Failed to save group {:visibility_level=>["public has been restricted by your administrator"]}',
      },
    });
    expect(await world.api(admin).post('/groups', given)).toMatchObject({ status: 201 });
  });

  it.each([
    [{ path: 'x' }, { error: 'name is missing' }],
    [{}, { error: 'name is missing, path is missing' }],
    [{ name: 'x', path: 'x', visibility: 'secret' }, { error: 'visibility does not have a valid value' }],
    [{ name: 'x', path: 'x', lfs_enabled: 'perhaps' }, { error: 'lfs_enabled is invalid' }],
    [{ name: 'x', path: 'x', parent_id: 'x' }, { error: 'parent_id is invalid' }],
    [
      { name: '', path: '' },
      { message: 'Failed to save group {:name=>["can\'t be blank"], :path=>["can\'t be blank"]}' },
    ],
    [{ name: 'a/b', path: 'ab' }, { message: `Failed to save group {:name=>[${JSON.stringify(NAME_RULE)}]}` }],
    [{ name: '#tag', path: 'ab' }, { message: `Failed to save group {:name=>[${JSON.stringify(NAME_RULE)}]}` }],
    [{ name: 'x', path: 'a b' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: '-a' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: 'a.git' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: 'a.ATOM' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: 'a.' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: '..' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: 'ä' }, { message: `Failed to save group {:path=>[${JSON.stringify(PATH_RULE)}]}` }],
    [{ name: 'x', path: 'Admin' }, { message: 'Failed to save group {:path=>["Admin is a reserved name"]}' }],
    [
      { name: 'x'.repeat(256), path: 'x'.repeat(256) },
      {
        message:
          'Failed to save group {:name=>["is too long (maximum is 255 characters)"], :path=>["is too long (maximum is 255 characters)"]}',
      },
    ],
    [
      { name: 'x', path: 'x', description: 'x'.repeat(256) },
      { message: 'Failed to save group {:description=>["is too long (maximum is 255 characters)"]}' },
    ],
  ])('refuses %j', async (given, body) => {
    const before = await world.db.namespace.count({ where: { deletedAt: null } });
    const answer = await api.post('/groups', given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await world.db.namespace.count({ where: { deletedAt: null } })).toBe(before);
  });

  it('refuses below a group the names that its pages need, and takes those that only the top needs', async () => {
    const parent = await world.group({ owner });
    const post = (path: string) => api.post('/groups', { name: path, path, parent_id: parent.id });
    expect(await post('issues')).toMatchObject({ status: 400 });
    expect(await post('projects')).toMatchObject({ status: 400 });
    expect(await post('admin')).toMatchObject({ status: 201 });
  });

  it('takes names in any script, with dashes and dots', LONG, async () => {
    for (const name of ['Größe 2.0', '開発_チーム', 'हिन्दी', 'Ops – West']) {
      expect(await api.post('/groups', { name, path: world.unique('p') })).toMatchObject({
        status: 201,
        body: { name },
      });
    }
  });

  it('refuses a path that a group, user or project has, whatever its case', LONG, async () => {
    const taken = { status: 400, body: { message: 'Failed to save group {:path=>["has already been taken"]}' } };
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    expect(await api.post('/groups', { name: 'x', path: group.path.toUpperCase() })).toMatchObject(taken);
    expect(await api.post('/groups', { name: 'x', path: outsider.username.toUpperCase() })).toMatchObject(taken);
    const inside = { name: 'x', path: project.path.toUpperCase(), parent_id: group.id };
    expect(await api.post('/groups', inside)).toMatchObject(taken);
    expect(await api.post('/groups', { name: 'x', path: project.path })).toMatchObject({ status: 201 });
  });

  it('gives a path once to all who ask at the same time', LONG, async () => {
    const given = fresh();
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.post('/groups', given)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  });

  it('ends at twenty groups around each other', LONG, async () => {
    let parent: number | null = null;
    for (let depth = 1; depth <= 20; depth += 1) {
      const { body } = await api.post('/groups', { ...fresh(), ...(parent === null ? {} : { parent_id: parent }) });
      parent = body.id;
    }
    expect(await api.post('/groups', { ...fresh(), parent_id: parent })).toMatchObject({
      status: 400,
      body: { message: 'Failed to save group {:parent_id=>["has too deep level of nesting"]}' },
    });
  });
});

describe('PUT /groups/:id', () => {
  it('changes what is given and nothing else', LONG, async () => {
    const group = await world.group({ owner, description: 'before' });
    const project = await world.project({ owner, namespaceId: group.id });
    const { status, body } = await api.put(`/groups/${group.id}`, { request_access_enabled: true });
    expect([status, Object.keys(body)]).toEqual([200, DETAIL_KEYS]);
    expect(body).toMatchObject({ name: group.name, description: 'before', request_access_enabled: true });
    expect(body.projects.map(({ id }: { id: number }) => id)).toEqual([project.id]);
    const changed = { description: 'after', visibility: 'public', lfs_enabled: false, request_access_enabled: false };
    expect(await api.put(`/groups/${group.id}`, changed)).toMatchObject({ status: 200, body: changed });
    expect(await api.put(`/groups/${group.id}`, { description: '' })).toMatchObject({ body: { description: '' } });
    expect(await api.put(`/groups/${group.id}`, { description: null })).toMatchObject({ body: { description: '' } });
  });

  it('is for owners, those of a group around too, and administrators', LONG, async () => {
    const parent = await world.group({ owner, visibility: 'public' });
    const group = await world.group({ owner: admin, parentId: parent.id, visibility: 'public' });
    await world.member(group, master, 'master');
    for (const user of [master, outsider]) {
      expect(await world.api(user).put(`/groups/${group.id}`, { name: 'changed' })).toMatchObject(forbidden);
    }
    expect(await world.api().put(`/groups/${group.id}`, { name: 'changed' })).toMatchObject({ status: 401 });
    expect(await world.db.namespace.findUnique({ where: { id: group.id } })).toMatchObject({ name: group.name });
    expect(await api.put(`/groups/${group.id}`, { name: 'by the owner' })).toMatchObject({ status: 200 });
    expect(await world.api(admin).put(`/groups/${group.id}`, { name: 'by admin' })).toMatchObject({ status: 200 });
    const hidden = await world.group({ owner });
    expect(await world.api(outsider).put(`/groups/${hidden.id}`, { name: 'x' })).toMatchObject(notFound);
  });

  it.each([
    [
      {},
      {
        error:
          'name, path, description, visibility, lfs_enabled, request_access_enabled, wiki_access_level, share_with_group_lock, project_creation_level, subgroup_creation_level, prevent_sharing_groups_outside_hierarchy, max_artifacts_size, avatar are missing, at least one parameter must be provided',
      },
    ],
    [{ name: '' }, { message: { name: ["can't be blank"] } }],
    [{ path: 'a b', name: 'a/b' }, { message: { name: [NAME_RULE], path: [PATH_RULE] } }],
    [{ path: 'users' }, { message: { path: ['users is a reserved name'] } }],
    [{ visibility: 'none' }, { error: 'visibility does not have a valid value' }],
  ])('refuses %j with messages by field', async (given, body) => {
    const group = await world.group({ owner });
    const answer = await api.put(`/groups/${group.id}`, given);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body });
    expect(await world.db.namespace.findUnique({ where: { id: group.id } })).toMatchObject({ name: group.name });
  });

  it('changes every full path and full name below it', LONG, async () => {
    const top = await world.group({ owner, name: 'Old. Name', path: world.unique('old_path') });
    const middle = await world.group({ owner, parentId: top.id, name: 'Middle' });
    const bottom = await world.group({ owner, parentId: middle.id, name: 'Bottom' });
    const project = await world.project({ owner, namespaceId: bottom.id, name: 'Project' });
    const path = world.unique('renamed');
    const { body } = await api.put(`/groups/${top.id}`, { path, name: 'Größe' });
    expect(body).toMatchObject({ path, full_path: path, name: 'Größe', full_name: 'Größe' });
    const { body: inner } = await api.put(`/groups/${middle.id}`, { path: 'center', name: 'Center' });
    expect(inner).toMatchObject({ full_path: `${path}/center`, full_name: 'Größe / Center' });
    expect((await api.get(`/groups/${bottom.id}`)).body).toMatchObject({
      full_path: `${path}/center/${bottom.path}`,
      full_name: 'Größe / Center / Bottom',
    });
    expect((await api.get(`/projects/${project.id}`)).body).toMatchObject({
      path_with_namespace: `${path}/center/${bottom.path}/${project.path}`,
      name_with_namespace: 'Größe / Center / Bottom / Project',
    });
    const at = encodeURIComponent(`${path}/center/${bottom.path}/${project.path}`);
    expect((await api.get(`/projects/${at}`)).body.id).toBe(project.id);
  });

  it('refuses a path that is taken and leaves everything as it was', LONG, async () => {
    const [group, other] = [await world.group({ owner }), await world.group({ owner })];
    const inside = await world.group({ owner, parentId: group.id });
    const sibling = await world.project({ owner, namespaceId: group.id });
    const taken = { status: 400, body: { message: { path: ['has already been taken'] } } };
    expect(await api.put(`/groups/${group.id}`, { path: other.path.toUpperCase(), name: 'New' })).toMatchObject(taken);
    expect(await api.put(`/groups/${group.id}`, { path: owner.username })).toMatchObject(taken);
    expect(await api.put(`/groups/${inside.id}`, { path: sibling.path })).toMatchObject(taken);
    expect((await api.get(`/groups/${inside.id}`)).body).toMatchObject({ full_path: inside.fullPath });
    expect(await world.db.namespace.findUnique({ where: { id: group.id } })).toMatchObject({ name: group.name });
    expect(await world.db.pathRedirect.count({ where: { namespaceId: group.id } })).toBe(0);
  });

  it('changes the case of a path', LONG, async () => {
    const group = await world.group({ owner });
    const path = group.path.toUpperCase();
    expect(await api.put(`/groups/${group.id}`, { path })).toMatchObject({ status: 200, body: { full_path: path } });
    expect(await api.get(`/groups/${group.path}`)).toMatchObject({ status: 200, body: { id: group.id } });
  });

  it('refuses less visibility than something inside has', LONG, async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const inside = await world.group({ owner, parentId: group.id, visibility: 'internal' });
    const project = await world.project({ owner, namespaceId: inside.id, visibility: 'internal' });
    const lower = (visibility: string) => api.put(`/groups/${group.id}`, { visibility });
    expect(await lower('private')).toMatchObject({
      status: 400,
      body: {
        message: {
          visibility_level: [
            'private is not allowed since this group contains projects with higher visibility.',
            'private is not allowed since this group contains groups with higher visibility.',
          ],
        },
      },
    });
    expect(await lower('internal')).toMatchObject({ status: 200, body: { visibility: 'internal' } });
    await world.db.project.update({ where: { id: project.id }, data: { deletedAt: new Date() } });
    await api.put(`/groups/${inside.id}`, { visibility: 'private' });
    expect(await lower('private')).toMatchObject({ status: 200 });
  });

  it('refuses more visibility than the group around has, and restricted levels', LONG, async () => {
    const parent = await world.group({ owner, visibility: 'internal' });
    const group = await world.group({ owner, parentId: parent.id, visibility: 'private' });
    expect(await api.put(`/groups/${group.id}`, { visibility: 'public' })).toMatchObject({
      status: 400,
      body: { message: { visibility_level: ['public is not allowed in a internal group.'] } },
    });
    await settings({ restrictedVisibilityLevels: ['internal', 'private'] });
    expect(await api.put(`/groups/${group.id}`, { visibility: 'internal' })).toMatchObject({
      status: 400,
      body: { message: { visibility_level: ['internal has been restricted by your administrator'] } },
    });
    // It keeps the level that it has.
    expect(await api.put(`/groups/${group.id}`, { visibility: 'private' })).toMatchObject({ status: 200 });
    expect(await world.api(admin).put(`/groups/${group.id}`, { visibility: 'internal' })).toMatchObject({
      status: 200,
    });
  });

  it('leaves no stale full path when groups are renamed and created at the same time', LONG, async () => {
    const top = await world.group({ owner });
    const middle = await world.group({ owner, parentId: top.id });
    const work = Array.from({ length: 8 }, (_, n) => [
      () => api.put(`/groups/${top.id}`, { path: `${top.path}-${n}` }),
      () => api.put(`/groups/${middle.id}`, { path: `${middle.path}-${n}` }),
      () => api.post('/groups', { ...fresh('raced'), parent_id: middle.id }),
      () => api.post('/projects', { ...fresh('raced'), namespace_id: middle.id }),
    ]).flat();
    const answers = await Promise.all(work.map((one) => one()));
    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    const rows = await world.db.namespace.findMany({ where: { lineage: { has: top.id } } });
    const paths = new Map(rows.map(({ id, path }) => [id, path]));
    expect(rows).toHaveLength(10);
    for (const { fullPath, lineage } of rows) expect(fullPath).toBe(lineage.map((id) => paths.get(id)).join('/'));
  });

  it('never ends with something inside that more people see', LONG, async () => {
    for (let round = 0; round < 5; round += 1) {
      const group = await world.group({ owner, visibility: 'public' });
      const inner = () => api.post('/groups', { ...fresh(), parent_id: group.id, visibility: 'public' });
      await Promise.all([inner(), api.put(`/groups/${group.id}`, { visibility: 'private' }), inner()]);
      const { visibility } = await world.db.namespace.findUniqueOrThrow({ where: { id: group.id } });
      const wider = await world.db.namespace.count({ where: { parentId: group.id, visibility: 'public' } });
      expect(visibility === 'private' ? wider : 0).toBe(0);
    }
  });
});

describe('DELETE /groups/:id', () => {
  it('hides the group with everything inside at once, and a job removes it', LONG, async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const deep = await world.group({ owner, parentId: inside.id });
    const projects = [];
    for (const { id } of [group, inside, deep]) projects.push(await world.project({ owner, namespaceId: id }));
    const label = await world.label(projects[2] ?? never(), owner);
    const issue = await world.issue(projects[2] ?? never(), owner, { labels: [label.title] });
    await api.post(`/projects/${projects[2]?.id}/labels/${label.id}/subscribe`);
    expect(await api.delete(`/groups/${group.id}`)).toMatchObject({ status: 204, body: null });
    for (const { id } of [group, inside, deep]) expect(await api.get(`/groups/${id}`)).toMatchObject(notFound);
    for (const { id } of projects) expect(await api.get(`/projects/${id}`)).toMatchObject({ status: 404 });
    expect(await world.api(admin).get(`/groups/${group.id}`)).toMatchObject(notFound);
    await world.until(async () => (await world.db.namespace.count({ where: { lineage: { has: group.id } } })) === 0);
    expect(await world.db.project.count({ where: { id: { in: projects.map(({ id }) => id) } } })).toBe(0);
    expect(await world.db.issue.count({ where: { id: issue.id } })).toBe(0);
    expect(await world.db.subscription.count({ where: { subjectType: 'Label', subjectId: label.id } })).toBe(0);
    expect(await api.delete(`/groups/${group.id}`)).toMatchObject(notFound);
  });

  it('frees the path at once', async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    await api.delete(`/groups/${group.id}`);
    expect(await api.post('/groups', { name: 'x', path: group.path })).toMatchObject({ status: 201 });
    expect(await api.get(`/groups/${encodeURIComponent(inside.fullPath)}`)).toMatchObject(notFound);
  });

  it('is for owners and administrators', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    await world.member(group, master, 'master');
    for (const user of [master, outsider]) {
      expect(await world.api(user).delete(`/groups/${group.id}`)).toMatchObject(forbidden);
    }
    expect(await world.api().delete(`/groups/${group.id}`)).toMatchObject({ status: 401 });
    const hidden = await world.group({ owner });
    expect(await world.api(outsider).delete(`/groups/${hidden.id}`)).toMatchObject(notFound);
    expect(await world.db.namespace.count({ where: { id: { in: [group.id, hidden.id] }, deletedAt: null } })).toBe(2);
    expect(await world.api(admin).delete(`/groups/${hidden.id}`)).toMatchObject({ status: 204 });
  });

  it('lets nothing be created inside that would stay behind', LONG, async () => {
    for (let round = 0; round < 5; round += 1) {
      const group = await world.group({ owner });
      const inner = () => api.post('/groups', { ...fresh(), parent_id: group.id });
      await Promise.all([inner(), inner(), api.delete(`/groups/${group.id}`), inner()]);
      await world.until(async () => (await world.db.namespace.count({ where: { lineage: { has: group.id } } })) === 0);
    }
  });

  it('answers one of those who ask at the same time with 204', async () => {
    const group = await world.group({ owner });
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.delete(`/groups/${group.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  });
});

describe('POST /groups/:id/projects/:project_id', () => {
  const transfer = (who: TestUser | undefined, group: number | string, project: number | string) =>
    world.api(who).post(`/groups/${encodeURIComponent(group)}/projects/${encodeURIComponent(project)}`);

  it('moves a project into the group, for administrators, and the old path redirects', LONG, async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner });
    const { status, body } = await transfer(admin, group.fullPath, project.fullPath);
    expect([status, Object.keys(body), body.id]).toEqual([201, DETAIL_KEYS, group.id]);
    expect(body.projects).toMatchObject([
      { id: project.id, path_with_namespace: `${group.fullPath}/${project.path}`, namespace: { id: group.id } },
    ]);
    const old = await api.get(`/projects/${encodeURIComponent(project.fullPath)}`);
    const now = encodeURIComponent(`${group.fullPath}/${project.path}`);
    expect([old.status, old.headers.location]).toEqual([301, `${world.url}/api/v4/projects/${now}`]);
  });

  it('is for administrators only', async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner });
    expect(await transfer(owner, group.id, project.id)).toMatchObject(forbidden);
    expect(await transfer(undefined, group.id, project.id)).toMatchObject({ status: 401 });
    expect(await world.db.project.findUnique({ where: { id: project.id } })).toMatchObject({
      namespaceId: project.namespaceId,
    });
    expect(await transfer(admin, 999_999, project.id)).toMatchObject(notFound);
    expect(await transfer(admin, group.id, 999_999)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });

  it('refuses a taken path or name, the same group, and more visibility than the group has', LONG, async () => {
    const group = await world.group({ owner });
    const refused = (text: string) => ({ status: 400, body: { message: `Failed to transfer project {${text}}` } });
    const there = await world.project({ owner, namespaceId: group.id, name: 'Same name', path: 'same-path' });
    const samePath = await world.project({ owner, name: 'another', path: 'SAME-path' });
    expect(await transfer(admin, group.id, samePath.id)).toMatchObject(
      refused(':new_namespace=>["Project with same path in target namespace already exists"]'),
    );
    const sameName = await world.project({ owner, name: 'same NAME', path: 'another-path' });
    expect(await transfer(admin, group.id, sameName.id)).toMatchObject(
      refused(':new_namespace=>["Project with same name in target namespace already exists"]'),
    );
    expect(await transfer(admin, group.id, there.id)).toMatchObject(refused(':new_namespace=>["is invalid"]'));
    const open = await world.project({ owner, visibility: 'public' });
    expect(await transfer(admin, group.id, open.id)).toMatchObject(
      refused(':visibility_level=>["public is not allowed in a private group."]'),
    );
    const ids = [samePath.id, sameName.id, open.id];
    expect(await world.db.project.count({ where: { id: { in: ids }, namespaceId: group.id } })).toBe(0);
    expect(await world.db.pathRedirect.count({ where: { projectId: { in: ids } } })).toBe(0);
  });

  it('refuses the path of a group inside', async () => {
    const group = await world.group({ owner });
    const inside = await world.group({ owner, parentId: group.id });
    const project = await world.project({ owner, path: inside.path });
    expect(await transfer(admin, group.id, project.id)).toMatchObject({ status: 400 });
  });

  it('moves a project that is moved to many groups at the same time to one of them', LONG, async () => {
    const groups = [];
    for (let n = 0; n < 4; n += 1) groups.push(await world.group({ owner }));
    const project = await world.project({ owner });
    const answers = await Promise.all(groups.map(({ id }) => transfer(admin, id, project.id)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { namespaceId } = await world.db.project.findUniqueOrThrow({ where: { id: project.id } });
    expect(groups.map(({ id }) => id)).toContain(namespaceId);
    expect(await api.get(`/projects/${encodeURIComponent(project.fullPath)}`)).toMatchObject({ status: 301 });
  });
});

describe('Groups in GraphQL', () => {
  it('are changed, filled and deleted by the rules of REST', LONG, async () => {
    const group = await world.group({ owner });
    const project = await world.project({ owner });
    const update = `mutation ($input: UpdateGroupInput!) { updateGroup(input: $input) { group { name path fullPath description } } }`;
    const input = { group: group.fullPath, name: 'By GraphQL', description: 'x' };
    expect((await world.graphql(update, { input }, outsider)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await world.graphql(update, { input }, owner)).body.data.updateGroup.group).toEqual({
      name: 'By GraphQL',
      path: group.path,
      fullPath: group.fullPath,
      description: 'x',
    });
    const wrong = await world.graphql(update, { input: { group: group.id, path: 'a b' } }, owner);
    expect(wrong.body.errors[0].extensions).toEqual({
      code: 'VALIDATION_FAILED',
      fields: { 'input.path': [PATH_RULE] },
    });
    const transfer = `mutation ($input: TransferProjectInput!) { transferProject(input: $input) {
      group { databaseId } project { fullPath } } }`;
    const move = { group: group.id, project: project.id };
    expect((await world.graphql(transfer, { input: move }, owner)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await world.graphql(transfer, { input: move }, admin)).body.data.transferProject).toEqual({
      group: { databaseId: group.id },
      project: { fullPath: `${group.fullPath}/${project.path}` },
    });
    const remove = 'mutation ($input: DeleteGroupInput!) { deleteGroup(input: $input) { deletedGroupId fullPath } }';
    const which = { input: { group: group.id } };
    expect((await world.graphql(remove, which, outsider)).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await world.graphql(remove, which, owner)).body.data.deleteGroup).toEqual({
      deletedGroupId: toGlobalId('Group', group.id),
      fullPath: group.fullPath,
    });
    expect(await api.get(`/groups/${group.id}`)).toMatchObject(notFound);
  });
});

function never(): never {
  throw new Error('the list is empty');
}
