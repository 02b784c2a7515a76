import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#rest/v4/index.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type Api, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ROLES = [
  'anonymous',
  'outsider',
  'guest',
  'reporter',
  'developer',
  'master',
  'owner',
  'admin',
  'external',
  'blocked',
] as const;
type Role = (typeof ROLES)[number];
const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** What a project holds for one case. */
interface Stage {
  project: ProjectRow;
  elsewhere: ProjectRow;
  groupId: number;
  issue: number;
  label: string;
  milestone: number;
}

/** The lowest level that suffices; `open` adds any signed-in user to whom the project is visible. */
interface Expected {
  call: (api: Api, stage: Stage) => ReturnType<Api['get']>;
  success: number;
  level: number;
  open?: true;
  /** Where the level is too low; 403 when absent. */
  refusal?: number;
  /** Anonymous callers may read public projects. */
  anonymous?: true;
}

const on =
  (path: string) =>
  ({ project: { id } }: Stage) =>
    `/projects/${id}${path}`;
const issueAt = (stage: Stage) => `${on('/issues/')(stage)}${stage.issue}`;
const labelAt = (stage: Stage) => `${on('/labels/')(stage)}${encodeURIComponent(stage.label)}`;
const milestoneAt = (stage: Stage) => `${on('/milestones/')(stage)}${stage.milestone}`;

const read = (path: (stage: Stage) => string): Expected => ({
  call: (api, stage) => api.get(path(stage)),
  success: 200,
  level: 10,
  open: true,
});
const write = (
  method: 'post' | 'put' | 'delete',
  path: (stage: Stage) => string,
  success: number,
  level: number,
  body: object | ((stage: Stage) => object) = {},
): Expected => ({
  call: (api, stage) => api[method](path(stage), typeof body === 'function' ? body(stage) : body),
  success,
  level,
});

/** behaviour.md 6 for every route below a project. */
const MATRIX: Record<string, Expected> = {
  'GET /projects/:id': { ...read(on('')), anonymous: true },
  'GET /groups/:id/issues': read(({ groupId }) => `/groups/${groupId}/issues`),
  'GET /projects/:id/issues': read(on('/issues')),
  'GET /projects/:id/issues/:issue_iid': read(issueAt),
  'POST /projects/:id/issues': { ...write('post', on('/issues'), 201, 10, { title: 'new' }), open: true },
  'PUT /projects/:id/issues/:issue_iid': write('put', issueAt, 200, 20, { title: 'changed' }),
  'DELETE /projects/:id/issues/:issue_iid': write('delete', issueAt, 204, 50),
  'POST /projects/:id/issues/:issue_iid/move': {
    ...write(
      'post',
      (stage) => `${issueAt(stage)}/move`,
      201,
      20,
      ({ elsewhere }) => ({ to_project_id: elsewhere.id }),
    ),
    refusal: 400,
  },
  'POST /projects/:id/issues/:issue_iid/subscribe': {
    ...write('post', (stage) => `${issueAt(stage)}/subscribe`, 201, 10),
    open: true,
  },
  'POST /projects/:id/issues/:issue_iid/unsubscribe': {
    ...write('post', (stage) => `${issueAt(stage)}/unsubscribe`, 304, 10),
    open: true,
  },
  'GET /projects/:id/labels': read(on('/labels')),
  'POST /projects/:id/labels': write('post', on('/labels'), 201, 20, () => ({
    name: world.unique('new'),
    color: 'red',
  })),
  'PUT /projects/:id/labels': write('put', on('/labels'), 200, 20, ({ label }) => ({ name: label, color: 'blue' })),
  'DELETE /projects/:id/labels': write('delete', on('/labels'), 204, 20, ({ label }) => ({ name: label })),
  'POST /projects/:id/labels/:label_id/subscribe': {
    ...write('post', (stage) => `${labelAt(stage)}/subscribe`, 201, 10),
    open: true,
  },
  'POST /projects/:id/labels/:label_id/unsubscribe': {
    ...write('post', (stage) => `${labelAt(stage)}/unsubscribe`, 304, 10),
    open: true,
  },
  'GET /projects/:id/milestones': read(on('/milestones')),
  'GET /projects/:id/milestones/:milestone_id': read(milestoneAt),
  'POST /projects/:id/milestones': write('post', on('/milestones'), 201, 40, () => ({ title: world.unique('new') })),
  'PUT /projects/:id/milestones/:milestone_id': write('put', milestoneAt, 200, 40, () => ({
    title: world.unique('changed'),
  })),
  'GET /projects/:id/milestones/:milestone_id/issues': read((stage) => `${milestoneAt(stage)}/issues`),
  'GET /projects/:id/milestones/:milestone_id/merge_requests': {
    ...read((stage) => `${milestoneAt(stage)}/merge_requests`),
    level: 20,
  },
};

/** Routes outside of any project, by role where it matters. */
const ACCOUNT: Record<string, { call: (api: Api) => ReturnType<Api['get']>; success: number; external?: number }> = {
  'GET /user': { call: (api) => api.get('/user'), success: 200 },
  'GET /version': { call: (api) => api.get('/version'), success: 200 },
  'GET /issues': { call: (api) => api.get('/issues'), success: 200 },
  'POST /session': { call: (api) => api.post('/session', { login: 'nobody', password: 'wrong' }), success: 401 },
  'POST /groups': { call: (api) => api.post('/groups', named('g')), success: 201, external: 403 },
  'POST /projects': { call: (api) => api.post('/projects', named('p')), success: 201, external: 403 },
};
const named = (prefix: string) => {
  const name = world.unique(prefix);
  return { name, path: name };
};

const users = {} as Record<Role, TestUser | undefined>;
const projects = {} as Record<(typeof VISIBILITIES)[number], Stage>;
const LEVEL: Record<Role, number> = {
  anonymous: 0,
  outsider: 0,
  external: 0,
  blocked: 0,
  guest: 10,
  reporter: 20,
  developer: 30,
  master: 40,
  owner: 50,
  admin: 100,
};

beforeAll(async () => {
  for (const role of ROLES) {
    const is = { admin: role === 'admin', external: role === 'external', blocked: role === 'blocked' };
    users[role] = role === 'anonymous' ? undefined : await world.user({ username: `the-${role}`, ...is });
  }
  const owner = users.owner as TestUser;
  for (const visibility of VISIBILITIES) {
    const group = await world.group({ owner, visibility });
    const [project, elsewhere] = [
      await world.project({ owner, visibility, namespaceId: group.id }),
      await world.project({ owner, visibility }),
    ];
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      for (const place of [project, elsewhere]) await world.member(place, users[role] as TestUser, role);
    }
    projects[visibility] = { project, elsewhere, groupId: group.id, issue: 0, label: '', milestone: 0 };
  }
}, 60_000);

/** Number and digest of the rows of everything that a refusal must leave alone. */
const rows = () => world.db.$queryRaw`
  SELECT (SELECT count(*)::text || md5(string_agg(t::text, '' ORDER BY t.id)) FROM issues t) AS issues,
    (SELECT count(*)::text || md5(string_agg(t::text, '' ORDER BY t.id)) FROM labels t) AS labels,
    (SELECT count(*)::text || md5(string_agg(t::text, '' ORDER BY t.id)) FROM milestones t) AS milestones,
    (SELECT count(*)::text || md5(string_agg(t::text, '' ORDER BY t.id)) FROM subscriptions t) AS subscriptions,
    (SELECT count(*)::text FROM events) AS events`;

/** A project of the visibility with a fresh issue, label and milestone of somebody who has no role. */
async function stage(visibility: (typeof VISIBILITIES)[number]): Promise<Stage> {
  const author =
    (await world.db.user.findFirst({ where: { username: 'the-author' } })) ??
    (await world.user({ username: 'the-author' }));
  const { project } = projects[visibility];
  const { id, iid } = await world.issue(project, users.owner as TestUser);
  await world.db.issue.update({ where: { id }, data: { authorId: author.id } });
  const label = await world.label(project, users.owner as TestUser);
  const milestone = await world.milestone(project, users.owner as TestUser);
  return { ...projects[visibility], issue: iid, label: label.title, milestone: milestone.id };
}

/** The status that a role is to get. */
function expectedStatus(
  { success, level, open, refusal = 403, anonymous }: Expected,
  role: Role,
  visibility: string,
): number {
  if (role === 'anonymous' || role === 'blocked') return anonymous ? (visibility === 'public' ? success : 404) : 401;
  const openToAll = visibility === 'public' || (visibility === 'internal' && role !== 'external');
  if (LEVEL[role] === 0 && !openToAll) return 404;
  if (LEVEL[role] >= level) return success;
  const readersOfPublic = open && openToAll;
  return readersOfPublic ? success : refusal;
}

describe.each(Object.entries(MATRIX))('%s', (_route, expected) => {
  it.each(VISIBILITIES)(
    'of a %s project answers each role as it should, and refusals change nothing',
    async (visibility) => {
      const found: Record<string, number> = {};
      const wanted: Record<string, number> = {};
      for (const role of ROLES) {
        const at = await stage(visibility);
        const before = await rows();
        const { status } = await expected.call(world.api(users[role]), at);
        found[role] = status;
        wanted[role] = expectedStatus(expected, role, visibility);
        if (status >= 300) expect(await rows(), `${role} was refused`).toEqual(before);
      }
      expect(found).toEqual(wanted);
    },
  );
});

describe.each(Object.entries(ACCOUNT))('%s', (_route, { call, success, external = success }) => {
  it('answers each role as it should', async () => {
    for (const role of ROLES) {
      const { status } = await call(world.api(users[role]));
      const nobody = role === 'anonymous' || role === 'blocked';
      expect([role, status]).toEqual([role, nobody ? 401 : role === 'external' ? external : success]);
    }
  });
});

describe('The matrix', () => {
  it('leaves no route out', () => {
    const all = routes.map(({ method, path }) => `${method} ${path}`);
    expect([...Object.keys(MATRIX), ...Object.keys(ACCOUNT)].sort()).toEqual(all.sort());
  });
});
