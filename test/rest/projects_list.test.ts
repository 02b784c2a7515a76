import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { BASIC_PROJECT_KEYS, LISTED_PROJECT_KEYS } from '../support/records.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const member = await world.user();
const outsider = await world.user();
const external = await world.user({ external: true });
const admin = await world.user({ admin: true });

const SIMPLE = [...BASIC_PROJECT_KEYS].sort();
const RECORD = [...LISTED_PROJECT_KEYS, 'permissions'];
const keys = (record: object) => Object.keys(record).sort();
const sorted = (...names: string[]) => [...RECORD, ...names].sort();

let group: GroupRow;
let hidden: ProjectRow;
let internal: ProjectRow;
let open: ProjectRow;
let grouped: ProjectRow;
let old: ProjectRow;

beforeAll(async () => {
  group = await world.group({ owner, visibility: 'public', name: 'Workshop' });
  hidden = await world.project({ owner, name: 'Anvil', description: 'made of iron' });
  internal = await world.project({ owner, name: 'Bellows', visibility: 'internal' });
  open = await world.project({ owner, name: 'Chisel', path: 'zz-chisel', visibility: 'public' });
  grouped = await world.project({ owner, name: 'Drill', namespaceId: group.id, visibility: 'public' });
  old = await world.project({ owner, name: 'Emery', visibility: 'public' });
  await world.member(hidden, member, 'reporter');
  await world.member(group, member, 'developer');
  await world.api(owner).post(`/projects/${old.id}/archive`);
  await world.api(outsider).post(`/projects/${open.id}/star`);
});

/** Initials of the names in the list, in its order; its total says the same. */
async function listed(who: TestUser | undefined, query = ''): Promise<string> {
  const { status, headers, body } = await world.api(who).get(`/projects?per_page=100&${query}`);
  expect(status).toBe(200);
  expect(headers['x-total']).toBe(String(body.length));
  return body.map(({ name }: { name: string }) => name[0]).join('');
}

describe('GET /projects', () => {
  it('shows each caller what they see, newest first and without archived ones', async () => {
    expect(await listed(owner)).toBe('DCBA');
    expect(await listed(member)).toBe('DCBA');
    expect(await listed(outsider)).toBe('DCB');
    expect(await listed(external)).toBe('DC');
    expect(await listed(undefined)).toBe('DC');
    expect(await listed(admin)).toBe('DCBA');
  });

  it('has exactly the keys of the contract', async () => {
    const record = async (who: TestUser | undefined, query: string, project: ProjectRow) => {
      const { body } = await world.api(who).get(`/projects?${query}`);
      return body.find(({ id }: Json) => id === project.id);
    };
    expect(keys(await record(owner, '', open))).toEqual(sorted('owner'));
    expect(keys(await record(owner, '', grouped))).toEqual(RECORD.toSorted());
    expect(keys(await record(owner, 'statistics=true', grouped))).toEqual(sorted('statistics'));
    expect(keys(await record(owner, 'simple=true&statistics=true', open))).toEqual(SIMPLE);
    expect(keys(await record(undefined, '', open))).toEqual(SIMPLE);
    expect(keys(await record(undefined, 'simple=false&statistics=true', open))).toEqual(SIMPLE);
    expect((await record(owner, 'statistics=true', grouped)).statistics).toEqual({
      commit_count: 0,
      storage_size: 0,
      repository_size: 0,
      lfs_objects_size: 0,
      job_artifacts_size: 0,
      packages_size: 0,
      container_registry_size: 0,
      uploads_size: 0,
      wiki_size: 0,
      snippets_size: 0,
    });
  });

  it.each([
    ['archived=true', 'E', 'E', 'E'],
    ['archived=', 'DCBA', 'DCB', 'DC'],
    ['visibility=private', 'A', '', ''],
    ['visibility=internal', 'B', 'B', ''],
    ['visibility=public', 'DC', 'DC', 'DC'],
    ['search=IRON', 'A', '', ''],
    ['search=workshop', 'D', 'D', 'D'],
    ['search=zz-', 'C', 'C', 'C'],
    ['search=%25', '', '', ''],
    ['search=_', '', '', ''],
    ['owned=true', 'DCBA', '', ''],
    ['membership=true', 'DCBA', '', ''],
    ['starred=true', '', 'C', ''],
    ['starred=true&archived=true', '', '', ''],
    ['order_by=name&sort=asc', 'ABCD', 'BCD', 'CD'],
    ['order_by=path&sort=desc', 'CDBA', 'CDB', 'CD'],
    ['order_by=id&sort=asc', 'ABCD', 'BCD', 'CD'],
    ['order_by=updated_at&sort=asc', 'ABCD', 'BCD', 'CD'],
    ['order_by=last_activity_at', 'DCBA', 'DCB', 'DC'],
  ])('with %s', async (query, asOwner, asOutsider, anonymous) => {
    expect([await listed(owner, query), await listed(outsider, query), await listed(undefined, query)]).toEqual([
      asOwner,
      asOutsider,
      anonymous,
    ]);
  });

  it('knows what a member has, and that it ends with the membership', async () => {
    expect([await listed(member, 'membership=true'), await listed(member, 'owned=true')]).toEqual(['DA', '']);
    const late = await world.user();
    await world.member(hidden, late, 'guest');
    expect(await listed(late, 'membership=true')).toBe('A');
    await world.db.member.updateMany({ where: { userId: late.id }, data: { expiresAt: new Date() } });
    expect([await listed(late, 'membership=true'), await listed(late)]).toEqual(['', 'DCB']);
  });

  it.each([
    ['visibility=secret', 'visibility does not have a valid value'],
    ['order_by=stars', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['archived=perhaps', 'archived is invalid'],
    ['simple=2', 'simple is invalid'],
    ['page=x', 'page is invalid'],
  ])('refuses %s', async (query, error) => {
    for (const who of [owner, undefined]) {
      const { status, body } = await world.api(who).get(`/projects?${query}`);
      expect({ status, body }).toEqual({ status: 400, body: { error } });
    }
  });

  it('is paginated', async () => {
    const { headers, body } = await world.api(owner).get('/projects?per_page=3&page=2&order_by=name&sort=asc');
    expect(body.map(({ name }: Json) => name)).toEqual(['Drill']);
    expect(headers).toMatchObject({ 'x-total': '4', 'x-total-pages': '2', 'x-page': '2', 'x-prev-page': '1' });
    expect(headers.link).toContain('order_by=name');
  });

  it('tells the memberships of the caller', async () => {
    const of = async (project: ProjectRow) =>
      (await world.api(member).get('/projects')).body.find(({ id }: Json) => id === project.id).permissions;
    const level = (access_level: number) => ({ access_level, notification_level: 3 });
    expect(await of(hidden)).toEqual({ project_access: level(20), group_access: null });
    expect(await of(grouped)).toEqual({ project_access: null, group_access: level(30) });
    expect(await of(open)).toEqual({ project_access: null, group_access: null });
  });

  it('needs a credential that reaches projects, if there is one', async () => {
    const token = await world.token(owner, ['read_user']);
    expect(await world.api(token).get('/projects')).toMatchObject({ status: 403 });
    expect(await world.api('nonsense').get('/projects')).toMatchObject({ status: 401 });
    expect((await world.api().get('/projects')).body).toHaveLength(2);
  });

  it('takes the same few statements, however long it is', LONG, async () => {
    const lister = await world.user();
    const count = async () => {
      // The jobs behind forks run statements of their own.
      await world.until(async () => (await world.db.repositoryCopy.count()) === 0);
      const path = '/projects?membership=true&statistics=true&per_page=100';
      let length = 0;
      const statements = await world.statements(async () => {
        length = (await world.api(lister).get(path)).body.length;
      });
      return { length, statements: statements.length };
    };
    const add = async () => {
      const source = await world.project({ owner, visibility: 'public' });
      const { body } = await world.api(lister).post(`/projects/${source.id}/fork`);
      await world.db.projectShare.create({ data: { projectId: body.id, groupId: group.id, groupAccess: 20 } });
    };
    await add();
    const few = await count();
    for (let n = 0; n < 24; n += 1) await add();
    const many = await count();
    expect([few.length, many.length, many.statements]).toEqual([1, 25, few.statements]);
    expect(few.statements).toBeLessThanOrEqual(3);
  });
});

describe('GET /projects/:id', () => {
  it('has exactly the keys of the contract, by ID and by full path', async () => {
    const { body } = await world.api(owner).get(`/projects/${open.id}`);
    const administered = ['runners_token', 'container_expiration_policy'];
    expect(keys(body)).toEqual(
      sorted(
        'owner',
        ...administered,
        'description_html',
        'issues_template',
        'merge_requests_template',
        'import_url',
        'import_type',
      ),
    );
    expect((await world.api(owner).get(`/projects/${encodeURIComponent(open.fullPath)}`)).body).toEqual(body);
    expect((await world.api(owner).get(`/projects/${encodeURIComponent(open.fullPath.toUpperCase())}`)).body).toEqual(
      body,
    );
    expect(keys((await world.api(outsider).get(`/projects/${open.id}`)).body)).toEqual(
      sorted('owner', 'description_html', 'issues_template', 'merge_requests_template', 'import_url', 'import_type'),
    );
    expect(keys((await world.api(owner).get(`/projects/${grouped.id}?statistics=yes`)).body)).toEqual(
      sorted(
        ...administered,
        'statistics',
        'description_html',
        'issues_template',
        'merge_requests_template',
        'import_url',
        'import_type',
      ),
    );
    expect(keys((await world.api().get(`/projects/${open.id}?statistics=true`)).body)).toEqual(SIMPLE);
    expect(body.permissions.project_access).toEqual({ access_level: 40, notification_level: 3 });
  });

  it('measures a project only for those who may read its repository', async () => {
    const guest = await world.user();
    await world.member(hidden, guest, 'guest');
    const of = async (who: TestUser) => (await world.api(who).get(`/projects/${hidden.id}?statistics=true`)).body;
    expect((await of(guest)).statistics).toBeUndefined();
    expect((await of(member)).statistics.storage_size).toBe(0);
  });

  it('leaves out the number of issues where there are none to be', async () => {
    const { id } = await world.project({ owner, switches: { issuesEnabled: false } });
    const { body } = await world.api(owner).get(`/projects/${id}`);
    expect([body.issues_enabled, 'open_issues_count' in body]).toEqual([false, false]);
    expect(await world.api(owner).get(`/projects/${id}/issues`)).toMatchObject({ status: 200, body: [] });
  });

  it('counts the open issues that the caller sees, as the list of issues does', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, member, 'guest');
    await world.issue(project, owner);
    await world.issue(project, owner, { confidential: true });
    await world.issue(project, member, { confidential: true });
    const closed = await world.issue(project, member, { confidential: true });
    await world.api(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' });
    for (const [who, number] of [
      [owner, 3],
      [admin, 3],
      [member, 2],
      [outsider, 1],
    ] as const) {
      const { body } = await world.api(who).get(`/projects/${project.id}`);
      const { headers } = await world.api(who).get(`/projects/${project.id}/issues?state=opened`);
      expect([body.open_issues_count, headers['x-total']]).toEqual([number, String(number)]);
    }
    const query = 'query ($ref: ProjectRef!) { project(ref: $ref) { openIssuesCount } }';
    expect((await world.graphql(query, { ref: project.id })).body.data.project.openIssuesCount).toBe(1);
  });

  it('shows the groups with which it is shared only to those who see them', async () => {
    const secret = await world.group({ owner, visibility: 'private' });
    const project = await world.project({ owner, visibility: 'public' });
    await world.api(owner).post(`/projects/${project.id}/share`, { group_id: secret.id, group_access: 20 });
    const shares = async (who: TestUser) =>
      (await world.api(who).get(`/projects/${project.id}`)).body.shared_with_groups;
    expect(await shares(owner)).toEqual([
      {
        group_id: secret.id,
        group_name: secret.name,
        group_full_path: secret.fullPath,
        group_access_level: 20,
        expires_at: null,
      },
    ]);
    expect(await shares(outsider)).toEqual([]);
  });
});

describe('GET /projects/:id/users', () => {
  it('lists the owner and all members there are, newest first, as everybody sees them', LONG, async () => {
    const inside = await world.group({ owner, parentId: group.id, visibility: 'public' });
    const project = await world.project({ owner, namespaceId: inside.id, visibility: 'public' });
    const [own, late, shared, secretly] = [
      await world.user(),
      await world.user(),
      await world.user(),
      await world.user(),
    ];
    await world.member(project, own, 'guest');
    await world.member(project, late, 'master');
    await world.db.member.updateMany({ where: { userId: late.id }, data: { expiresAt: new Date() } });
    const friends = await world.group({ owner: own, visibility: 'public' });
    const secret = await world.group({ owner: secretly, visibility: 'private' });
    await world.member(friends, shared, 'guest');
    for (const { id } of [friends, secret]) {
      await world.db.projectShare.create({ data: { projectId: project.id, groupId: id, groupAccess: 20 } });
    }
    const names = async (who: TestUser | undefined, query = '') => {
      const { status, headers, body } = await world.api(who).get(`/projects/${project.id}/users${query}`);
      expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
      for (const user of body) {
        expect(Object.keys(user)).toEqual(['id', 'name', 'username', 'state', 'avatar_url', 'web_url']);
      }
      return body.map(({ username }: Json) => username);
    };
    const usernames = (...users: TestUser[]) => users.map(({ username }) => username);
    expect(await names(outsider)).toEqual(usernames(shared, own, member, owner));
    expect(await names(admin)).toEqual(usernames(secretly, shared, own, member, owner));
    expect(await names(undefined)).toEqual(usernames(shared, own, member, owner));
    expect(await names(outsider, `?search=${own.username.toUpperCase()}`)).toEqual(usernames(own));
    expect(await names(outsider, '?search=%25')).toEqual([]);
    expect(await names(outsider, `?search=${own.username}@example.org`)).toEqual([]);
    expect(await names(own, `?search=${own.username}@example.org`)).toEqual(usernames(own));
    expect(await names(outsider, '?search=@example')).toEqual([]);
  });

  it('lists the owner of a personal project, and is 404 where the project is hidden', async () => {
    const { body } = await world.api(owner).get(`/projects/${internal.id}/users`);
    expect(body.map(({ id }: Json) => id)).toEqual([owner.id]);
    for (const who of [outsider, undefined]) {
      const { status, body } = await world.api(who).get(`/projects/${hidden.id}/users`);
      expect({ status, body }).toEqual({ status: 404, body: { message: '404 Project Not Found' } });
    }
  });

  it('takes the same few statements, however long it is', LONG, async () => {
    const project = await world.project({ owner });
    const count = async () =>
      (await world.statements(() => world.api(owner).get(`/projects/${project.id}/users`))).length;
    await count();
    await count();
    const before = await count();
    for (let n = 0; n < 10; n += 1) await world.member(project, await world.user(), 'guest');
    expect([await count(), before <= 3]).toEqual([before, true]);
  });
});

describe('Projects in GraphQL', () => {
  const query = `query ($archived: Boolean, $search: String) { projects(filter: { archived: $archived, search: $search }, orderBy: NAME, sort: ASC) {
    totalCount nodes { name statistics { storageSize } permissions { projectAccess { accessLevel } } users { totalCount } } } }`;
  const listedThere = async (who: TestUser | undefined, variables: object = {}) => {
    const { data } = (await world.graphql(query, { ...variables }, who)).body;
    expect(data.projects.totalCount).toBe(data.projects.nodes.length);
    return data.projects.nodes.map(({ name }: Json) => name);
  };

  it('are filtered and seen as in REST', LONG, async () => {
    const search = { search: 'l' };
    expect(await listedThere(undefined, search)).toEqual(['Chisel', 'Drill']);
    expect(await listedThere(outsider, search)).toEqual(['Bellows', 'Chisel', 'Drill']);
    expect(await listedThere(owner, { search: 'Emery', archived: false })).toEqual([]);
    expect(await listedThere(owner, { search: 'Emery' })).toEqual(['Emery']);
    expect(await listedThere(owner, { search: 'Emery', archived: true })).toEqual(['Emery']);
  });
});
